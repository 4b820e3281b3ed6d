"""The sidebar of a person's list: the feeds with their unread items and state, and how much there is in all."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, func, literal, select

from inforadar.model.feed_options import parse_options
from inforadar.model.ids import FeedId
from inforadar.model.person import PersonId
from inforadar.store.feeds.hidden import sees_feed
from inforadar.store.feeds.labels import LISTED
from inforadar.store.feeds.pages import feed_state
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.counters import feed_counts, person_feed_counts
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.people import marks

MAX_SIDE_FEEDS = 300
"""Nobody looks for a feed in a longer list; the feeds page has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFeed:
    id: FeedId
    name: str
    source: str
    topic: str
    state: str
    """The name of its state in `views/feed_health.py`."""
    unread: int
    own_title: str | None = None
    """The title that a person gave it; then it is also the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How many items there are. An item that several feeds list counts for each of them."""

    all: int
    unread: int
    starred: int
    archived: int


def load_side_feeds(
    connection: Connection, person_id: PersonId | None, *, limit: int = MAX_SIDE_FEEDS + 1
) -> list[SideFeed]:
    """Load the first feeds by source that the person sees. Nobody has read anything, and is shown no numbers."""
    read = and_(
        person_feed_counts.c.feed_id == feeds.c.id,
        person_feed_counts.c.person_id == person_id,
    )
    unread: ColumnElement[int] = literal(0)
    if person_id is not None:
        unread = func.coalesce(feed_counts.c["items"], 0) - func.coalesce(person_feed_counts.c.read, 0)
    query = (
        select(
            feeds.c.id,
            feeds.c.title,
            feeds.c.source,
            feeds.c.topic,
            feed_state,
            unread.label("unread"),
            feeds.c.options,
        )
        .join_from(feeds, feed_schedules, feed_schedules.c.id == feeds.c.id)
        .join(feed_counts, feed_counts.c.feed_id == feeds.c.id, isouter=True)
        .join(person_feed_counts, read, isouter=True)
        .where(*LISTED, *(sees_feed(person_id) if person_id else ()))
        .order_by(feeds.c.source, feeds.c.topic)
        .limit(limit)
    )
    return [
        SideFeed(
            id=row.id,
            name=own_title or row.title or row.source,
            source=row.source,
            topic=row.topic,
            state=row.state,
            unread=max(row.unread, 0),
            own_title=own_title,
        )
        for row in connection.execute(query).all()
        for own_title in (parse_options(row.options).title,)
    ]


def load_totals(connection: Connection, person_id: PersonId) -> Totals:
    """Count from the counters of feeds, and from the few marks."""
    read = and_(
        person_feed_counts.c.feed_id == feeds.c.id,
        person_feed_counts.c.person_id == person_id,
    )
    items = feed_counts.c["items"]
    unread = items - func.coalesce(person_feed_counts.c.read, 0)
    sums = (
        select(func.coalesce(func.sum(items), 0), func.coalesce(func.sum(unread), 0))
        .join_from(feed_counts, feeds, feeds.c.id == feed_counts.c.feed_id)
        .join(person_feed_counts, read, isouter=True)
        .where(*ACTIVE, *sees_feed(person_id))
    )
    in_all, to_read = connection.execute(sums).one()
    mine = marks.c.person_id == person_id
    starred, archived = (
        connection.execute(
            select(func.count()).select_from(marks).where(mine, mark.is_not(None))
        ).scalar_one()
        for mark in (marks.c.starred_at, marks.c.archived_at)
    )
    return Totals(all=int(in_all), unread=max(int(to_read), 0), starred=starred, archived=archived)
