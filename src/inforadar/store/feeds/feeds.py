"""Feeds: adding, finding, changing. One function a question."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Text,
    and_,
    case,
    cast,
    false,
    func,
    insert,
    or_,
    select,
    update,
)

from inforadar.errors import NotFoundError, UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId, new_uuid
from inforadar.model.schedule import Lane, lane_of
from inforadar.store.feeds.label_match import is_named, known_names
from inforadar.store.feeds.options import revive_options
from inforadar.store.feeds.rows import feed_from_row, joined, select_feeds
from inforadar.store.schema.feeds import feed_schedules, feed_urls, feeds
from inforadar.store.types import db_later, db_now, one_of, unindexed
from inforadar.store.upsert import upsert
from inforadar.urls import canonical_form, root_domain, url_hash

ACTIVE = (unindexed(feeds.c.enabled), feeds.c.deleted_at.is_(None))
"""Feeds that are fetched and served."""


def feed_key(url: str) -> tuple[str, str]:
    """A feed's URL without its fragment, and the hash it is found by. No parameter is lost."""
    href = canonical_form(url).split("#", 1)[0]
    return href, url_hash(href)


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
    origin: str | None = None,
    options: Mapping[str, Any] | None = None,
    defaulted: Collection[str] = (),
) -> tuple[Feed, bool]:
    """Register a feed, unscheduled; a deleted one is revived. Returns it and whether it is new.

    An argument of None keeps a revived feed's own value and gives a new feed the default. `defaulted` names the
    columns and options that apply to a new feed only.
    """
    href, key = feed_key(url)
    existing = find_feed_by_url(connection, href)
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
        "origin": origin,
    }
    columns = {name: value for name, value in given.items() if value is not None}
    if with_root_domain is not None:
        columns["root_domain"] = root_domain(href) if with_root_domain else None
    if existing:
        _revive(connection, existing, columns, options or {}, defaulted)
        return load_feed(connection, existing.id), True
    feed_id = FeedId(new_uuid())
    values = {**new_feed_columns(href), **columns, "options": dict(options or {})}
    row = upsert(connection, feeds).values(id=feed_id, url=href, url_hash=key, **values)
    new = connection.execute(row.on_conflict_do_nothing().returning(feeds.c.id)).first()
    if new is None:
        # Another process added it between our look and our insert.
        return insert_feed(connection, url)
    walks = lane_of(kind) is Lane.WALKS if enabled else None
    connection.execute(insert(feed_schedules).values(id=feed_id, walks=walks))
    return load_feed(connection, feed_id), True


def new_feed_columns(href: str) -> dict[str, Any]:
    """What a feed is of which nobody says more than its URL."""
    domain = root_domain(href)
    return {
        "kind": None,
        "source": domain,
        "topic": "general",
        "root_domain": domain,
        "polling": False,
        "enforce_feed_domain": True,
        "title": None,
    }


def _revive(
    connection: Connection,
    feed: Feed,
    columns: Mapping[str, Any],
    options: Mapping[str, Any],
    defaulted: Collection[str],
) -> None:
    """As it was, but for what was said now.

    Its fetching starts anew: its validators would answer 304 for items that may be gone, its old lease could commit.
    """
    said = {
        name: value
        for name, value in columns.items()
        if name not in defaulted or getattr(feed, name) is None  # of kind None: it was never fetched
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


def save_lanes(connection: Connection, feed_ids: Sequence[FeedId]) -> None:
    """Puts feeds into the lane of their kind, those that nobody fetches into none, after that may have changed."""
    walks = case((and_(*ACTIVE), func.coalesce(feeds.c.kind.in_(_WALKING), false())))
    lane = select(walks).where(feeds.c.id == feed_schedules.c.id).scalar_subquery()
    connection.execute(update(feed_schedules).where(one_of(feed_schedules.c.id, feed_ids)).values(walks=lane))


_WALKING = [kind.value for kind in FeedKind if lane_of(kind) is Lane.WALKS]
_DECIDES_LANE = frozenset({"kind", "enabled", "deleted_at"})


def load_feed(connection: Connection, feed_id: FeedId) -> Feed:
    row = connection.execute(select_feeds().where(feeds.c.id == feed_id)).first()
    if row is None:
        raise NotFoundError(f"There is no feed {feed_id}.")
    return feed_from_row(row)


def find_feed_by_url(connection: Connection, url: str) -> Feed | None:
    """By its URL or, if nobody has it now, by one that a feed had before it moved."""
    _, key = feed_key(url)
    row = connection.execute(select_feeds().where(feeds.c.url_hash == key)).first()
    if row is None:
        former = select(feed_urls.c.feed_id).where(feed_urls.c.url_hash == key).scalar_subquery()
        row = connection.execute(select_feeds().where(feeds.c.id == former)).first()
    return feed_from_row(row) if row else None


def find_feed(connection: Connection, reference: str) -> Feed:
    """By id, by URL, or by how an id or a URL begins or an id ends, if only one feed has it. No deleted one."""
    text = reference.strip()
    if "://" in text and (found := find_feed_by_url(connection, text)):
        return _not_deleted(found)
    try:
        return _not_deleted(load_feed(connection, FeedId(UUID(text))))
    except ValueError:
        pass
    if not text:
        raise UsageError("Which feed? Give its id, its URL, or the beginning of one.")
    fits = (feeds.c.deleted_at.is_(None), _begins(text))
    query = select_feeds().where(*fits).order_by(feeds.c.url).limit(5)
    candidates = [feed_from_row(row) for row in connection.execute(query)]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise NotFoundError(f"There is no feed {reference!r}. `inforadar feed list` shows them all.")
    number = connection.execute(select(func.count()).select_from(feeds).where(*fits)).scalar_one()
    names = ", ".join(feed.url for feed in candidates)
    raise UsageError(f"{reference!r} fits {number} feeds: {names}. Give more of the id or the URL.")


def _not_deleted(feed: Feed) -> Feed:
    """Whatever was done to a deleted one would seem to work, and show nowhere."""
    if feed.deleted_at:
        raise NotFoundError(_DELETED.format(feed.url))
    return feed


_DELETED = "{} is deleted. Add it again with `inforadar feed add`."


def _begins(text: str) -> ColumnElement[bool]:
    """Of an id, with or without hyphens; of a URL, with or without its scheme."""
    id_text = func.replace(cast(feeds.c.id, Text), "-", "")
    starts: list[tuple[ColumnElement[str], str]] = [(id_text, text.lower().replace("-", ""))]
    starts += [(feeds.c.url, f"{scheme}{text}") for scheme in ("", "http://", "https://")]
    begins = (func.substr(column, 1, len(start)) == start for column, start in starts)
    return or_(*begins, ends_with(id_text, text))


def ends_with(id_text: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Ids begin with the time, so that those of one import begin the same; people tell them by their ends."""
    end = text.lower().replace("-", "")
    return func.substr(id_text, 33 - len(end)) == end if 4 <= len(end) <= 32 else false()


def load_feeds(
    connection: Connection,
    *,
    sources: Sequence[str] = (),
    topics: Sequence[str] = (),
    origin: str | None = None,
    only_enabled: bool = False,
) -> list[Feed]:
    """All that are not deleted, by source, topic and URL."""
    wanted: list[ColumnElement[bool]] = [feeds.c.deleted_at.is_(None)]
    if sources:
        wanted.append(is_named(feeds.c.source, known_names(connection, feeds.c.source, sources)))
    if topics:
        wanted.append(is_named(feeds.c.topic, known_names(connection, feeds.c.topic, topics)))
    if origin:
        wanted.append(feeds.c.origin == origin)
    if only_enabled:
        wanted.append(unindexed(feeds.c.enabled))
    order = (func.lower(feeds.c.source), func.lower(feeds.c.topic), feeds.c.url)
    return [feed_from_row(row) for row in connection.execute(select_feeds().where(*wanted).order_by(*order))]


def count_feeds(connection: Connection) -> int:
    return connection.execute(select(func.count()).where(feeds.c.deleted_at.is_(None))).scalar_one()


def update_feed(connection: Connection, feed_id: FeedId, columns: Mapping[str, Any]) -> None:
    """Writes only the columns that are named."""
    connection.execute(update(feeds).where(feeds.c.id == feed_id).values(**columns, updated_at=db_now()))
    if not _DECIDES_LANE.isdisjoint(columns):
        save_lanes(connection, [feed_id])


def request_feed(connection: Connection, feed_id: FeedId, *, fallback_s: float | None = None) -> None:
    """Asks for a fetch now (B3); with `fallback_s` also schedules one, should nobody hear."""
    values: dict[str, Any] = {"requested_at": db_now()}
    if fallback_s is not None:
        values["next_run_at"] = db_later(fallback_s)
    connection.execute(update(feed_schedules).where(feed_schedules.c.id == feed_id).values(**values))


def sync_feed(connection: Connection, feed_id: FeedId) -> None:
    """Seed 2's resurrection: due now, error and lock cleared. Refused for a feed nobody would fetch."""
    feed = load_feed(connection, feed_id)
    if feed.deleted_at:
        raise UsageError(_DELETED.format(feed.url))
    if not feed.enabled:
        raise UsageError(f"{feed.url} is disabled. Enable it first: `inforadar feed enable {feed.id}`.")
    connection.execute(
        update(feed_schedules)
        .where(feed_schedules.c.id == feed_id)
        .values(
            next_run_at=db_now(),
            requested_at=db_now(),
            last_error=None,
            locked_until=None,
            lease_token=None,
            failures=0,
        )
    )


def delete_feed(connection: Connection, feed_id: FeedId, at: datetime) -> None:
    """Softly: the row stays and can be revived."""
    update_feed(connection, feed_id, {"deleted_at": at, "enabled": False})


def load_root_domains(connection: Connection) -> list[str]:
    query = (
        select(feeds.c.root_domain)
        .where(feeds.c.deleted_at.is_(None), feeds.c.root_domain.is_not(None))
        .distinct()
        .order_by(feeds.c.root_domain)
    )
    return list(connection.execute(query).scalars())


def load_former_urls(connection: Connection, feed_id: FeedId) -> list[tuple[str, datetime]]:
    query = (
        select(feed_urls.c.url, feed_urls.c.left_at)
        .where(feed_urls.c.feed_id == feed_id)
        .order_by(feed_urls.c.left_at)
    )
    return [(row.url, row.left_at) for row in connection.execute(query)]


BROKEN = (*ACTIVE, feed_schedules.c.next_run_at.is_(None), feed_schedules.c.last_error.is_not(None))
"""Enabled feeds that need a person: out of the schedule with an error."""


MANY_BROKEN = 1000


def load_broken_count(connection: Connection) -> int:
    """`MANY_BROKEN` stands for it or more: every page asks for this, and nobody for the exact number of so many."""
    some = select(feeds.c.id).select_from(joined).where(*BROKEN).limit(MANY_BROKEN).subquery()
    return connection.execute(select(func.count()).select_from(some)).scalar_one()


def load_broken_feeds(connection: Connection, *, limit: int = 500) -> list[Feed]:
    """By source and URL."""
    order = (func.lower(feeds.c.source), feeds.c.url)
    query = select_feeds().where(*BROKEN).order_by(*order).limit(limit)
    return [feed_from_row(row) for row in connection.execute(query)]
