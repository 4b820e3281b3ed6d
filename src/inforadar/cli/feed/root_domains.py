"""`inforadar root-domain …`: the domains that feeds are grouped by."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from inforadar.actions.edit import set_root_domain
from inforadar.cli.feed.change import tell
from inforadar.cli.feed.feeds import Json, Reference
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.cli.terminal.run import on_store
from inforadar.config import Settings
from inforadar.model.feed import Feed
from inforadar.store.database import Database
from inforadar.store.feeds.queries import find_feed, load_root_domains


def list_(*, json: Json = False) -> None:
    """List all root domains."""

    async def work(database: Database, _: Settings) -> list[str]:
        return await database.read(load_root_domains)

    domains = on_store(work)
    if json:
        print_json(domains)
        return
    for domain in domains:
        print_line(safe(domain))
    if not domains:
        print_line("No root domains yet. A feed gets one when it is added: `inforadar feed add URL`.")


def set_(
    feed: Reference,
    domain: Annotated[str, Parameter(help="For example example.com.")],
    *,
    json: Json = False,
) -> None:
    """Set the root domain of a feed."""
    found = _group(feed, domain)
    tell(found, f"{safe(found.url)} now belongs to {safe(found.root_domain)}.", as_json=json)


def clear(feed: Reference, *, json: Json = False) -> None:
    """Clear the root domain of a feed."""
    found = _group(feed, None)
    tell(found, f"{safe(found.url)} no longer has a root domain.", as_json=json)


def _group(reference: str, domain: str | None) -> Feed:
    async def work(database: Database, _: Settings) -> Feed:
        found = await database.read(find_feed, reference)
        return await set_root_domain(database, found.id, domain)

    return on_store(work)
