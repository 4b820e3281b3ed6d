"""The responses by status and duration, for `/metrics`: counted by each process, summed over all of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_STATUSES = 1000
_MICROSECONDS_AT = _STATUSES + len(BUCKETS_S) + 1
CELLS = _MICROSECONDS_AT + 1
"""64-bit numbers that a process needs: one for each status, one for each bucket, and the sum of all times."""


class AnswerCounts:
    """Counts in the cells of this process and reads those of all."""

    def __init__(self, cells: Sequence[memoryview] | None = None, own: int = 0) -> None:
        self._all = [memoryview(bytearray(CELLS * 8)).cast("Q")] if cells is None else cells
        self._own = self._all[own]

    def add(self, status: int, took_s: float) -> None:
        """Count a response."""
        self._own[status] += 1
        self._own[_STATUSES + bisect_left(BUCKETS_S, took_s)] += 1
        self._own[_MICROSECONDS_AT] += round(took_s * 1e6)

    @property
    def statuses(self) -> dict[int, int]:
        """How many responses had each status; those that had none are left out."""
        totals = {status: sum(cells[status] for cells in self._all) for status in range(_STATUSES)}
        return {status: number for status, number in totals.items() if number}

    @property
    def buckets(self) -> list[int]:
        """How many responses took up to each time of `BUCKETS_S`, and longer than the last."""
        return [sum(cells[at] for cells in self._all) for at in range(_STATUSES, _MICROSECONDS_AT)]

    @property
    def total_s(self) -> float:
        return sum(cells[_MICROSECONDS_AT] for cells in self._all) / 1e6
