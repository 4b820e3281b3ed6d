"""Whether a feed is silent for longer than its own rhythm makes likely. Pure."""

from __future__ import annotations

import math
from datetime import UTC, tzinfo

from inforadar.model.rhythm import GAP_EDGES_S, Rhythm
from inforadar.stages.rhythm.forecast import Forecast

LIKELY_SHARE = 0.99
"""A gap is unlikely if it is longer than this share of the feed's gaps."""
MIN_ITEMS = 10.0
"""With fewer items than this, nothing is said about a feed's habits."""


def is_unlikely_silence(rhythm: Rhythm, now: float, zone: tzinfo = UTC) -> bool:
    """Whether the time since the last item exceeds the 99th percentile of the feed's gaps.

    Two estimates must agree: the gaps that were counted, and the items to be expected since by rate, hour and day, as
    they were known when the last one came. So neither a weekend nor a feed that posts in bursts is taken for silence.
    """
    last_at = rhythm.last_at
    if last_at is None or rhythm.shaped < MIN_ITEMS or now <= last_at:
        return False
    if now - last_at <= _counted_gap_s(rhythm):
        return False
    until = Forecast(rhythm, rhythm.counted_at, zone).expected_until()
    before, after = until([last_at, now])
    return after - before > -math.log(1 - LIKELY_SHARE)


def _counted_gap_s(rhythm: Rhythm) -> float:
    """The end of the bin that the 99th percentile of the counted gaps is in."""
    total = sum(rhythm.gaps)
    if not total:
        return math.inf
    below = 0.0
    for count, edge in zip(rhythm.gaps, GAP_EDGES_S, strict=False):
        below += count
        if below >= LIKELY_SHARE * total:
            return float(edge)
    return 2 * float(GAP_EDGES_S[-1])
