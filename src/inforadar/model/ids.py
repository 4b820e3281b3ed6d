"""Ids of rows.

Items and feeds have UUIDs that grow with time (version 7), so that the primary key's index is written only at its
end; with random ids each insert would touch another page of it.
"""

from __future__ import annotations

import os
import time
from typing import NewType
from uuid import UUID

from inforadar.urls import Uid, UrlHash

__all__ = ["FeedId", "ItemId", "LeaseToken", "RunId", "Uid", "UrlHash", "new_uuid", "short_id"]

FeedId = NewType("FeedId", UUID)
ItemId = NewType("ItemId", UUID)
RunId = NewType("RunId", UUID)
StoryId = NewType("StoryId", UUID)
LeaseToken = NewType("LeaseToken", str)
"""Proves that its holder still has the lease and may commit."""


def new_uuid() -> UUID:
    """Make a UUID of version 7: 48 bits of milliseconds, 12 bits of their fraction, then random bits.

    Because of the fraction, ids made one after the other by one process are in that order.
    """
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = rest * 4096 // 1_000_000
    random = int.from_bytes(os.urandom(8), "big") >> 2
    return UUID(int=(milliseconds << 80) | (0x7 << 76) | (fraction << 64) | (0x2 << 62) | random)


def short_id(value: object) -> str:
    """Return the end of an id. Ids start with the time, so those of one import all start the same."""
    return str(value)[-8:]
