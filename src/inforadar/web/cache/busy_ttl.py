"""How long an answer is kept, by how much is asked.

With few readers everybody sees news at once, and making an answer for each costs nothing that is missed. With hundreds
of requests a second the same answers are made again and again; then they are kept some seconds longer.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from time import monotonic

SECONDS_PER_RATE = 0.2
"""Each request per second keeps answers this much longer."""
MAX_TTL_S = 15.0
MEMORY_S = 3.0
"""The rate is that of about the last seconds."""


class BusyTtl:
    """A TTL between `least_s` and `MAX_TTL_S`. Tell it of each request by `count`."""

    def __init__(self, least_s: float, clock: Callable[[], float] = monotonic) -> None:
        self._least_s = least_s
        self._clock = clock
        self._rate = 0.0
        self._counted_at = clock()

    def count(self) -> None:
        self._rate = self._current_rate() + 1 / MEMORY_S
        self._counted_at = self._clock()

    def seconds(self) -> float:
        return max(self._least_s, min(self._current_rate() * SECONDS_PER_RATE, MAX_TTL_S))

    def _current_rate(self) -> float:
        """The requests per second, remembered less the longer ago they were."""
        return self._rate * exp((self._counted_at - self._clock()) / MEMORY_S)
