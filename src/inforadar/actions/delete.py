"""Delete feeds: softly, or for good."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.store.database import Database
from inforadar.store.feeds import delete_feeds


async def delete_feed(database: Database, feed_id: FeedId, at: datetime) -> Feed:
    """Delete a feed softly: it is neither fetched nor served, and `restore_feed` brings it back."""
    return await database.write(delete_feeds.delete_feed, feed_id, at)


async def purge_feeds(database: Database, feed_ids: Sequence[FeedId]) -> None:
    """Delete feeds for good, with their items and all data that only they use."""
    await database.write(delete_feeds.purge_feeds, feed_ids)
