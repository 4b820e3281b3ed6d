"""Circuit breaker: after an endpoint has failed repeatedly, it is not asked for a while.

The hard part is telling whose fault a failure was: one article can make a server fail, and an outage makes every
article fail. Here an item is blamed only if the endpoint had answered right before. So an outage costs one item one
attempt, however long it lasts, and an article that always fails is still given up in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from inforadar.stages.analyze.base import AnalysisFailed, FailureKind

OUTAGE_FAILURES = 3
"""How many failures of the endpoint in a row count as an outage."""
FIRST_PAUSE_S = 60.0
MAX_PAUSE_S = 1_800.0
REJECTED_PAUSE_S = 900.0
"""Pause after a rejection. Only a person can fix the cause; checking whether someone did costs little."""
MAX_RETRY_AFTER_S = 86_400.0

REFUSALS = frozenset({FailureKind.RATE_LIMITED, FailureKind.REJECTED})
"""Failures by which the endpoint itself asks for no more requests: one is enough for a pause."""
ENDPOINT_FAILURES = frozenset({FailureKind.OUTAGE, FailureKind.TIMEOUT, FailureKind.BAD_REQUEST, *REFUSALS})
"""Failures that may be the endpoint's fault. Any other kind means that it answered."""


class Breaker:
    """Decides when to ask one endpoint and model."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._in_a_row = 0
        self._pauses = 0
        self._answers = False
        self._until: datetime | None = None
        self.reason = ""

    @property
    def pause_s(self) -> float:
        """Seconds until the endpoint may be asked again; 0 means now."""
        return max((self._until - self._now()).total_seconds(), 0.0) if self._until else 0.0

    def answered(self) -> None:
        self._in_a_row = self._pauses = 0
        self._answers = True
        self._until = None

    def failed(self, failure: AnalysisFailed) -> bool:
        """Count the failure; return True if the item is to blame."""
        if failure.kind not in ENDPOINT_FAILURES:
            self.answered()
            return True
        to_blame = self._answers and failure.kind not in REFUSALS
        self._answers = False
        self._in_a_row += 1
        if failure.kind in REFUSALS or self._in_a_row >= OUTAGE_FAILURES:
            self._pause(failure)
        return to_blame

    def _pause(self, failure: AnalysisFailed) -> None:
        if self.pause_s > 0:
            # Requests that were in flight when the pause began fail too; that is no reason to lengthen it.
            return
        pause_s = min(FIRST_PAUSE_S * 2.0 ** min(self._pauses, 10), MAX_PAUSE_S)
        if failure.kind is FailureKind.REJECTED:
            pause_s = REJECTED_PAUSE_S
        if failure.retry_after_s:
            asked_s = min(failure.retry_after_s, MAX_RETRY_AFTER_S)
            # The first time, the endpoint's own delay is used; if it fails again after that, the pause grows.
            pause_s = max(asked_s, pause_s) if self._pauses else asked_s
        self._pauses += 1
        self._until = self._now() + timedelta(seconds=pause_s)
        self.reason = f"{failure.kind.value}: {failure.message}"
