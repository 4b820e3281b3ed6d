"""Poll a feed as usual again, once its push cannot be relied on."""

from __future__ import annotations

import random

from sqlalchemy import Connection, update

from inforadar.model.ids import FeedId
from inforadar.model.rhythm import PollReason
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.types import db_later

SPREAD_S = 1800.0
"""Feeds of one hub lose their push together; their polls are spread over this time."""


def tighten_polling(connection: Connection, feed_id: FeedId) -> None:
    """Poll a feed soon whose polling was relaxed; another feed's schedule stays."""
    s = feed_schedules.c
    soon = db_later(60.0 + SPREAD_S * random.random())
    connection.execute(
        update(feed_schedules)
        .where(
            s.id == feed_id, s.reason == PollReason.PUSH.value, s.next_run_at > soon, s.lease_token.is_(None)
        )
        .values(next_run_at=soon)
    )
