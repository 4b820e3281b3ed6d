"""Credentials: request headers that a feed needs, stored separately and never shown (X8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import Connection, select

from inforadar.model.ids import FeedId
from inforadar.store.schema.feeds import feed_credentials
from inforadar.store.types import one_of


def has_credentials(connection: Connection, feed_id: FeedId) -> bool:
    return (
        connection.execute(select(feed_credentials.c.id).where(feed_credentials.c.id == feed_id)).first()
        is not None
    )


def load_ids_with_credentials(connection: Connection, feed_ids: Collection[FeedId]) -> set[FeedId]:
    """Which of these feeds have credentials."""
    query = select(feed_credentials.c.id).where(one_of(feed_credentials.c.id, feed_ids))
    return set(connection.execute(query).scalars())


def load_credentials(connection: Connection) -> dict[FeedId, Mapping[str, str]]:
    """Load the credentials of all feeds that have some: few do."""
    return {row.id: row.headers for row in connection.execute(select(feed_credentials))}
