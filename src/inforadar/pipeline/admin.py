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
from inforadar.store.engine import Database
from inforadar.store.feeds import load_feed, request_feed, update_feed
from inforadar.store.subscriptions import Subscription, save_subscriptions

PORTION = 200
"""Feeds of a list that are added in one transaction."""


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
    address, headers = split_credentials(url)
    new = fill_in(address, kind=kind, topic=topic, selectors=selectors, cutoff=cutoff, now=datetime.now(UTC))
    wanted = Subscription(
        url=address,
        headers=headers,
        kind=new.kind,
        source=source,
        topic=new.topic,
        title=title,
        options=new.options,
    )
    (saved,) = await database.write(save_subscriptions, [wanted])
    return saved


async def import_opml(database: Database, data: bytes) -> Imported:
    """Subscribes to every feed of the list; those that are there already stay as they are."""
    document = parse_opml(data)
    added: list[Feed] = []
    known: list[Feed] = []
    wanted = [_subscription(listed) for listed in document.feeds]
    for start in range(0, len(wanted), PORTION):
        for feed, is_new in await database.write(save_subscriptions, wanted[start : start + PORTION]):
            (added if is_new else known).append(feed)
    return Imported(added=tuple(added), known=tuple(known), skipped=document.skipped)


def _subscription(listed: OpmlFeed) -> Subscription:
    address, headers = split_credentials(listed.url)
    new = fill_in(address, topic=listed.topic, now=datetime.now(UTC))
    return Subscription(
        url=address,
        headers=headers,
        kind=new.kind,
        topic=new.topic,
        title=listed.title,
        options=new.options,
    )


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
