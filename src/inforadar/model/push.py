"""Push by WebSub: a hub tells us that a feed has something new, so that it is polled less (N6).

A push is a hint to fetch the feed, never content. Everything that a hub says is checked against what we asked for, and
what it promises is believed only as long as it keeps happening.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.ids import FeedId

MAX_HUBS = 5


class PushState(StrEnum):
    """How far the subscription of a feed is."""

    WANTED = "wanted"
    """A hub is to be asked."""
    ASKED = "asked"
    """The hub was asked, and has not verified that it was us."""
    ACTIVE = "active"
    FAILED = "failed"
    """The hub refused or did not answer; it is asked again later."""


class CallbackState(StrEnum):
    """The state of an address for pushes."""

    ASKED = "asked"
    ACTIVE = "active"
    LEAVING = "leaving"
    """Replaced by a newer one; the hub is told to forget it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HubLinks:
    """The hubs that a feed names, and the topic by which they know it."""

    hubs: tuple[str, ...] = ()
    topic: str | None = None
    """None: the feed's own address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PushSubscription:
    """The subscription of a feed, as people see it."""

    feed_id: FeedId
    hub: str
    topic: str
    state: PushState
    lease_until: datetime | None
    verified_at: datetime | None
    pushed_at: datetime | None
    """The last push with a valid signature."""
    push_count: int
    hits: int
    """Fetches in a row that found something after a push, since a poll last found what no push had told."""
    misses: int
    """Polls that found what no push had told."""
    missed_at: datetime | None
    error: str | None
    """Why the last attempt failed."""
    due_at: datetime | None
    """When a hub is asked next."""

    def is_alive(self, now: datetime) -> bool:
        """Whether push has proven itself, so that polling can be relaxed."""
        has_lease = self.lease_until is not None and self.lease_until > now
        return has_lease and self.hits >= hits_needed(self.misses)


def hits_needed(misses: int) -> int:
    """How many pushes in a row prove that push works: two at first, twice as many after each miss."""
    return int(2 ** min(1 + misses, 6))
