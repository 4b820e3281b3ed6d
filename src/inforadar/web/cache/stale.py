"""Answers that cost something are given again for a moment, and several who ask at once wait for one of them.

Numbers over all feeds stretch the moment to as long as they took, many times over (`times`): with a thousand feeds they
are as good as live, with a million they are a minute old, and counting never takes more than its small share of the
machine. Whoever asks for one that is dear and old gets the old one at once; the next gets what is counted behind it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from inforadar.errors import InfoRadarError
from inforadar.web.cache.single_flight import SingleFlight

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

DEAR_S = 0.05
"""Nobody waits for an answer that takes longer, if there is an old one."""
MOST_S = 120.0
"""No answer is good for longer; one of twice that age is given to nobody."""
OVER_FEEDS = 50
"""`times` of numbers over all feeds: at most a fiftieth of one core goes into them."""


@dataclass(frozen=True, slots=True)
class _Answer(Generic[T]):
    value: T
    asked_at: float
    took_s: float


class Remembered(Generic[K, T]):
    """The last `most` answers, each for `seconds`, or for `times` as long as it took to find, if that is longer."""

    def __init__(
        self, seconds: float, most: int = 200, *, times: int = 0, clock: Callable[[], float] = monotonic
    ) -> None:
        self._seconds = seconds
        self._times = times
        self._clock = clock
        self._most = most
        self._answers: OrderedDict[K, _Answer[T]] = OrderedDict()
        self._asking: SingleFlight[K, T] = SingleFlight()
        self._behind: dict[K, asyncio.Task[None]] = {}

    async def get(self, key: K, question: Callable[[], Awaitable[T]]) -> T:
        known = self._answers.get(key)
        if known is None:
            return await self._ask(key, question)
        age_s = self._clock() - known.asked_at
        if age_s < max(self._seconds, min(known.took_s * self._times, MOST_S)):
            return known.value
        if not self._times or known.took_s < DEAR_S or age_s > 2 * MOST_S:
            return await self._ask(key, question)
        if key not in self._behind:
            self._behind[key] = asyncio.create_task(self._ask_behind(key, question))
        return known.value

    async def _ask(self, key: K, question: Callable[[], Awaitable[T]]) -> T:
        asked_at = self._clock()
        value = await self._asking.ask(key, question)
        self._answers[key] = _Answer(value, asked_at, self._clock() - asked_at)
        self._answers.move_to_end(key)
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)
        return value

    async def _ask_behind(self, key: K, question: Callable[[], Awaitable[T]]) -> None:
        try:
            # Whoever asks when the old answer is too old to be given is told what is wrong.
            with suppress(InfoRadarError):
                await self._ask(key, question)
        finally:
            del self._behind[key]
