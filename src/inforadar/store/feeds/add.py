"""Add feeds, one or many in a transaction, with their credentials and their first fetch (B3, C3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, insert, select, update

from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import NO_OPTIONS, FeedOptions
from inforadar.model.ids import FeedId, new_uuid
from inforadar.model.schedule import Lane, lane_of
from inforadar.model.subscription import FALLBACK_S
from inforadar.store.feeds.changes import request_feed, save_lanes
from inforadar.store.feeds.options import revive_options
from inforadar.store.feeds.queries import feed_key, find_feed_by_url, find_twin, load_feed
from inforadar.store.feeds.rows import feed_from_row, select_feeds
from inforadar.store.feeds.save_credentials import add_credentials, save_credentials
from inforadar.store.schema.feeds import feed_schedules, feed_urls, feeds
from inforadar.store.types import db_later, db_now, one_of
from inforadar.store.upsert import upsert
from inforadar.urls import keeps_credentials, root_domain, twin_urls


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A feed to add, with every default filled in."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Credentials."""
    kind: FeedKind | None = None
    source: str | None = None
    topic: str | None = None
    title: str | None = None
    """The title a person gave the feed; the document's does not replace it."""
    site_url: str | None = None
    origin: str | None = None
    options: FeedOptions = NO_OPTIONS
    defaulted: frozenset[str] = frozenset()
    """Columns and options that the user did not give: they apply to a new feed; a revived one keeps its own."""
    enabled: bool = True
    polling: bool | None = True
    """None: a revived feed keeps its own, a new one does not poll."""
    enforce_feed_domain: bool | None = None
    """None: a revived feed keeps its own, a new one takes `enforce_if_new`."""
    enforce_if_new: bool = False
    with_root_domain: bool | None = None
    """None: a revived feed keeps its own, a new one is grouped by its domain."""
    fetch_within_s: float | None = FALLBACK_S
    """Request the feed now, and schedule it after this time in case no worker responds. None: do neither."""


def save_subscriptions(connection: Connection, wanted: Sequence[Subscription]) -> list[tuple[Feed, bool]]:
    """Add feeds. Returns each feed and whether it is new or revived; existing feeds stay as they are."""
    added = _add_unknown(connection, wanted)
    return [
        (added[place], True) if place in added else _save(connection, one) for place, one in enumerate(wanted)
    ]


def _add_unknown(connection: Connection, wanted: Sequence[Subscription]) -> dict[int, Feed]:
    """Add the feeds whose URLs were never known, all at once, because feed lists are long. Returns them by position."""
    keys = [feed_key(one.url) for one in wanted]
    hashes = [key for _, key in keys]
    twins = [[feed_key(twin)[1] for twin in twin_urls(href)] for href, _ in keys]
    known: set[str] = set()
    for table in (feeds, feed_urls):
        query = select(table.c.url_hash).where(one_of(table.c.url_hash, hashes))
        known.update(connection.execute(query).scalars())
    query = select(feeds.c.url_hash).where(
        one_of(feeds.c.url_hash, [key for keys_ in twins for key in keys_]), feeds.c.deleted_at.is_(None)
    )
    followed = set(connection.execute(query).scalars())
    places: dict[FeedId, int] = {}
    for place, key in enumerate(hashes):
        if key not in known and followed.isdisjoint(twins[place]):
            known.add(key)
            followed.add(key)
            places[FeedId(new_uuid())] = place
    if not places:
        return {}
    connection.execute(
        upsert(connection, feeds).on_conflict_do_nothing(),
        [_row(id_, *keys[place], wanted[place]) for id_, place in places.items()],
    )
    # Some may be missing: another process added them between our check and our insert.
    there = list(connection.execute(select(feeds.c.id).where(one_of(feeds.c.id, places))).scalars())
    _add_schedules(connection, {id_: wanted[places[id_]] for id_ in there})
    for id_ in there:
        if headers := wanted[places[id_]].headers:
            save_credentials(connection, id_, headers)
    stored = connection.execute(select_feeds().where(one_of(feeds.c.id, there)))
    return {places[feed.id]: feed for feed in map(feed_from_row, stored)}


def _add_schedules(connection: Connection, added: Mapping[FeedId, Subscription]) -> None:
    """Add schedules with one statement per `fetch_within_s`; usually it is the same for all."""
    rows: dict[float | None, list[dict[str, Any]]] = defaultdict(list)
    for id_, wanted in added.items():
        rows[wanted.fetch_within_s].append({"id": id_, "walks": _walks(wanted.kind, wanted.enabled)})
    for within_s, some in rows.items():
        new = insert(feed_schedules)
        if within_s is not None:
            new = new.values(requested_at=db_now(), next_run_at=db_later(within_s))
        connection.execute(new, some)


def _walks(kind: FeedKind | None, enabled: bool) -> bool | None:
    """Whether a new feed is in the walking lane; None if it is not fetched."""
    return lane_of(kind) is Lane.WALKS if enabled else None


def _row(feed_id: FeedId, href: str, key: str, wanted: Subscription) -> dict[str, Any]:
    usual = new_feed_columns(href)
    enforce = wanted.enforce_if_new if wanted.enforce_feed_domain is None else wanted.enforce_feed_domain
    return {
        **usual,
        **_named(wanted),
        "is_title_given": wanted.title is not None,
        "root_domain": None if wanted.with_root_domain is False else usual["root_domain"],
        "id": feed_id,
        "url": href,
        "url_hash": key,
        "origin": wanted.origin,
        "enabled": wanted.enabled,
        "polling": bool(wanted.polling),
        "enforce_feed_domain": enforce,
        "options": wanted.options.to_json(),
    }


def _named(wanted: Subscription) -> dict[str, Any]:
    given = {
        "kind": wanted.kind,
        "source": wanted.source,
        "topic": wanted.topic,
        "title": wanted.title,
        "site_url": wanted.site_url,
    }
    return {name: value for name, value in given.items() if value is not None}


def _save(connection: Connection, wanted: Subscription) -> tuple[Feed, bool]:
    """Add a feed that exists, was deleted, or had this URL before."""
    feed, is_new = insert_feed(
        connection,
        wanted.url,
        kind=wanted.kind,
        source=wanted.source,
        topic=wanted.topic,
        title=wanted.title,
        site_url=wanted.site_url,
        origin=wanted.origin,
        options=wanted.options,
        enabled=wanted.enabled,
        polling=wanted.polling,
        enforce_feed_domain=wanted.enforce_feed_domain,
        with_root_domain=wanted.with_root_domain,
        defaulted=wanted.defaulted,
    )
    if not is_new:
        return feed, False
    # A feed revived by a former URL keeps its current one: credentials given for the old host must not go there.
    if wanted.headers and keeps_credentials(wanted.url, feed.url):
        add_credentials(connection, feed.id, wanted.headers)
    if wanted.fetch_within_s is not None:
        request_feed(connection, feed.id, fallback_s=wanted.fetch_within_s)
    return load_feed(connection, feed.id), True


def insert_feed(
    connection: Connection,
    url: str,
    *,
    kind: FeedKind | None = None,
    source: str | None = None,
    topic: str | None = None,
    enabled: bool = False,
    polling: bool | None = None,
    enforce_feed_domain: bool | None = None,
    with_root_domain: bool | None = None,
    title: str | None = None,
    site_url: str | None = None,
    origin: str | None = None,
    options: FeedOptions = NO_OPTIONS,
    defaulted: Collection[str] = (),
) -> tuple[Feed, bool]:
    """Register a feed, unscheduled; a deleted one is revived. Returns it and whether it is new.

    An argument of None keeps a revived feed's own value and gives a new feed the default. `defaulted` names the
    columns and options that apply to a new feed only.
    """
    href, key = feed_key(url)
    existing = find_feed_by_url(connection, href) or find_twin(connection, href)
    if existing and existing.deleted_at is None:
        return existing, False
    given: dict[str, Any] = {
        "kind": kind,
        "source": source,
        "topic": topic,
        "enabled": enabled,
        "polling": polling,
        "enforce_feed_domain": enforce_feed_domain,
        "title": title,
        "is_title_given": True if title is not None else None,
        "site_url": site_url,
        "origin": origin,
    }
    columns = {name: value for name, value in given.items() if value is not None}
    if with_root_domain is not None:
        columns["root_domain"] = root_domain(href) if with_root_domain else None
    if existing:
        _revive(connection, existing, columns, options, defaulted)
        return load_feed(connection, existing.id), True
    feed_id = FeedId(new_uuid())
    values = {**new_feed_columns(href), **columns, "options": options.to_json()}
    row = upsert(connection, feeds).values(id=feed_id, url=href, url_hash=key, **values)
    new = connection.execute(row.on_conflict_do_nothing().returning(feeds.c.id)).first()
    if new is None:
        # Another process added it between our check and our insert.
        return insert_feed(connection, url)
    connection.execute(insert(feed_schedules).values(id=feed_id, walks=_walks(kind, enabled)))
    return load_feed(connection, feed_id), True


def new_feed_columns(href: str) -> dict[str, Any]:
    """The columns of a feed of which only the URL is known."""
    domain = root_domain(href)
    return {
        "kind": None,
        "source": domain,
        "topic": "general",
        "root_domain": domain,
        "polling": False,
        "enforce_feed_domain": True,
        "title": None,
        "site_url": None,
    }


def _revive(
    connection: Connection,
    feed: Feed,
    columns: Mapping[str, Any],
    options: FeedOptions,
    defaulted: Collection[str],
) -> None:
    """Restore a deleted feed as it was, except for the values given now.

    Its fetch state is reset: with the old validators the server would answer 304 for items that may be deleted, and the
    old lease could still commit.
    """
    said = {
        name: value
        for name, value in columns.items()
        if name not in defaulted or getattr(feed, name) is None  # kind is None if it was never fetched
    }
    fresh = {"deleted_at": None, "etag": None, "last_modified": None, "validators_url": None}
    connection.execute(
        update(feeds).where(feeds.c.id == feed.id).values(**said, **fresh, updated_at=db_now())
    )
    revive_options(connection, feed.id, columns.get("title"), options, defaulted)
    connection.execute(
        update(feed_schedules)
        .where(feed_schedules.c.id == feed.id)
        .values(
            next_run_at=None,
            requested_at=None,
            locked_until=None,
            lease_token=None,
            last_error=None,
            failures=0,
            walked_at=None,
        )
    )
    save_lanes(connection, [feed.id])
