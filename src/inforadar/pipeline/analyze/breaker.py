"""Whether an endpoint is worth asking: after failures that are its own, it is left alone for a while.

The hard question is whose fault a failure was. An article can make a server stumble, and an outage makes every article
fail. The answer here: an item is blamed only if the endpoint had answered right before. So an outage costs one item one
attempt, however long it lasts, and an article that always fails still ends among the given-up ones.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from inforadar.stages.analyze.base import AnalysisFailed, FailureKind

IN_A_ROW = 3
"""So many failures of the endpoint, without an answer between them, are an outage."""
FIRST_PAUSE_S = 60.0
LONGEST_PAUSE_S = 1_800.0
REJECTED_PAUSE_S = 900.0
"""Only a person can help there; the check whether one did costs little."""
LONGEST_ASKED_S = 86_400.0

AT_ONCE = frozenset({FailureKind.RATE_LIMITED, FailureKind.REJECTED})
"""The endpoint says itself that it wants no more for now."""
OWN_FAULTS = frozenset({FailureKind.OUTAGE, FailureKind.TIMEOUT, FailureKind.BAD_REQUEST, *AT_ONCE})
"""Kinds that may be the endpoint's; with the others it has answered."""


class Breaker:
    """One for each endpoint and model."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._in_a_row = 0
        self._pauses = 0
        self._answers = False
        self._until: datetime | None = None
        self.reason = ""

    @property
    def pause_s(self) -> float:
        """How long it is still left alone; 0: ask."""
        return max((self._until - self._now()).total_seconds(), 0.0) if self._until else 0.0

    def answered(self) -> None:
        self._in_a_row = self._pauses = 0
        self._answers = True
        self._until = None

    def failed(self, failure: AnalysisFailed) -> bool:
        """Takes note of it. True if the item is to blame."""
        if failure.kind not in OWN_FAULTS:
            self.answered()
            return True
        to_blame = self._answers and failure.kind not in AT_ONCE
        self._answers = False
        self._in_a_row += 1
        if failure.kind in AT_ONCE or self._in_a_row >= IN_A_ROW:
            self._pause(failure)
        return to_blame

    def _pause(self, failure: AnalysisFailed) -> None:
        if self.pause_s > 0:
            # Others that were under way when it began fail too: that makes it no worse.
            return
        pause_s = min(FIRST_PAUSE_S * 2.0 ** min(self._pauses, 10), LONGEST_PAUSE_S)
        if failure.kind is FailureKind.REJECTED:
            pause_s = REJECTED_PAUSE_S
        if failure.retry_after_s:
            asked_s = min(failure.retry_after_s, LONGEST_ASKED_S)
            # Taken at its word the first time; one that fails again after its own delay gets a longer one.
            pause_s = max(asked_s, pause_s) if self._pauses else asked_s
        self._pauses += 1
        self._until = self._now() + timedelta(seconds=pause_s)
        self.reason = f"{failure.kind.value}: {failure.message}"
