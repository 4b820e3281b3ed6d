"""Schedule and lease: when a feed is due, and who works on it until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from inforadar.model.feed import Feed
from inforadar.model.ids import LeaseToken


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on a feed until `locked_until`; `token` fences the commit."""

    feed: Feed
    token: LeaseToken
    claimed_at: datetime
    locked_until: datetime
