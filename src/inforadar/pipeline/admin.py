"""What people do to feeds, the same from the command line and the page: subscribe, import, edit."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from inforadar.errors import UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId
from inforadar.pipeline.opml import OpmlFeed, parse_opml
from inforadar.pipeline.reach import default_cutoff
from inforadar.store.credentials import save_credentials
from inforadar.store.engine import Database
from inforadar.store.feeds import insert_feed, load_feed, request_feed, update_feed

FALLBACK_S = 300.0
"""Should nobody hear the request, the schedule takes the feed after that (B3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFeed:
    """What a person leaves unsaid when they add a feed, filled in."""

    kind: FeedKind | None
    topic: str
    options: Mapping[str, Any]


def fill_in(
    url: str,
    *,
    kind: FeedKind | None = None,
    topic: str | None = None,
    selectors: Mapping[str, Any] | None = None,
    cutoff: date | None = None,
    now: datetime,
) -> NewFeed:
    """Selectors, or a site with a reader, make a feed of kind `pages`; its cutoff is stored with it."""
    # What reads pages takes a moment to import, and only this needs it.
    from inforadar.stages.discover.sites import is_listing, topic_of  # noqa: PLC0415
    from inforadar.stages.discover.sites.selectors import parse_selectors  # noqa: PLC0415

    if selectors is not None:
        parse_selectors(selectors)
        if kind not in {None, FeedKind.PAGES}:
            raise UsageError(f"Selectors are for kind pages, not {kind}.")
    if kind is None and (selectors is not None or is_listing(url)):
        kind = FeedKind.PAGES
    options: dict[str, Any] = {}
    if kind is FeedKind.PAGES:
        options["cutoff_date"] = (cutoff or default_cutoff(now)).isoformat()
        if selectors is not None:
            options["selectors"] = dict(selectors)
    return NewFeed(kind=kind, topic=topic or topic_of(url) or "general", options=options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a list of feeds."""

    added: tuple[Feed, ...]
    known: tuple[Feed, ...]
    skipped: tuple[tuple[str, str], ...]
    """(what, why)."""


async def subscribe(
    database: Database,
    url: str,
    *,
    kind: FeedKind | None = None,
    source: str | None = None,
    topic: str | None = None,
    title: str | None = None,
    selectors: Mapping[str, Any] | None = None,
    cutoff: date | None = None,
) -> tuple[Feed, bool]:
    """Adds a feed as a person expects it: enabled, polling, asked for now, items from any host (B3, C3)."""
    address, credentials = split_credentials(url)
    new = fill_in(address, kind=kind, topic=topic, selectors=selectors, cutoff=cutoff, now=datetime.now(UTC))
    feed, is_new = await database.write(
        insert_feed,
        address,
        kind=new.kind,
        source=source,
        topic=new.topic,
        options=new.options,
        title=title,
        enabled=True,
        polling=True,
        enforce_feed_domain=False,
    )
    if is_new:
        if credentials:
            await database.write(save_credentials, feed.id, credentials)
        await database.write(request_feed, feed.id, fallback_s=FALLBACK_S)
        feed = await database.read(load_feed, feed.id)
    return feed, is_new


async def import_opml(database: Database, data: bytes) -> Imported:
    """Subscribes to every feed of the list; those that are there already stay as they are."""
    document = parse_opml(data)
    added: list[Feed] = []
    known: list[Feed] = []
    for listed in document.feeds:
        feed, is_new = await _subscribe_listed(database, listed)
        (added if is_new else known).append(feed)
    return Imported(added=tuple(added), known=tuple(known), skipped=document.skipped)


async def _subscribe_listed(database: Database, listed: OpmlFeed) -> tuple[Feed, bool]:
    return await subscribe(database, listed.url, topic=listed.topic, title=listed.title)


async def edit_feed(database: Database, feed_id: FeedId, changes: Mapping[str, object]) -> Feed:
    """Writes what was named, and asks for the feed, so that the change shows."""
    if not changes:
        raise UsageError("Nothing to change was named. `inforadar feed edit --help` lists what can be.")
    await database.write(update_feed, feed_id, changes)
    feed = await database.read(load_feed, feed_id)
    if feed.enabled:
        await database.write(request_feed, feed_id)
    return feed


def split_credentials(url: str) -> tuple[str, dict[str, str]]:
    """A URL without its user and password, and the header that says the same: no list of feeds shows them."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url, {}
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return bare, {"Authorization": basic_authorization(unquote(user), unquote(password))}


def basic_authorization(user: str, password: str) -> str:
    """The value of an `Authorization` header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
