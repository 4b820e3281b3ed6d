"""Unread items of a person by feed, from maintained counters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, and_, func, select

from inforadar.model.ids import FeedId
from inforadar.model.person import PersonId
from inforadar.store.feeds.hidden import sees_feed
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.counters import feed_counts, person_feed_counts
from inforadar.store.schema.feeds import feeds


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadFeed:
    feed_id: FeedId
    topic: str
    unread: int
    newest_at: datetime


def load_unread_feeds(connection: Connection, person_id: PersonId) -> list[UnreadFeed]:
    """Load the number of unread items of each feed that the person sees and that has items."""
    return [
        UnreadFeed(feed_id=row.id, topic=row.topic, unread=max(0, row.unread), newest_at=row.newest_at)
        for row in connection.execute(select_unread(person_id))
    ]


def select_unread(person_id: PersonId) -> Select[Any]:
    """Select feed, topic, number of unread items (below 0 if the counters are off) and time of the newest one."""
    read = and_(
        person_feed_counts.c.feed_id == feeds.c.id,
        person_feed_counts.c.person_id == person_id,
    )
    return (
        select(
            feeds.c.id,
            feeds.c.topic,
            (feed_counts.c["items"] - func.coalesce(person_feed_counts.c.read, 0)).label("unread"),
            feed_counts.c.newest_at,
        )
        .join_from(feed_counts, feeds, feeds.c.id == feed_counts.c.feed_id)
        .join(person_feed_counts, read, isouter=True)
        .where(*ACTIVE, *sees_feed(person_id))
    )
