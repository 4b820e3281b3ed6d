"""Update a feed's counts with its new items."""

from __future__ import annotations

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
    recent, long_run, shaped = (
        _added(count, rhythm.counted_at, came, counted_at, half_life_s)
        for count, half_life_s in (
            (rhythm.recent, RATE_HALF_LIFE_S),
            (rhythm.long_run, LONG_RUN_HALF_LIFE_S),
            (rhythm.shaped, SHAPE_HALF_LIFE_S),
        )
    )
    faded = decay(counted_at - rhythm.counted_at, SHAPE_HALF_LIFE_S)
    hours, days, minutes, gaps, expected = (
        [count * faded for count in counts]
        for counts in (rhythm.hours, rhythm.days, rhythm.minutes, rhythm.gaps, rhythm.expected)
    )
    before = Forecast(rhythm, counted_at, zone)
    quiet = decay(counted_at - rhythm.counted_at, LATELY_HALF_LIFE_S)
    lately = rhythm.lately * quiet + sum(decay(counted_at - time, LATELY_HALF_LIFE_S) for time in came)
    lately_expected = rhythm.lately_expected * quiet + before.expected_lately(rhythm.counted_at)
    for time in came:
        weight = decay(counted_at - time, SHAPE_HALF_LIFE_S)
        local = int(time + offset(time))
        hours[local // 3600 % HOURS] += weight
        days[(local // 86400 + 3) % DAYS] += weight
        minutes[local % 3600 * MINUTE_BINS // 3600] += weight
    _add_gaps(gaps, expected, rhythm.last_at, came, before)
    return msgspec.structs.replace(
        rhythm,
        counted_at=counted_at,
        recent=recent,
        long_run=long_run,
        lately=round(lately, _DIGITS),
        lately_expected=round(lately_expected, _DIGITS),
        shaped=shaped,
        hours=_rounded(hours),
        days=_rounded(days),
        minutes=_rounded(minutes),
        gaps=_rounded(gaps),
        expected=_rounded(expected),
        last_at=max(came[-1], rhythm.last_at or 0.0),
    )


def _added(count: float, counted_at: float, came: Sequence[float], until: float, half_life_s: float) -> float:
    total = count * decay(until - counted_at, half_life_s)
    return round(total + sum(decay(until - time, half_life_s) for time in came), _DIGITS)


def _add_gaps(
    gaps: list[float], expected: list[float], last_at: float | None, came: Sequence[float], forecast: Forecast
) -> None:
    """Count each gap in its bin, and in every bin that it passed through the items that were to be expected there."""
    between = forecast.expected_between()
    for time in came:
        if last_at is not None and time >= last_at:
            weight = decay(forecast.now - time, SHAPE_HALF_LIFE_S)
            last_bin = bisect_right(GAP_EDGES_S, time - last_at)
            gaps[last_bin] += weight
            start = last_at
            for number in range(last_bin):
                edge = last_at + GAP_EDGES_S[number]
                expected[number] += weight * between(start, edge)
                start = edge
            expected[last_bin] += weight * between(start, time)
        last_at = time if last_at is None else max(last_at, time)


def _rounded(counts: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(count, _DIGITS) for count in counts)
