"""Streams of items as reader apps ask for them: by when items were added, page by page from a key.

The key of a page is the id of its last item, so nothing is lost or repeated while items arrive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, ScalarSelect, and_, false, or_, select

from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId, ItemId
from inforadar.model.item_number import hex_id_range, number_of_id
from inforadar.model.person import PersonId
from inforadar.store.feeds.hidden import sees_feed
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.feeds.rows import feed_from_row, select_feeds
from inforadar.store.items.search_terms import item_matches
from inforadar.store.people.unread import load_unread_feeds
from inforadar.store.rows import JsonRows
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.people import hidden_feeds, mark_labels, marks
from inforadar.store.schema.stories import story_items
from inforadar.store.types import StoredId, one_of, stored_form, unindexed

_other, _their_feed = items.alias("other"), feeds.alias("their_feed")
_told, _before = story_items.alias("told"), story_items.alias("before")
FEW_FEEDS = 50
"""With more feeds than these, the newest items of all are checked for their feed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A set of items of a person: all that is given must hold."""

    person_id: PersonId
    feed_ids: tuple[FeedId, ...] | None = None
    """None: all feeds that the person sees."""
    is_read: bool | None = None
    is_starred: bool | None = None
    label: str | None = None
    """Items that the person labelled, or that are in `feed_ids`, or that have `words`: a label may be all of these."""
    words: str | None = None
    by_story: bool = False
    """Of the items that tell of one event only the first one, which stands for all."""
    first_id: UUID | None = None
    """Only items with this id or a higher one."""
    end_id: UUID | None = None
    """Only items with lower ids."""


def load_visible_feeds(connection: Connection, person_id: PersonId) -> list[Feed]:
    """Load the active feeds that the person does not hide."""
    query = select_feeds().where(*ACTIVE, *sees_feed(person_id)).order_by(feeds.c.id)
    return [feed_from_row(row) for row in connection.execute(query)]


def load_stream_numbers(
    connection: Connection, stream: Stream, *, after: UUID | None, newest_first: bool, limit: int
) -> list[int]:
    """Load the numbers of a page's items, in order; `after` is an id of the previous page's last number."""
    columns = (stored_form(items.c.id),)
    rows = _load_page(connection, stream, columns, after, newest_first=newest_first, limit=limit)
    return [stored_number(row[0]) for row in rows]


def stored_number(stored: StoredId) -> int:
    """The number of an item by its stored id."""
    return number_of_id(int(stored, 16) if isinstance(stored, str) else stored.int)


def load_stream_urls(
    connection: Connection, stream: Stream, after: UUID | None, limit: int
) -> list[tuple[ItemId, str]]:
    """Load ids and URLs of a page, oldest first; `after` is the last id of the previous page."""
    rows = _load_page(connection, stream, (items.c.id, items.c.url), after, newest_first=False, limit=limit)
    return [(row[0], row[1]) for row in rows]


def _load_page(
    connection: Connection,
    stream: Stream,
    columns: Sequence[ColumnElement[Any]],
    after: UUID | None,
    *,
    newest_first: bool,
    limit: int,
) -> Sequence[Any]:
    if stream.feed_ids == () and stream.label is None and stream.words is None:
        return []
    if stream.is_read is False:
        limit = min(limit, _count_unread(connection, stream))
    if limit <= 0:
        return []
    conditions = [*ACTIVE, *sees_feed(stream.person_id), *_conditions(stream)]
    if after is not None:
        conditions.append(items.c.id < after if newest_first else items.c.id > after)
    order = items.c.id.desc() if newest_first else items.c.id.asc()
    query = select(*columns).join_from(items, feeds, feeds.c.id == items.c.feed_id).where(*conditions)
    return connection.execute(query.order_by(order).limit(limit)).all()


def load_numbered_ids(connection: Connection, numbers: Sequence[int]) -> list[StoredId]:
    """Load the stored ids of the items with these numbers, in the order of the numbers."""
    asked = [(place, *hex_id_range(number)) for place, number in enumerate(numbers)]
    # Without the feeds: a planner may start with these, and compare all their items with all numbers.
    rows = connection.execute(_FIND_NUMBERED, _asked.parameters(asked)).all()
    return [id_ for _, id_ in sorted((row[0], row[1]) for row in rows)]


def load_numbered_urls(connection: Connection, person_id: PersonId, numbers: Sequence[int]) -> list[str]:
    """Load the URLs of those of the items with these numbers that the person sees."""
    conditions = (one_of(items.c.id, load_numbered_ids(connection, numbers)), *ACTIVE, *sees_feed(person_id))
    query = select(items.c.url).join_from(items, feeds, feeds.c.id == items.c.feed_id)
    return list(connection.execute(query.where(*conditions)).scalars())


_asked = JsonRows("asked", place="integer", low="uuid", high="uuid")
_FIND_NUMBERED = select(_asked.c["place"], stored_form(items.c.id)).join_from(
    _asked.table, items, and_(items.c.id >= _asked.c["low"], items.c.id <= _asked.c["high"])
)


def _conditions(stream: Stream) -> list[ColumnElement[bool]]:
    mine = marks.c.person_id == stream.person_id
    conditions: list[ColumnElement[bool]] = []
    members: list[ColumnElement[bool]] = []
    if stream.feed_ids is not None:
        members.append(_in_feeds(stream.feed_ids))
    if stream.label is not None:
        own = (mark_labels.c.person_id == stream.person_id, mark_labels.c.label == stream.label)
        members.append(items.c.url.in_(select(mark_labels.c.url).where(*own)))
    if stream.words is not None:
        members.append(item_matches(stream.words, stream.person_id))
    if members:
        conditions.append(or_(*members) if len(members) > 1 else members[0])
    if stream.is_read is not None:
        read = select(marks.c.hash).where(mine, marks.c.hash == items.c.hash, marks.c.read_at.is_not(None))
        conditions.append(read.exists() if stream.is_read else ~read.exists())
    if stream.is_starred is not None:
        starred = select(marks.c.url).where(mine, marks.c.starred_at.is_not(None))
        in_stars = items.c.url.in_(starred)
        conditions.append(in_stars if stream.is_starred else ~in_stars)
    if stream.by_story:
        conditions.append(_told_before(stream.person_id).is_(None))
    if stream.first_id is not None:
        conditions.append(items.c.id >= stream.first_id)
    if stream.end_id is not None:
        conditions.append(items.c.id < stream.end_id)
    return conditions


def _told_before(person_id: PersonId) -> ScalarSelect[ItemId]:
    """An item of the same story that was told before, in a feed that the person sees.

    The first one stands for a story, in all streams: an app that has it must not see it again under another number.
    """
    hidden = select(hidden_feeds.c.feed_id).where(
        hidden_feeds.c.person_id == person_id, hidden_feeds.c.feed_id == _their_feed.c.id
    )
    return (
        select(_before.c.item_id)
        .join_from(_told, _before, _before.c.story_id == _told.c.story_id)
        .join(_other, _other.c.id == _before.c.item_id)
        .join(_their_feed, _their_feed.c.id == unindexed(_other.c.feed_id))
        .where(
            _told.c.item_id == items.c.id,
            _before.c.at <= _told.c.at,
            or_(_before.c.at < _told.c.at, _before.c.item_id < _told.c.item_id),
            _their_feed.c.enabled,
            _their_feed.c.deleted_at.is_(None),
            ~hidden.exists(),
        )
        .limit(1)
        .correlate(items)
        .scalar_subquery()
    )


def _in_feeds(feed_ids: tuple[FeedId, ...]) -> ColumnElement[bool]:
    if not feed_ids:
        return false()
    if len(feed_ids) == 1:
        return items.c.feed_id == feed_ids[0]
    return one_of(items.c.feed_id if len(feed_ids) <= FEW_FEEDS else unindexed(items.c.feed_id), feed_ids)


def _count_unread(connection: Connection, stream: Stream) -> int:
    """How many unread items the stream has at most, from the counters: when they are found, nothing else is read."""
    chosen = None if stream.feed_ids is None or stream.label or stream.words else set(stream.feed_ids)
    return sum(
        feed.unread
        for feed in load_unread_feeds(connection, stream.person_id)
        if chosen is None or feed.feed_id in chosen
    )
