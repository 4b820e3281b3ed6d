"""Restore a deleted feed."""

from __future__ import annotations

from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.store.database import Database
from inforadar.store.feeds import delete_feeds


async def restore_feed(database: Database, feed_id: FeedId) -> Feed:
    """Restore a deleted feed exactly as it was, with its schedule and its items."""
    return await database.write(delete_feeds.restore_feed, feed_id)
