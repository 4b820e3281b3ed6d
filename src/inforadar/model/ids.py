"""Ids of rows.

Items and feeds have UUIDs that grow with time (version 7), so that the primary key's index is written only at its
end; with random ids each insert would touch another page of it.
"""

from __future__ import annotations

import os
import time
from array import array
from typing import NewType
from uuid import UUID

from inforadar.urls import Uid, UrlHash

__all__ = ["FeedId", "ItemId", "LeaseToken", "RunId", "Uid", "UrlHash", "new_uuid", "new_uuids", "short_id"]

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
    return new_uuids(1)[0]


def new_uuids(number: int) -> list[UUID]:
    """Make many ids at once, in ascending order: from now on one for each 4096th of a millisecond.

    Their random bits take one system call: the call for each cost more than all the rest.
    """
    now = time.time_ns() * 4096 // 1_000_000
    words = array("Q", os.urandom(number * 8))
    return [_uuid7(ticks, random >> 2) for ticks, random in enumerate(words, now)]


def _uuid7(ticks: int, random: int) -> UUID:
    milliseconds, fraction = divmod(ticks, 4096)
    return UUID(int=(milliseconds << 80) | (0x7 << 76) | (fraction << 64) | (0x2 << 62) | random)


def short_id(value: object) -> str:
    """Return the end of an id. Ids start with the time, so those of one import all start the same."""
    return str(value)[-8:]
