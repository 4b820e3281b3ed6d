"""Lists of feeds that stay fast with a million feeds.

A truncated list shows the feeds added last: ids begin with the time, so the primary key gives the order, and only
the rows shown are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, func, or_, select

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.store.feeds.label_match import is_named, known_names
from inforadar.store.feeds.labels import LISTED, by_name
from inforadar.store.feeds.rows import LOSES_ENTRIES, feed_from_row, select_feeds
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.types import unindexed

_f, _s = feeds.c, feed_schedules.c
_kept = _f.deleted_at.is_(None)
_is_temporary = _f.last_fetch_status == Outcome.TEMPORARY_ERROR.value
_errors = _f.last_fetch_status.in_([outcome.value for outcome in Outcome if outcome is not Outcome.SUCCESS])
_STATES: Mapping[str, ColumnElement[bool]] = {
    "new": and_(_f.enabled, _f.last_fetch_status.is_(None)),
    # Nearly all feeds are in this state: the index would only add a sort.
    "success": and_(unindexed(_f.enabled), _f.last_fetch_status == Outcome.SUCCESS.value, ~LOSES_ENTRIES),
    "incomplete": and_(_f.enabled, _f.last_fetch_status == Outcome.SUCCESS.value, LOSES_ENTRIES),
    "waiting": and_(_f.enabled, _is_temporary, _s.next_run_at.is_not(None)),
    "suspended": and_(_f.enabled, _errors, or_(~_is_temporary, _s.next_run_at.is_(None))),
    "disabled": ~_f.enabled,
}
"""Conditions by the names of states in `views/feed_health.py`."""
_STATES_BEST_FIRST = ("success", "new", "incomplete", "waiting", "suspended")


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedList:
    feeds: tuple[Feed, ...]
    more: int
    """How many were left off."""


def list_feeds(
    connection: Connection,
    *,
    sources: Sequence[str] = (),
    topics: Sequence[str] = (),
    state: str | None = None,
    limit: int | None = None,
) -> FeedList:
    """List the feeds added last, sorted by source, topic and URL."""
    wanted = _conditions(connection, sources, topics, state)
    newest = select(_f.id).join_from(feeds, feed_schedules, _s.id == _f.id).where(*wanted)
    if limit is not None:
        newest = newest.order_by(_f.id.desc()).limit(limit)
    order = (func.lower(_f.source), func.lower(_f.topic), _f.url)
    shown = select_feeds().where(_f.id.in_(newest.subquery().select())).order_by(*order)
    found = tuple(feed_from_row(row) for row in connection.execute(shown))
    more = 0
    if limit is not None and len(found) == limit:
        counted = select(func.count()).select_from(feeds).where(*wanted)
        if state:
            counted = counted.join(feed_schedules, _s.id == _f.id)
        more = connection.execute(counted).scalar_one() - limit
    return FeedList(feeds=found, more=more)


def load_feeds_after(
    connection: Connection,
    after: FeedId | None,
    *,
    sources: Sequence[str] = (),
    topics: Sequence[str] = (),
    limit: int,
    newest_first: bool = False,
) -> list[Feed]:
    """Load a page of feeds in the order in which they were added; `after` is the last id of the previous page."""
    query = select_feeds().where(*_conditions(connection, sources, topics, None))
    if after is not None:
        query = query.where(_f.id < after if newest_first else _f.id > after)
    query = query.order_by(_f.id.desc() if newest_first else _f.id)
    return [feed_from_row(row) for row in connection.execute(query.limit(limit))]


def count_feeds(connection: Connection, sources: Sequence[str] = (), topics: Sequence[str] = ()) -> int:
    """Count the feeds of a list."""
    query = select(func.count()).select_from(feeds).where(*_conditions(connection, sources, topics, None))
    return connection.execute(query).scalar_one()


def _conditions(
    connection: Connection, sources: Sequence[str], topics: Sequence[str], state: str | None
) -> list[ColumnElement[bool]]:
    wanted: list[ColumnElement[bool]] = [_kept]
    if sources:
        wanted.append(is_named(_f.source, known_names(connection, _f.source, sources)))
    if topics:
        wanted.append(is_named(_f.topic, known_names(connection, _f.topic, topics)))
    if state:
        wanted.append(_STATES[state])
    return wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelState:
    """A source and one of its topics; `worst` is the worst state among its feeds."""

    source: str
    topic: str
    feeds: int
    worst: str


def load_label_states(connection: Connection, *, limit: int) -> list[LabelState]:
    """Load the state of each label of active feeds, by source and topic; the same labels as `load_labels`."""
    # A subquery, evaluated only for feeds with such an error: a join would look up a million schedules.
    is_waiting = select(_s.next_run_at.is_not(None)).where(_s.id == _f.id).scalar_subquery()
    badness = case(
        (and_(_f.last_fetch_status == Outcome.SUCCESS.value, LOSES_ENTRIES), 2),
        (_f.last_fetch_status == Outcome.SUCCESS.value, 0),
        (_f.last_fetch_status.is_(None), 1),
        (~_is_temporary, 4),
        (is_waiting, 3),
        else_=4,
    )
    query = (
        select(_f.source, _f.topic, func.count().label("number"), func.max(badness).label("badness"))
        .where(*LISTED)
        .group_by(_f.source, _f.topic)
        .order_by(_f.source, _f.topic)
        .limit(limit)
    )
    found = [
        LabelState(
            source=row.source, topic=row.topic, feeds=row.number, worst=_STATES_BEST_FIRST[row.badness]
        )
        for row in connection.execute(query)
    ]
    return sorted(found, key=lambda label: by_name(label.source, label.topic))
