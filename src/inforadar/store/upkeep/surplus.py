"""Queries for retention: what is old or too much (X8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    func,
    literal,
    or_,
    select,
    true,
)

from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.ids import FeedId, Uid
from inforadar.store.runs.queries import IS_DEAD
from inforadar.store.schema.analyses import analyses_cache
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.history import feed_days, feed_outcomes
from inforadar.store.schema.hosts import hosts
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.people import marks
from inforadar.store.schema.runs import runs
from inforadar.store.types import db_later, db_now

ROWS_PER_BATCH = 1000
RUNS_PER_BATCH = 20
"""Smaller, because each run may have several thousand events."""
ABANDONED_DAYS = 30
"""How long a run without an end is kept in any case: the first walk through a large site may take days."""
HOST_DAYS = 90
"""How long the pace and robots.txt of a host are kept after the last request to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """Which items a feed keeps."""

    since: datetime | None
    """Items first seen before this are deleted; None: no age limit."""
    newest: int
    """How many of the newest items stay; 0: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedSize:
    """How many items a feed has."""

    feed_id: FeedId
    url: str
    options: FeedOptions
    number: int
    oldest: datetime


def load_feed_sizes(connection: Connection) -> list[FeedSize]:
    """Load the sizes of all feeds with items, including deleted feeds."""
    counted = (
        select(
            items.c.feed_id,
            func.count().label("number"),
            func.min(items.c.created_at).label("oldest"),
        )
        .group_by(items.c.feed_id)
        .subquery()
    )
    query = (
        select(feeds.c.id, feeds.c.url, feeds.c.options, counted.c.number, counted.c.oldest)
        .join(counted, counted.c.feed_id == feeds.c.id)
        .order_by(feeds.c.url)
    )
    return [
        FeedSize(
            feed_id=row.id,
            url=row.url,
            options=parse_options(row.options),
            number=row.number,
            oldest=row.oldest,
        )
        for row in connection.execute(query)
    ]


def count_surplus(connection: Connection, feed_id: FeedId, keep: Keep) -> int:
    return connection.execute(
        select(func.count()).select_from(select_surplus(feed_id, keep).subquery())
    ).scalar_one()


def is_starred() -> ColumnElement[bool]:
    """Condition on a row of `items`."""
    of_item = marks.c.hash == items.c.hash
    return select(marks.c.hash).where(of_item, marks.c.starred_at.is_not(None)).correlate(items).exists()


def select_surplus(feed_id: FeedId, keep: Keep) -> Select[Any]:
    i = items.c
    too_much: list[ColumnElement[bool]] = []
    if keep.since is not None:
        too_much.append(i.created_at < keep.since)
    if keep.newest:
        # The newest item to delete: everything older is deleted too.
        last = (
            select(i.pub_date, i.id)
            .where(i.feed_id == feed_id)
            .order_by(i.pub_date.desc(), i.id.desc())
            .offset(keep.newest)
            .limit(1)
            .subquery()
        )
        date, id_ = (select(column).scalar_subquery() for column in (last.c.pub_date, last.c.id))
        too_much.append(or_(i.pub_date < date, and_(i.pub_date == date, i.id <= id_)))
    return (
        select(i.id, i.hash, i.pub_date, i.guid)
        .where(i.feed_id == feed_id, ~is_starred(), or_(*too_much) if too_much else literal(False))
        .order_by(i.pub_date, i.id)
    )


def count_orphans(connection: Connection, before: datetime) -> int:
    return connection.execute(
        select(func.count()).select_from(select_orphans(before).subquery())
    ).scalar_one()


def select_orphans(before: datetime, after: Uid | None = None) -> Select[Any]:
    a = articles.c
    return select(a.uid).where(
        a.uid > after if after is not None else true(),
        a.next_attempt_at.is_(None),
        func.coalesce(a.attempted_at, a.fetched_at, a.updated_at) < before,
        ~select(items.c.id).where(items.c.url == a.url).exists(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OldRows:
    """The old rows of one history table."""

    key: Column[Any]
    test: ColumnElement[bool]
    most: int = ROWS_PER_BATCH
    """How many are deleted at a time."""


def count_history(connection: Connection, before: datetime) -> int:
    return sum(
        connection.execute(select(func.count()).where(old.test)).scalar_one()
        for old in history_tables(before).values()
    )


HISTORY = (item_changes, runs, article_failures, analyses_cache, hosts, feed_days, feed_outcomes)
"""Tables that record the past; changes come before the runs that made them."""


def history_tables(before: datetime) -> dict[Table, OldRows]:
    r, h = runs.c, hosts.c
    idle = (
        h.updated_at < db_later(-HOST_DAYS * 86400.0),
        or_(h.paused_until.is_(None), h.paused_until <= db_now()),
        or_(h.next_free_at.is_(None), h.next_free_at <= db_now()),
    )
    # The run of a killed worker has no end, and never gets one. No run takes this long.
    is_abandoned = and_(
        r.started_at < db_later(-ABANDONED_DAYS * 86400.0), or_(r.alive_until.is_(None), IS_DEAD)
    )
    return {
        item_changes: OldRows(key=item_changes.c.id, test=item_changes.c.at < before),
        runs: OldRows(
            key=r.id,
            test=and_(r.started_at < before, or_(r.finished_at.is_not(None), is_abandoned)),
            most=RUNS_PER_BATCH,
        ),
        article_failures: OldRows(key=article_failures.c.id, test=article_failures.c.at < before),
        analyses_cache: OldRows(key=analyses_cache.c.key, test=analyses_cache.c.created_at < before),
        hosts: OldRows(key=h.host, test=and_(*idle)),
        feed_days: OldRows(key=feed_days.c.feed_id, test=feed_days.c.day < before.date()),
        feed_outcomes: OldRows(key=feed_outcomes.c.feed_id, test=feed_outcomes.c.at < before),
    }


def load_database_time(connection: Connection) -> datetime:
    """The current time by the database's clock."""
    now: datetime = connection.execute(select(db_now())).scalar_one()
    return now
