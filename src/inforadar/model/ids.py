"""Ids: what a row is called by.

Items and feeds are UUIDs that grow with time (version 7), so that the primary key's index is written at
one end only; with random ones each insert would touch another page of it.
"""

from __future__ import annotations

import os
import time
from typing import NewType
from uuid import UUID

from inforadar.urls import Uid, UrlHash

__all__ = ["FeedId", "ItemId", "LeaseToken", "RunId", "Uid", "UrlHash", "new_uuid"]

FeedId = NewType("FeedId", UUID)
ItemId = NewType("ItemId", UUID)
RunId = NewType("RunId", UUID)
LeaseToken = NewType("LeaseToken", str)
"""Proves that its holder still has the right to commit."""


def new_uuid() -> UUID:
    """A UUID of version 7: 48 bits of milliseconds, then random ones."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds << 80) | random
    value = value & ~(0xF << 76) | (0x7 << 76)
    value = value & ~(0x3 << 62) | (0x2 << 62)
    return UUID(int=value)
