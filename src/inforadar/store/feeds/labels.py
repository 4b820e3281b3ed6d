"""Labels (sources and topics) to filter lists by. Counted over feeds, of which there are far fewer than items.

Unread items are counted over the last days only, for the same reason, and because nobody catches up on older ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Text, bindparam, func, literal_column, select

from inforadar.model.person import PersonId
from inforadar.store.feeds.hidden import sees_feed
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.types import NAME_INDEX_CHARS, db_later


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A source and one of its topics."""

    source: str
    topic: str
    feeds: int


MAX_LABELS = 2000
"""Nobody chooses from a longer list; a label can still be asked for by its name."""
_MAX_LENGTH: ColumnElement[int] = literal_column(str(NAME_INDEX_CHARS))
LISTED = (*ACTIVE, func.length(feeds.c.source) <= _MAX_LENGTH, func.length(feeds.c.topic) <= _MAX_LENGTH)
"""Feeds whose labels are listed. Same condition as the index: labels outside the index are not listed."""


def load_labels(connection: Connection, *, limit: int = MAX_LABELS) -> list[Label]:
    """Load the labels of all active feeds by source and topic; if there are too many, the first by name."""
    query = (
        select(feeds.c.source, feeds.c.topic, func.count().label("number"))
        .where(*LISTED)
        .group_by(feeds.c.source, feeds.c.topic)
        .order_by(feeds.c.source, feeds.c.topic)
        .limit(limit)
    )
    found = [Label(source=row.source, topic=row.topic, feeds=row.number) for row in connection.execute(query)]
    return sorted(found, key=lambda label: by_name(label.source, label.topic))


def by_name(source: str, topic: str) -> tuple[str, ...]:
    """Sort key for people. The databases cut the list off in their own order, that of the index."""
    return source.casefold(), topic.casefold(), source, topic


_ACTIVE_FEED = select(feeds.c.id).where(feeds.c.enabled, feeds.c.deleted_at.is_(None)).limit(1)
_OF_OTHERS = _ACTIVE_FEED.where(feeds.c.origin.is_distinct_from(bindparam("origin", type_=Text)))


def has_only(connection: Connection, origin: str) -> bool:
    """Whether there are active feeds and all of them come from this origin."""
    given = {"origin": origin}
    return connection.execute(_OF_OTHERS, given).first() is None and (
        connection.execute(_ACTIVE_FEED).first() is not None
    )


def load_unread(
    connection: Connection, person_id: PersonId, since: datetime
) -> Mapping[tuple[str, str], int]:
    """Number of items since then that the person has not read, by source and topic."""
    was_read = _marks_of(person_id).where(marks.c.read_at.is_not(None))
    return _sum_by_label(connection, person_id, items.c.pub_date >= since, ~was_read.exists())


UNREAD_DAYS = 14


def _marks_of(person_id: PersonId) -> Select[Any]:
    return select(marks.c.hash).where(marks.c.person_id == person_id, marks.c.hash == items.c.hash)


def load_unread_labels(connection: Connection, person_id: PersonId) -> Mapping[tuple[str, str], int]:
    """Number of unread items of the last two weeks, by source and topic: nobody catches up on older ones."""
    is_done = marks.c.read_at.is_not(None) | marks.c.archived_at.is_not(None)
    done = _marks_of(person_id).where(is_done).exists()
    return _sum_by_label(connection, person_id, items.c.pub_date > db_later(-UNREAD_DAYS * 86400), ~done)


def _sum_by_label(
    connection: Connection, person_id: PersonId, *wanted: ColumnElement[bool]
) -> Mapping[tuple[str, str], int]:
    """Count by feed first: there are fewer feeds than items. Feeds that the person hides count nothing."""
    counted = (
        select(items.c.feed_id, func.count().label("number"))
        .where(*wanted)
        .group_by(items.c.feed_id)
        .subquery()
    )
    query = (
        select(feeds.c.source, feeds.c.topic, func.sum(counted.c.number).label("number"))
        .join_from(feeds, counted, counted.c.feed_id == feeds.c.id)
        .where(*ACTIVE, *sees_feed(person_id))
        .group_by(feeds.c.source, feeds.c.topic)
    )
    return {(row.source, row.topic): int(row.number) for row in connection.execute(query)}
