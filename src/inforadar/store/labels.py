"""The labels that lists are filtered by. Counted over feeds: there are thousands of them, but millions of items."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from inforadar.store.schema import feeds


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A source and one of its topics."""

    source: str
    topic: str
    feeds: int


def load_labels(connection: Connection) -> list[Label]:
    """Of all feeds whose items are shown, by source and topic."""
    query = (
        select(feeds.c.source, feeds.c.topic, func.count().label("number"))
        .where(feeds.c.enabled, feeds.c.deleted_at.is_(None))
        .group_by(feeds.c.source, feeds.c.topic)
        .order_by(func.lower(feeds.c.source), func.lower(feeds.c.topic), feeds.c.source, feeds.c.topic)
    )
    return [Label(source=row.source, topic=row.topic, feeds=row.number) for row in connection.execute(query)]
