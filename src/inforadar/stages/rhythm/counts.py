"""Update a feed's counts with its new items."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, tzinfo

import msgspec

from inforadar.model.rhythm import DAYS, GAP_EDGES_S, HOURS, MINUTE_BINS, Rhythm
from inforadar.stages.rhythm.forecast import (
    LATELY_HALF_LIFE_S,
    LONG_RUN_HALF_LIFE_S,
    RATE_HALF_LIFE_S,
    SHAPE_HALF_LIFE_S,
    Forecast,
    Offset,
    decay,
    zone_offset,
)

_PART_ITEMS = 10
_DIGITS = 4
"""Decimals of a stored count: a rhythm then takes a few hundred bytes."""


def learn(rhythm: Rhythm | None, times: Sequence[float], now: float, zone: tzinfo = UTC) -> Rhythm:
    """Add items that came at these times; without a rhythm, start one with them.

    Called without items, it only starts the observation. A long history is added in parts: what was to be expected of a
    part is told by the counts before it, as it is when items come one by one.
    """
    came = sorted(time for time in times if time <= now)
    if rhythm is None:
        start = came[0] if came else now
        rhythm = Rhythm(since=start, counted_at=start)
    offset = zone_offset(zone)
    for first in range(0, len(came), _PART_ITEMS):
        rhythm = _add_part(rhythm, came[first : first + _PART_ITEMS], zone, offset)
    return rhythm


def _add_part(rhythm: Rhythm, came: Sequence[float], zone: tzinfo, offset: Offset) -> Rhythm:
    counted_at = max(came[-1], rhythm.counted_at)
    passed = counted_at - rhythm.counted_at
    ages = [counted_at - time for time in came]
    weights = _decayed(ages, SHAPE_HALF_LIFE_S)
    faded = decay(passed, SHAPE_HALF_LIFE_S)
    hours, days, minutes, gaps, expected = (
        [count * faded for count in counts]
        for counts in (rhythm.hours, rhythm.days, rhythm.minutes, rhythm.gaps, rhythm.expected)
    )
    before = Forecast(rhythm, counted_at, zone)
    lately_expected = rhythm.lately_expected * decay(passed, LATELY_HALF_LIFE_S)
    weighted = list(zip(came, weights, strict=True))
    for time, weight in weighted:
        local = int(time + offset(time))
        hours[local // 3600 % HOURS] += weight
        days[(local // 86400 + 3) % DAYS] += weight
        minutes[local % 3600 * MINUTE_BINS // 3600] += weight
    _add_gaps(gaps, expected, rhythm.last_at, weighted, before)
    return msgspec.structs.replace(
        rhythm,
        counted_at=counted_at,
        recent=_added(rhythm.recent, passed, ages, RATE_HALF_LIFE_S),
        long_run=_added(rhythm.long_run, passed, ages, LONG_RUN_HALF_LIFE_S),
        lately=_added(rhythm.lately, passed, ages, LATELY_HALF_LIFE_S),
        lately_expected=round(lately_expected + before.expected_lately(rhythm.counted_at), _DIGITS),
        shaped=round(rhythm.shaped * faded + sum(weights), _DIGITS),
        hours=_rounded(hours),
        days=_rounded(days),
        minutes=_rounded(minutes),
        gaps=_rounded(gaps),
        expected=_rounded(expected),
        last_at=max(came[-1], rhythm.last_at or 0.0),
    )


def _added(count: float, passed: float, ages: Sequence[float], half_life_s: float) -> float:
    return round(count * decay(passed, half_life_s) + sum(_decayed(ages, half_life_s)), _DIGITS)


def _decayed(ages: Sequence[float], half_life_s: float) -> list[float]:
    """Return the weight left of one item of each age; no age is negative."""
    exp2 = math.exp2
    return [exp2(-age / half_life_s) for age in ages]


def _add_gaps(
    gaps: list[float],
    expected: list[float],
    last_at: float | None,
    came: Sequence[tuple[float, float]],
    forecast: Forecast,
) -> None:
    """Count each gap in its bin, and in every bin that it passed through the items that were to be expected there.

    `came` has the time and weight of each item.
    """
    expected_until = forecast.expected_until()
    for time, weight in came:
        if last_at is not None and time >= last_at:
            last_bin = bisect_right(GAP_EDGES_S, time - last_at)
            gaps[last_bin] += weight
            ends = [last_at, *(last_at + edge for edge in GAP_EDGES_S[:last_bin]), time]
            until = expected_until(ends)
            for number in range(last_bin + 1):
                expected[number] += weight * (until[number + 1] - until[number])
        last_at = time if last_at is None else max(last_at, time)


def _rounded(counts: Sequence[float]) -> tuple[float, ...]:
    return tuple([round(count, _DIGITS) for count in counts])
