"""The expected number of items in each part of the next day, from a feed's counts.

    rate × hour of day × day of week × part of the hour × hazard since the last item × the last hours

Each factor is shrunk towards 1 by a few pseudo-items, so that a feed with little history behaves like an average one,
and the recent rate is shrunk towards the rate of the last year, so that a feed that awakes is polled as it was before.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from itertools import accumulate

from inforadar.model.rhythm import DAYS, GAP_BINS, GAP_EDGES_S, HOURS, MINUTE_BINS, Rhythm

DAY_S = 86400.0
WEEK_S = 7 * DAY_S
RATE_HALF_LIFE_S = 28 * DAY_S
LONG_RUN_HALF_LIFE_S = 365 * DAY_S
SHAPE_HALF_LIFE_S = 84 * DAY_S
"""A weekly pattern needs more weeks to show than a rate, and changes more rarely."""
LATELY_HALF_LIFE_S = DAY_S / 4
MANY_WEEKS_S = 5 * WEEK_S
"""After this time all days of the week and hours of the day were observed about equally long."""
USUAL_RATE = 3 / DAY_S
"""Items per second of a feed about which nothing is known."""
RATE_PSEUDO_ITEMS = 1.0
LONG_RUN_PSEUDO_ITEMS = 0.5
HOUR_PSEUDO_ITEMS = 8.0
DAY_PSEUDO_ITEMS = 6.0
MINUTE_PSEUDO_ITEMS = 12.0
GAP_PSEUDO_ITEMS = 3.0
LATELY_PSEUDO_ITEMS = 3.0
NEIGHBOUR_SHARE = 0.25
"""Each hour passes this share of its items to either neighbour: feeds are not that punctual, and counts are few."""
_MINUTE_BIN_S = 3600.0 / MINUTE_BINS
_WEEK_HOURS = HOURS * DAYS
_EPOCH_WEEKDAY_S = 3 * DAY_S
"""1 January 1970 was a Thursday."""

Offset = Callable[[float], float]
"""Seconds by which the feed's zone is ahead of UTC at a time."""


def zone_offset(zone: tzinfo) -> Offset:
    """The offset of a zone as a function of time."""
    if zone is UTC:
        return _no_offset

    def offset(at: float) -> float:
        shift = zone.utcoffset(datetime.fromtimestamp(at, UTC).astimezone(zone))
        return shift.total_seconds() if shift else 0.0

    return offset


def _no_offset(_: float) -> float:
    return 0.0


def decay(seconds: float, half_life_s: float) -> float:
    """The share of a count that is left after this time."""
    return math.exp2(-max(seconds, 0.0) / half_life_s)


def observed_s(seconds: float, half_life_s: float) -> float:
    """The length of an observation, decayed as its items are."""
    return half_life_s / math.log(2) * (1 - decay(seconds, half_life_s))


class Forecast:
    """A feed's future by its counts. Built once for a job; each question is cheap."""

    def __init__(self, rhythm: Rhythm, now: float, zone: tzinfo = UTC) -> None:
        self.now = now
        self.offset = zone_offset(zone)
        self._rhythm = rhythm
        self.rate = _rate(rhythm, now)
        """Items per second, on average over a week."""
        self._faded = faded = decay(now - rhythm.counted_at, SHAPE_HALF_LIFE_S)
        self._total = total = rhythm.shaped * faded
        seen_s = now - rhythm.since
        hours, days = _smoothed(rhythm.hours), rhythm.days
        self.hours: list[float]
        """How many times as many items as on average come in each hour of the day."""
        if total and 0 < seen_s < MANY_WEEKS_S:
            start = rhythm.since + self.offset(now)
            shares = time_shares(start + _EPOCH_WEEKDAY_S, seen_s, DAYS, DAY_S)
            self.days = _fair_shape(days, shares, faded, total, DAY_PSEUDO_ITEMS)
            shares = _smoothed(time_shares(start, seen_s, HOURS, 3600.0))
            self.hours = _fair_shape(hours, shares, faded, total, HOUR_PSEUDO_ITEMS)
        else:
            self.hours = _shape(hours, faded, total, HOUR_PSEUDO_ITEMS)
            self.days = _shape(days, faded, total, DAY_PSEUDO_ITEMS)

    # Only a plan needs the rest; counting new items does not.

    @cached_property
    def _minutes(self) -> list[float]:
        return _shape(self._rhythm.minutes, self._faded, self._total, MINUTE_PSEUDO_ITEMS)

    @cached_property
    def _hazards(self) -> list[float]:
        rhythm, faded = self._rhythm, self._faded
        return [
            (came * faded + GAP_PSEUDO_ITEMS) / (usual * faded + GAP_PSEUDO_ITEMS)
            for came, usual in zip(rhythm.gaps, rhythm.expected, strict=True)
        ]

    @cached_property
    def lately(self) -> float:
        """How many times as many items as expected came in the last hours."""
        rhythm = self._rhythm
        quiet = decay(self.now - rhythm.counted_at, LATELY_HALF_LIFE_S)
        expected = rhythm.lately_expected * quiet + self.expected_lately(rhythm.counted_at)
        return (rhythm.lately * quiet + LATELY_PSEUDO_ITEMS) / (expected + LATELY_PSEUDO_ITEMS)

    def expected_lately(self, since: float) -> float:
        """The items to be expected between `since` and now by rate, hour and day, those of long ago forgotten."""
        total, now = 0.0, self.now
        end, start = now, max(since, now - 4 * LATELY_HALF_LIFE_S)
        hours, days, shift = self.hours, self.days, self.offset(now)
        exp2 = math.exp2
        while end > start:
            begin = max((end + shift) // 3600 * 3600 - shift, start)
            if begin >= end:
                begin = max(end - 3600, start)
            middle = (begin + end) / 2
            hour = int(middle + shift) // 3600
            usual = hours[hour % HOURS] * days[(hour // 24 + 3) % DAYS]
            total += (end - begin) * usual * exp2((middle - now) / LATELY_HALF_LIFE_S)
            end = begin
        return total * self.rate

    def masses(self, slots: int, slot_s: float) -> list[float]:
        """The expected number of items in each of the next `slots`, if nothing is looked at in between.

        The hazard since the last known item holds as long as no further item came; after one, the average holds.
        """
        hours, days, minutes, hazards = self.hours, self.days, self._minutes, self._hazards
        now, per_slot = self.now, self.rate * slot_s
        last_at = self._rhythm.last_at if self._rhythm.last_at is not None else now - GAP_EDGES_S[-1]
        gap_bin = bisect_right(GAP_EDGES_S, now - last_at)
        edge = last_at + GAP_EDGES_S[gap_bin] if gap_bin < GAP_BINS - 1 else math.inf
        hazard = hazards[gap_bin]
        found: list[float] = []
        still_quiet = 1.0
        busier, fade = self.lately - 1, decay(slot_s, LATELY_HALF_LIFE_S)
        at = now + slot_s / 2
        append, exp = found.append, math.exp
        left = slots
        while left > 0:
            # The slots of one hour have hour, day and zone in common.
            local = at + self.offset(at)
            hour, within = divmod(local, 3600.0)
            hour = int(hour)
            level = per_slot * hours[hour % HOURS] * days[(hour // 24 + 3) % DAYS]
            together = min(math.ceil((3600.0 - within) / slot_s), left)
            left -= together
            for _ in range(together):
                while at >= edge:
                    gap_bin += 1
                    edge = last_at + GAP_EDGES_S[gap_bin] if gap_bin < GAP_BINS - 1 else math.inf
                    hazard = hazards[gap_bin]
                usual = level * minutes[int(within / _MINUTE_BIN_S)] * (1.0 + busier)
                append(usual * (1.0 + still_quiet * (hazard - 1.0)))
                still_quiet *= exp(-usual * hazard)
                busier *= fade
                within += slot_s
                at += slot_s
        return found

    def day_beside(self, seconds: float) -> float:
        """How many times as often a feed is to be polled over a day as over its next `seconds`.

        The best number of polls goes with the square root of the number of items.
        """
        length = round(seconds / 3600)
        if length >= HOURS:
            return 1.0
        hour = int((self.now + self.offset(self.now)) // 3600)
        roots = [
            math.sqrt(self.hours[one % HOURS] * self.days[(one // 24 + 3) % DAYS])
            for one in range(hour, hour + HOURS)
        ]
        return sum(roots) / HOURS / (sum(roots[:length]) / length)

    def expected_until(self) -> Callable[[Sequence[float]], list[float]]:
        """A function of times that gives the items to be expected up to each, by rate, hour and day alone.

        They are counted from a fixed time on, so the items between two times are a difference.
        """
        hours = self.hours
        per_hour = [day * hour for day in self.days for hour in hours]
        before = [0.0, *accumulate(per_hour)]
        week, scale, offset = before[-1], self.rate * 3600, self.offset

        def until(times: Sequence[float]) -> list[float]:
            shift = offset(times[-1]) + _EPOCH_WEEKDAY_S
            found = []
            for time in times:
                weeks, within = divmod((time + shift) / 3600, _WEEK_HOURS)
                hour = int(within)
                found.append(scale * (weeks * week + before[hour] + (within - hour) * per_hour[hour]))
            return found

        return until


def _rate(rhythm: Rhythm, now: float) -> float:
    """Items per second: the recent rate, shrunk towards that of the last year, and that towards the usual one."""
    past, quiet = now - rhythm.since, now - rhythm.counted_at
    long_run = (rhythm.long_run * decay(quiet, LONG_RUN_HALF_LIFE_S) + LONG_RUN_PSEUDO_ITEMS) / (
        observed_s(past, LONG_RUN_HALF_LIFE_S) + LONG_RUN_PSEUDO_ITEMS / USUAL_RATE
    )
    return (rhythm.recent * decay(quiet, RATE_HALF_LIFE_S) + RATE_PSEUDO_ITEMS) / (
        observed_s(past, RATE_HALF_LIFE_S) + RATE_PSEUDO_ITEMS / long_run
    )


def _shape(counts: Sequence[float], faded: float, total: float, pseudo_items: float) -> list[float]:
    """The counts relative to their mean, with the pseudo-items spread evenly over them."""
    scale = faded * len(counts) / (total + pseudo_items)
    least = pseudo_items / (total + pseudo_items)
    return [count * scale + least for count in counts]


def _fair_shape(
    counts: Sequence[float], shares: Sequence[float], faded: float, total: float, pseudo_items: float
) -> list[float]:
    """As `_shape`, relative to the time each was observed for: a Tuesday still to come is not one without items."""
    each = pseudo_items / len(counts)
    return [
        (count * faded + each) / (total * share + each) for count, share in zip(counts, shares, strict=True)
    ]


def time_shares(start: float, seconds: float, bins: int, bin_s: float) -> list[float]:
    """How much of the time from `start` on falls into each bin of a cycle; it sums up to 1."""
    cycles, rest = divmod(seconds, bins * bin_s)
    found = [cycles * bin_s] * bins
    first, within = divmod(start, bin_s)
    number = int(first) % bins
    part = min(bin_s - within, rest)
    found[number] += part
    whole, rest = divmod(rest - part, bin_s)
    for _ in range(int(whole)):
        number = (number + 1) % bins
        found[number] += bin_s
    found[(number + 1) % bins] += rest
    return [one / seconds for one in found]


def _smoothed(hours: Sequence[float]) -> list[float]:
    keep = 1 - 2 * NEIGHBOUR_SHARE
    return [
        keep * hour + NEIGHBOUR_SHARE * (before + after)
        for before, hour, after in zip((hours[-1], *hours[:-1]), hours, (*hours[1:], hours[0]), strict=True)
    ]
