"""Hints in a feed's document about when to fetch it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleHints:
    """How often a feed asks to be fetched; this can only lengthen the interval (P8)."""

    ttl_s: int | None = None
    skip_hours: frozenset[int] = frozenset()
    """Hours of the day in UTC, 0 to 23."""
    skip_days: frozenset[int] = frozenset()
    """Days of the week, Monday = 0."""
    update_period_s: int | None = None
    """From sy:updatePeriod and sy:updateFrequency."""


NO_HINTS = ScheduleHints()
