"""Say that a feed is fine: its alerts are not told until a time."""

from __future__ import annotations

from datetime import datetime

from inforadar.model.ids import FeedId
from inforadar.store.database import Database
from inforadar.store.rules.save_alerts import silence_feed


async def silence_alerts(database: Database, feed_id: FeedId, until: datetime | None) -> None:
    """Be quiet about a feed until then; None ends that."""
    await database.write(silence_feed, feed_id, until)
