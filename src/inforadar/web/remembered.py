"""Answers that cost something are given again for a moment, and several who ask at once wait for one of them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from inforadar.web.single_flight import SingleFlight

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class Remembered(Generic[K, T]):
    """The last `most` answers, each for so long."""

    def __init__(self, seconds: float, most: int = 200) -> None:
        self._seconds = seconds
        self._most = most
        self._answers: OrderedDict[K, tuple[float, T]] = OrderedDict()
        self._asking: SingleFlight[K, T] = SingleFlight()

    async def get(self, key: K, question: Callable[[], Awaitable[T]]) -> T:
        asked_at = asyncio.get_running_loop().time()
        known = self._answers.get(key)
        if known is not None and asked_at - known[0] < self._seconds:
            return known[1]
        answer = await self._asking.ask(key, question)
        self._answers[key] = (asked_at, answer)
        self._answers.move_to_end(key)
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)
        return answer
