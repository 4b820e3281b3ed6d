"""Adding feeds as people expect it, one or many in a transaction: enabled, polling, asked for now (B3, C3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId, new_uuid
from inforadar.model.schedule import Lane, lane_of
from inforadar.store.feeds.credentials import add_credentials, save_credentials
from inforadar.store.feeds.feeds import (
    feed_key,
    insert_feed,
    load_feed,
    new_feed_columns,
    request_feed,
)
from inforadar.store.feeds.rows import feed_from_row, select_feeds
from inforadar.store.schema.feeds import feed_schedules, feed_urls, feeds
from inforadar.store.types import db_later, db_now, one_of
from inforadar.store.upsert import upsert
from inforadar.urls import keeps_credentials

FALLBACK_S = 300.0
"""Should nobody hear the request, the schedule takes the feed after that (B3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A feed that someone wants."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """Credentials."""
    kind: FeedKind | None = None
    source: str | None = None
    topic: str | None = None
    title: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    defaulted: frozenset[str] = frozenset()
    """Which of these nobody said: they are for a new feed, and one that is revived keeps its own."""


def save_subscriptions(connection: Connection, wanted: Sequence[Subscription]) -> list[tuple[Feed, bool]]:
    """Each feed, and whether it is new; those that are there already stay as they are."""
    added = _add_unknown(connection, wanted)
    return [
        (added[place], True) if place in added else _save(connection, one) for place, one in enumerate(wanted)
    ]


def _add_unknown(connection: Connection, wanted: Sequence[Subscription]) -> dict[int, Feed]:
    """The feeds that nobody ever had, by their places: all at once, because lists of feeds are long."""
    keys = [feed_key(one.url) for one in wanted]
    hashes = [key for _, key in keys]
    known: set[str] = set()
    for table in (feeds, feed_urls):
        query = select(table.c.url_hash).where(one_of(table.c.url_hash, hashes))
        known.update(connection.execute(query).scalars())
    places: dict[FeedId, int] = {}
    for place, key in enumerate(hashes):
        if key not in known:
            known.add(key)
            places[FeedId(new_uuid())] = place
    if not places:
        return {}
    connection.execute(
        upsert(connection, feeds).on_conflict_do_nothing(),
        [_row(id_, *keys[place], wanted[place]) for id_, place in places.items()],
    )
    # Some may not be: another process added theirs between our look and our insert.
    there = list(connection.execute(select(feeds.c.id).where(one_of(feeds.c.id, places))).scalars())
    if there:
        connection.execute(
            upsert(connection, feed_schedules).values(
                requested_at=db_now(), next_run_at=db_later(FALLBACK_S)
            ),
            [{"id": id_, "walks": lane_of(wanted[places[id_]].kind) is Lane.WALKS} for id_ in there],
        )
    for id_ in there:
        if headers := wanted[places[id_]].headers:
            save_credentials(connection, id_, headers)
    stored = connection.execute(select_feeds().where(one_of(feeds.c.id, there)))
    return {places[feed.id]: feed for feed in map(feed_from_row, stored)}


def _row(feed_id: FeedId, href: str, key: str, wanted: Subscription) -> dict[str, Any]:
    given = {"kind": wanted.kind, "source": wanted.source, "topic": wanted.topic, "title": wanted.title}
    return {
        **new_feed_columns(href),
        **{name: value for name, value in given.items() if value is not None},
        "id": feed_id,
        "url": href,
        "url_hash": key,
        "enabled": True,
        "polling": True,
        "enforce_feed_domain": False,
        "options": dict(wanted.options),
    }


def _save(connection: Connection, wanted: Subscription) -> tuple[Feed, bool]:
    """One that is there, was there, or is there by another name."""
    feed, is_new = insert_feed(
        connection,
        wanted.url,
        kind=wanted.kind,
        source=wanted.source,
        topic=wanted.topic,
        title=wanted.title,
        options=wanted.options,
        enabled=True,
        polling=True,
        enforce_feed_domain=False,
        defaulted={*wanted.defaulted, "enforce_feed_domain"},
    )
    if not is_new:
        return feed, False
    # A feed that is revived by a URL it had before is where it moved to: what was given for the old place stays out.
    if wanted.headers and keeps_credentials(wanted.url, feed.url):
        add_credentials(connection, feed.id, wanted.headers)
    request_feed(connection, feed.id, fallback_s=FALLBACK_S)
    return load_feed(connection, feed.id), True
