"""Feeds page by page, newest first, and the number of feeds in each state.

Each page starts after the id of the last feed: ids begin with the time, so the primary key gives the order, and the
thousandth page of a million feeds is as fast as the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, or_, select

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.store.feeds.label_match import is_named, known_names
from inforadar.store.feeds.rows import LOSES_ENTRIES, feed_from_row, select_feeds
from inforadar.store.schema.feeds import HAS_WARNINGS, feed_schedules, feeds
from inforadar.store.types import unindexed

_f, _s = feeds.c, feed_schedules.c
_is_waiting = and_(_f.last_fetch_status == Outcome.TEMPORARY_ERROR.value, _s.next_run_at.is_not(None))
feed_state = case(
    (~unindexed(_f.enabled), "disabled"),
    (_f.last_fetch_status.is_(None), "new"),
    (and_(_f.last_fetch_status == Outcome.SUCCESS.value, LOSES_ENTRIES), "incomplete"),
    (_f.last_fetch_status == Outcome.SUCCESS.value, "success"),
    (_is_waiting, "waiting"),
    else_="suspended",
).label("state")
"""The name of the state in `views/feed_health.py`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedFilter:
    state: str | None = None
    source: str | None = None
    text: str | None = None
    """Part of the title, source, topic or URL, ignoring case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    feeds: tuple[Feed, ...]
    next: FeedId | None
    """The `before` of the next page."""
    is_partial: bool = False
    """The limit of feeds to scan was reached: the page may be short although another one follows."""


MAX_SCANNED_FEEDS = 100_000
"""Maximum number of feeds scanned for one page: a rare match among a million must not take long."""


def load_feed_page(
    connection: Connection,
    wanted: FeedFilter,
    *,
    limit: int,
    before: FeedId | None = None,
    max_scanned: int = MAX_SCANNED_FEEDS,
) -> FeedPage:
    query = select_feeds().where(_f.deleted_at.is_(None), *_conditions(connection, wanted))
    floor = None
    if wanted.state or wanted.text:
        floor = connection.execute(
            _before(select(_f.id), before).order_by(_f.id.desc()).offset(max_scanned - 1).limit(1)
        ).scalar()
    if floor is not None:
        query = query.where(_f.id >= floor)
    rows = connection.execute(_before(query, before).order_by(_f.id.desc()).limit(limit + 1)).all()
    found = tuple(feed_from_row(row) for row in rows[:limit])
    if len(rows) > limit:
        return FeedPage(feeds=found, next=found[-1].id)
    return FeedPage(feeds=found, next=floor, is_partial=floor is not None)


def load_deleted_feeds(connection: Connection, *, limit: int, before: FeedId | None = None) -> FeedPage:
    """Load deleted feeds, those deleted last first; `before` is the last one of the previous page."""
    query = select_feeds().where(_f.deleted_at.is_not(None))
    if before is not None:
        last = select(_f.deleted_at).where(_f.id == before).scalar_subquery()
        query = query.where(or_(_f.deleted_at < last, and_(_f.deleted_at == last, _f.id < before)))
    rows = connection.execute(query.order_by(_f.deleted_at.desc(), _f.id.desc()).limit(limit + 1)).all()
    found = tuple(feed_from_row(row) for row in rows[:limit])
    return FeedPage(feeds=found, next=found[-1].id if len(rows) > limit else None)


def _before(query: Select[Any], feed_id: FeedId | None) -> Select[Any]:
    return query if feed_id is None else query.where(_f.id < feed_id)


def _conditions(connection: Connection, wanted: FeedFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.state:
        conditions.append(feed_state == wanted.state)
    if wanted.source:
        conditions.append(is_named(_f.source, known_names(connection, _f.source, [wanted.source])))
    if wanted.text:
        columns = (_f.options["title"].as_string(), _f.title, _f.source, _f.topic, _f.url)
        conditions.append(or_(*(column.icontains(wanted.text, autoescape=True) for column in columns)))
    return conditions


def count_feeds_by_state(connection: Connection) -> Mapping[str, int]:
    """{state: feeds}, without deleted feeds. Read from indexes, which are a tenth of the rows' size."""
    status = _f.last_fetch_status
    kept = _f.deleted_at.is_(None)
    query = select(_f.enabled, status, func.count().label("number")).where(kept).group_by(_f.enabled, status)
    counts = Counter[str]()
    for row in connection.execute(query):
        counts[_state_without_schedule(row.enabled, row.last_fetch_status)] += row.number
    # Only for these does the schedule decide: without a next run they are suspended.
    given_up = (
        select(func.count())
        .join_from(feeds, feed_schedules, _s.id == _f.id)
        .where(kept, _f.enabled, status == Outcome.TEMPORARY_ERROR.value, _s.next_run_at.is_(None))
    )
    number = connection.execute(given_up).scalar_one()
    losing = select(func.count()).where(
        kept, _f.enabled, status == Outcome.SUCCESS.value, HAS_WARNINGS, LOSES_ENTRIES
    )
    incomplete = connection.execute(losing).scalar_one()
    counts.update({"waiting": -number, "suspended": number, "success": -incomplete, "incomplete": incomplete})
    return {state: number for state, number in counts.items() if number}


def _state_without_schedule(enabled: bool, status: str | None) -> str:
    if not enabled:
        return "disabled"
    words = {None: "new", Outcome.SUCCESS.value: "success", Outcome.TEMPORARY_ERROR.value: "waiting"}
    return words.get(status, "suspended")
