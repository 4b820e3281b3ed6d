"""What people do to feeds, the same from the command line and the page: subscribe, import, edit."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from inforadar.errors import UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId
from inforadar.pipeline.opml import OpmlFeed, parse_opml
from inforadar.store.credentials import save_credentials
from inforadar.store.engine import Database
from inforadar.store.feeds import (
    insert_feed,
    load_feed,
    request_build,
    request_feed,
    update_feed,
    update_feed_options,
)

FALLBACK_S = 300.0
"""Should nobody hear the request, the schedule takes the feed after that (B3)."""


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
    topic: str = "general",
    title: str | None = None,
) -> tuple[Feed, bool]:
    """Adds a feed as a person expects it: enabled, polling, asked for now, items from any host (B3, C3)."""
    address, credentials = split_credentials(url)
    feed, is_new = await database.write(
        insert_feed,
        address,
        kind=kind,
        source=source,
        topic=topic,
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
    """Writes what was named, and asks for the feed, so that the change shows.

    A title stays whatever the feed calls itself; None: as it does.
    """
    if not changes:
        raise UsageError("Nothing to change was named. `inforadar feed edit --help` lists what can be.")
    columns = {name: value for name, value in changes.items() if name != "title"}
    if columns:
        await database.write(update_feed, feed_id, columns)
    if "title" in changes:
        await database.write(update_feed_options, feed_id, {"title": changes["title"]})
        await database.write(request_build, feed_id)
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
