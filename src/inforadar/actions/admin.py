"""What people do to feeds, the same from the command line and the page: subscribe, edit, switch on and off."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from inforadar.clock import utc_now
from inforadar.errors import InvalidUrlError, UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId
from inforadar.model.zone import zone_named
from inforadar.pipeline.collect.reach import default_cutoff
from inforadar.store.database import Database
from inforadar.store.feeds.feeds import load_feed, request_feed, update_feed
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.feeds.subscriptions import FALLBACK_S, Subscription, save_subscriptions
from inforadar.urls import UNREADABLE

_DOMAIN = re.compile(r"[^\s/:@?#]{1,253}")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewFeed:
    """What a person leaves defaulted when they add a feed, filled in."""

    kind: FeedKind | None
    topic: str
    options: Mapping[str, Any]
    defaulted: frozenset[str]
    """Which columns and options of these the person did not name."""


def with_defaults(
    url: str,
    *,
    kind: FeedKind | None = None,
    topic: str | None = None,
    selectors: Mapping[str, Any] | None = None,
    cutoff: date | None = None,
    usual_cutoff: date | None = None,
    timezone: str | None = None,
    now: datetime,
) -> NewFeed:
    """Selectors, or a site with a reader, make a feed of kind `pages`; its cutoff is stored with it."""
    # What reads pages takes a moment to import, and only this needs it.
    from inforadar.stages.discover.pages.selectors.definition import parse_selectors  # noqa: PLC0415
    from inforadar.stages.discover.pages.sites import is_listing, topic_of  # noqa: PLC0415

    if selectors is not None:
        parse_selectors(selectors)
        if kind not in {None, FeedKind.PAGES}:
            raise UsageError(f"Selectors are for kind pages, not {kind}.")
    given = {"kind": kind or selectors, "topic": topic, "cutoff_date": cutoff}
    if kind is None and (selectors is not None or is_listing(url)):
        kind = FeedKind.PAGES
    options: dict[str, Any] = {}
    if zone := timezone_given(timezone):
        options["timezone"] = zone
    if kind is FeedKind.PAGES:
        options["cutoff_date"] = (cutoff or usual_cutoff or default_cutoff(now)).isoformat()
        if selectors is not None:
            options["selectors"] = dict(selectors)
    return NewFeed(
        kind=kind,
        topic=topic or topic_of(url) or "general",
        options=options,
        defaulted=frozenset(name for name, value in given.items() if value is None),
    )


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
    timezone: str | None = None,
) -> tuple[Feed, bool]:
    """Adds a feed as a person expects it: enabled, polling, asked for now, items from any host (B3, C3)."""
    check_words(source=source, topic=topic, title=title)
    address, headers = split_credentials(url)
    new = with_defaults(
        address,
        kind=kind,
        topic=topic,
        selectors=selectors,
        cutoff=cutoff,
        timezone=timezone,
        now=utc_now(),
    )
    wanted = Subscription(
        url=address,
        headers=headers,
        kind=new.kind,
        source=source,
        topic=new.topic,
        title=title,
        options=new.options,
        defaulted=new.defaulted,
    )
    (saved,) = await database.write(save_subscriptions, [wanted])
    return saved


async def edit_feed(
    database: Database, feed_id: FeedId, changes: Mapping[str, object], *, fallback_s: float | None = None
) -> Feed:
    """Writes what was named, and asks for the feed, so that the change shows.

    A title stays whatever the feed calls itself; None: as it does. Without a time zone it is UTC.
    """
    if not changes:
        raise UsageError("Nothing to change was named. `inforadar feed edit --help` lists what can be.")
    check_words(**{name: changes[name] for name in ("source", "topic", "title") if name in changes})
    options = {name: changes[name] for name in _OPTIONS if name in changes}
    if "timezone" in options:
        options["timezone"] = timezone_given(options["timezone"])
    columns = {name: value for name, value in changes.items() if name not in _OPTIONS}
    if columns:
        await database.write(update_feed, feed_id, columns)
    if options:
        await database.write(update_feed_options, feed_id, options)
    return await request_if_enabled(database, feed_id, fallback_s=fallback_s)


async def request_if_enabled(database: Database, feed_id: FeedId, *, fallback_s: float | None = None) -> Feed:
    """After a change: also what was suspended is tried with it, what is disabled is left alone."""
    feed = await database.read(load_feed, feed_id)
    if feed.enabled:
        await database.write(request_feed, feed_id, fallback_s=fallback_s)
    return await database.read(load_feed, feed_id)


_OPTIONS = ("title", "timezone")
"""What of a feed is edited like its columns, and stands in its options."""


MAX_WORD = 200
"""Characters in a name that a person gives to something."""


def check_words(**words: object) -> None:
    """Refuses names that nobody could see or read; None: not said."""
    for name, word in words.items():
        if word is not None and not 0 < len(str(word).strip()) <= len(str(word)) <= MAX_WORD:
            raise UsageError(f"The {name} is to have 1 to {MAX_WORD} characters, and not only spaces.")


def timezone_given(name: object) -> str | None:
    """The name of a time zone as a person wrote it; refused if there is none of that name. None: UTC."""
    given = str(name or "").strip()
    zone_named(given)
    return given or None


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
    try:
        parts = urlsplit(url)
    except ValueError:
        raise InvalidUrlError(url, UNREADABLE) from None
    if "@" not in parts.netloc:
        return url, {}
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    bare = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return bare, {"Authorization": basic_authorization(unquote(user), unquote(password))}


def basic_authorization(user: str, password: str) -> str:
    """The value of an `Authorization` header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
