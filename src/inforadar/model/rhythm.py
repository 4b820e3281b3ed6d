"""The rhythm of a feed: small counts of when it posts, from which its next poll is planned (Q1).

The counts forget: each new item first shrinks the older ones, so they stay small and follow a feed that changes.
Nothing is written while a feed posts nothing, because the time that passed is known from `counted_at`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from inforadar.model.hints import NO_HINTS, ScheduleHints

HOURS, DAYS, MINUTE_BINS = 24, 7, 6
GAP_EDGES_S = tuple(600.0 * 2**power for power in range(10))
"""Upper edges of the bins of gaps between two items: 10 minutes to 85 hours; one more bin is open."""
GAP_BINS = len(GAP_EDGES_S) + 1


class PollingMode(StrEnum):
    ADAPTIVE = "adaptive"
    """Each feed is polled when it is expected to post."""
    FIXED = "fixed"
    """Every feed is polled at the same interval."""


class PollReason(StrEnum):
    """Why a feed runs next at its time: whichever asked for the longest wait."""

    PLAN = "plan"
    """The feed's rhythm."""
    INTERVAL = "interval"
    """The fixed interval."""
    MINIMUM = "minimum"
    """The minimum interval between two polls."""
    FRESHNESS = "freshness"
    """`max-age` or `Expires` of the response."""
    TTL = "ttl"
    UPDATE_PERIOD = "update_period"
    """`sy:updatePeriod` and `sy:updateFrequency`."""
    SKIPPED_TIME = "skipped_time"
    """`skipHours` or `skipDays`."""
    UNCHANGED = "unchanged"
    """The server sends the whole document again and again, and it has not changed for a long time."""
    ERROR = "error"
    """The last fetch failed."""
    PUSH = "push"
    """A hub pushes what is new, so polling is only a check."""
    PUSHED = "pushed"
    """A push announced something that was not there yet."""


class Rhythm(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """When a feed posts, as decayed counts; stored as JSON. Times are seconds since 1970, hours are the feed's own."""

    since: float
    """The start of the observation: the first item, or the first fetch."""
    counted_at: float
    """The time to which all counts are decayed."""
    recent: float = 0.0
    """Items, with the short half-life of the rate."""
    long_run: float = 0.0
    """Items, with a half-life of a year: the rhythm that a quiet feed returns to."""
    lately: float = 0.0
    """Items, with a half-life of hours: today may be busier than usual."""
    lately_expected: float = 0.0
    """How many items the rate, hour and day alone would have put there."""
    shaped: float = 0.0
    """Items, with the half-life of the four shapes that follow."""
    hours: tuple[float, ...] = (0.0,) * HOURS
    """Items by hour of the day."""
    days: tuple[float, ...] = (0.0,) * DAYS
    """Items by day of the week, Monday first."""
    minutes: tuple[float, ...] = (0.0,) * MINUTE_BINS
    """Items by part of the hour: many publishers post on the hour."""
    gaps: tuple[float, ...] = (0.0,) * GAP_BINS
    """Items by the time since the item before."""
    expected: tuple[float, ...] = (0.0,) * GAP_BINS
    """How many items the other counts alone would have put into each of these gaps."""
    last_at: float | None = None
    """The newest item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PollLimits:
    """Limits for a feed's next poll: decided with the response, before its new items are known."""

    at_least_s: float
    """Seconds until the next poll that our minimum, the server and the feed ask for."""
    reason: PollReason
    """Which of them asks for that many."""
    hints: ScheduleHints = NO_HINTS
    """Its hours and days to skip."""
    cost: float = 1.0
    """How many times as much as usual a request costs: a whole document costs more than a 304."""
    is_first: bool = False
    """The feed was fetched for the first time, perhaps together with many others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Polling:
    """The plan of a feed's polls, as stored with its schedule."""

    polls_per_day: float
    items_per_day: float
    expected_delay_s: float
    """Mean delay of the items that are expected before the next poll."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delays:
    """How late the new items of a job were seen, and how late they were expected to be: sums over `timed` items."""

    timed: int = 0
    """New items that were posted since the last look; only their delay is ours."""
    delay_s: float = 0.0
    expected_s: float = 0.0


NO_DELAYS = Delays()
