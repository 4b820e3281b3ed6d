"""Switch feeds on and off, and request fetches."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.model.subscription import FeedChanges
from inforadar.store.database import Database
from inforadar.store.feeds import changes
from inforadar.store.feeds.edit import save_edit

COOLDOWN_S = 30.0
"""How long a feed rests between two fetches that a person asks for with a button."""


async def switch_feed(
    database: Database, feed_id: FeedId, *, enabled: bool | None = None, polling: bool | None = None
) -> Feed:
    """Turn the named switches on or off; this schedules nothing."""
    named = FeedChanges(
        enabled=UNSET if enabled is None else enabled, polling=UNSET if polling is None else polling
    )
    return (await database.write(save_edit, feed_id, named)).feed


async def sync_feed(database: Database, feed_id: FeedId) -> Feed:
    """Make a feed due now, and revive it if it was suspended. Refused if it is disabled or deleted."""
    return await database.write(changes.sync_feed, feed_id)


async def fetch_soon(database: Database, feed_id: FeedId) -> bool:
    """As `sync_feed`, for a button: pressed twice within `COOLDOWN_S` it is one fetch, and the second returns False."""
    return await database.write(changes.sync_unless_recent, feed_id, COOLDOWN_S)


async def request_feeds(
    database: Database, feed_ids: Sequence[FeedId], *, fallback_s: float | None = None
) -> None:
    """Request a fetch of each feed now (B3); with `fallback_s` also schedule one, in case no worker reacts."""
    await database.write(changes.request_feeds, feed_ids, fallback_s=fallback_s)
