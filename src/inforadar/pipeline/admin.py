"""What people do to feeds, the same from the command line and the page: subscribe, edit, switch on and off."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from inforadar.errors import UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId
from inforadar.store.credentials import save_credentials
from inforadar.store.engine import Database
from inforadar.store.feeds import insert_feed, load_feed, request_feed, update_feed

FALLBACK_S = 300.0
"""Should nobody hear the request, the schedule takes the feed after that (B3)."""
_DOMAIN = re.compile(r"[^\s/:@?#]{1,253}")


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


async def edit_feed(
    database: Database, feed_id: FeedId, changes: Mapping[str, object], *, fallback_s: float | None = None
) -> Feed:
    """Writes what was named, and asks for the feed, so that the change shows."""
    if not changes:
        raise UsageError("Nothing to change was named. `inforadar feed edit --help` lists what can be.")
    await database.write(update_feed, feed_id, changes)
    feed = await database.read(load_feed, feed_id)
    if feed.enabled:
        await database.write(request_feed, feed_id, fallback_s=fallback_s)
    return await database.read(load_feed, feed_id)


async def edit_in_page(database: Database, feed_id: FeedId, changes: Mapping[str, object]) -> Feed:
    """As a person expects it there: what was edited is enabled and polls, if nothing else is said (B3)."""
    return await edit_feed(
        database, feed_id, {"enabled": True, "polling": True, **changes}, fallback_s=FALLBACK_S
    )


async def switch_feed(
    database: Database, feed_id: FeedId, *, enabled: bool | None = None, polling: bool | None = None
) -> Feed:
    """Turns on or off what is named; nothing is scheduled by it."""
    given = {"enabled": enabled, "polling": polling}
    await database.write(
        update_feed, feed_id, {name: value for name, value in given.items() if value is not None}
    )
    return await database.read(load_feed, feed_id)


async def set_root_domain(database: Database, feed_id: FeedId, domain: str | None) -> Feed:
    """Groups the feed with others; `None`: with none."""
    name = None if domain is None else domain.strip().lower()
    if name is not None and not _DOMAIN.fullmatch(name):
        raise UsageError(f"{domain!r} is no domain. It should look like example.com.")
    await database.write(update_feed, feed_id, {"root_domain": name})
    return await database.read(load_feed, feed_id)


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
