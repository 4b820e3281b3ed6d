"""Retention: deleting what is old or too much, and leaving the hash behind (X8).

Everything goes in portions, each its own transaction: what was deleted until a stop stays deleted, and no worker
waits long. Starred items stay. An article goes when no item refers to it any more and its last attempt is over
30 days ago: until then its row is what keeps the URL from being fetched again (ruling 4).
"""

from __future__ import annotations

from collections.abc import Sequence
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
    delete,
    func,
    literal,
    or_,
    select,
    update,
)

from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.ids import FeedId, RunId
from inforadar.store.schema.analyses import analyses_cache
from inforadar.store.schema.articles import article_categories, article_failures, articles
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.hosts import hosts
from inforadar.store.schema.items import forgotten_items, item_changes, items
from inforadar.store.schema.people import marks
from inforadar.store.schema.runs import runs
from inforadar.store.types import db_after, db_later, db_now, one_of
from inforadar.store.upsert import upsert

PORTION = 1000
RUNS = 20
"""A portion of runs: each may have some thousand events."""
HOST_DAYS = 90
"""So long a host that nobody asks is remembered: its pace, and its robots.txt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """What a feed keeps."""

    since: datetime | None
    """Items first seen before that go; None: age does not matter."""
    newest: int
    """So many of the newest stay; 0: all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """How much a feed has."""

    feed_id: FeedId
    url: str
    options: FeedOptions
    number: int
    oldest: datetime


def load_holdings(connection: Connection) -> list[Holding]:
    """Of every feed with items, deleted ones too."""
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
        Holding(
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
        select(func.count()).select_from(_surplus(feed_id, keep).subquery())
    ).scalar_one()


def forget_surplus(connection: Connection, feed_id: FeedId, keep: Keep, limit: int = PORTION) -> int:
    """Deletes a portion of what a feed has too much of; returns how many items it was."""
    chosen = connection.execute(_surplus(feed_id, keep).limit(limit)).all()
    if not chosen:
        return 0
    connection.execute(
        upsert(connection, forgotten_items).on_conflict_do_nothing(),
        [
            {"feed_id": feed_id, "hash": row.hash, "item_id": row.id, "pub_date": row.pub_date}
            for row in chosen
        ],
    )
    connection.execute(delete(items).where(one_of(items.c.id, [row.id for row in chosen])))
    s = feed_schedules.c
    connection.execute(update(feed_schedules).where(s.id == feed_id).values(build_at=db_after(s.build_at)))
    return len(chosen)


def _surplus(feed_id: FeedId, keep: Keep) -> Select[Any]:
    i = items.c
    starred = select(marks.c.hash).where(marks.c.hash == i.hash, marks.c.starred_at.is_not(None)).exists()
    too_much: list[ColumnElement[bool]] = []
    if keep.since is not None:
        too_much.append(i.created_at < keep.since)
    if keep.newest:
        # The first one that is too much: everything that is older goes too.
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
        select(i.id, i.hash, i.pub_date)
        .where(i.feed_id == feed_id, ~starred, or_(*too_much) if too_much else literal(False))
        .order_by(i.pub_date, i.id)
    )


def count_orphans(connection: Connection, before: datetime) -> int:
    return connection.execute(select(func.count()).select_from(_orphans(before).subquery())).scalar_one()


def delete_orphans(connection: Connection, before: datetime, limit: int = PORTION) -> int:
    """A portion of the articles that nothing refers to, with what is known of them."""
    uids = list(connection.execute(_orphans(before).limit(limit)).scalars())
    for table in (article_failures, article_categories, articles):
        connection.execute(delete(table).where(one_of(table.c.uid, uids)))
    return len(uids)


def _orphans(before: datetime) -> Select[Any]:
    a = articles.c
    return select(a.uid).where(
        a.next_attempt_at.is_(None),
        func.coalesce(a.attempted_at, a.fetched_at, a.updated_at) < before,
        ~select(items.c.id).where(items.c.url == a.url).exists(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Old:
    """Rows of one table that are history and over."""

    key: Column[Any]
    test: ColumnElement[bool]
    most: int = PORTION
    """So many are deleted at a time."""


def count_history(connection: Connection, before: datetime) -> int:
    return sum(
        connection.execute(select(func.count()).where(old.test)).scalar_one()
        for old in _history(before).values()
    )


def delete_history(connection: Connection, before: datetime, table: Table) -> int | None:
    """Deletes a portion of what is older in one of `HISTORY`; returns how many rows, None once nothing is left.

    One table after the other: to find that nothing is old in it takes reading all of it. None is deleted yet (0)
    while the runs that are next are still named by what they added and changed.
    """
    old = _history(before)[table]
    query = select(old.key).where(old.test).order_by(old.key).limit(old.most)
    chosen = list(connection.execute(query).scalars())
    if not chosen:
        return None
    if table is runs and _let_go(connection, chosen):
        return 0
    connection.execute(delete(table).where(one_of(old.key, chosen)))
    return len(chosen)


def _let_go(connection: Connection, run_ids: Sequence[RunId]) -> bool:
    """Takes these runs out of a portion of the rows that name them. False: none does.

    The foreign key would do it for all of them at once, and a run may have added a hundred thousand items.
    """
    for table in (items, item_changes):
        named = select(table.c.id).where(one_of(table.c.run_id, run_ids)).limit(PORTION)
        if ids := list(connection.execute(named).scalars()):
            # In the order in which the writer locks them, so that the two never wait for each other.
            locked = select(table.c.id).where(one_of(table.c.id, ids)).order_by(table.c.id).with_for_update()
            connection.execute(locked)
            connection.execute(update(table).where(one_of(table.c.id, ids)).values(run_id=None))
            return True
    return False


HISTORY = (item_changes, runs, article_failures, analyses_cache, hosts)
"""Tables of what has been; changes before the runs that made them."""


def _history(before: datetime) -> dict[Table, _Old]:
    r, h = runs.c, hosts.c
    idle = (
        h.updated_at < db_later(-HOST_DAYS * 86400.0),
        or_(h.paused_until.is_(None), h.paused_until <= db_now()),
        or_(h.next_free_at.is_(None), h.next_free_at <= db_now()),
    )
    return {
        item_changes: _Old(key=item_changes.c.id, test=item_changes.c.at < before),
        runs: _Old(key=r.id, test=and_(r.started_at < before, r.finished_at.is_not(None)), most=RUNS),
        article_failures: _Old(key=article_failures.c.id, test=article_failures.c.at < before),
        analyses_cache: _Old(key=analyses_cache.c.key, test=analyses_cache.c.created_at < before),
        hosts: _Old(key=h.host, test=and_(*idle)),
    }


def delete_lost_marks(connection: Connection) -> int:
    """Of URLs that no item has any more; starred ones still have theirs."""
    listed = select(items.c.id).where(items.c.url == marks.c.url).exists()
    return connection.execute(delete(marks).where(~listed, marks.c.starred_at.is_(None))).rowcount


def load_clock(connection: Connection) -> datetime:
    """The database's."""
    now: datetime = connection.execute(select(db_now())).scalar_one()
    return now
