"""The limit on requests and tokens per minute, shared by all analyzers of a process.

It counts the last sixty seconds instead of filling a bucket: vendors count that way, and a full bucket lets twice the
limit through in its first minute.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

WINDOW_S = 60.0


@dataclass(slots=True)
class Admission:
    """One request in the window; its tokens are an estimate until `RateLimiter.settle`."""

    at: float
    tokens: int


class RateLimiter:
    """Lets requests through in the order they came. 0 means no limit."""

    def __init__(
        self,
        *,
        requests: int = 0,
        tokens: int = 0,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._requests = requests
        self._tokens = tokens
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._sleep = sleep
        self._window: deque[Admission] = deque()
        self._turn = asyncio.Lock()

    async def admit(self, tokens: int) -> Admission:
        """Wait until a request of about that many tokens may be sent."""
        async with self._turn:
            while (wait_s := self._wait_s(tokens)) > 0:
                await self._sleep(wait_s)
            admission = Admission(self._clock(), tokens)
            self._window.append(admission)
            return admission

    def settle(self, admission: Admission, tokens: int) -> None:
        """Record how many tokens a request really used."""
        admission.tokens = tokens

    def _wait_s(self, tokens: int) -> float:
        now = self._clock()
        while self._window and self._window[0].at <= now - WINDOW_S:
            self._window.popleft()
        # A request larger than the whole limit is let through when it is alone, or it would wait forever.
        too_many = 0 < self._requests <= len(self._window)
        used = sum(admission.tokens for admission in self._window)
        too_much = 0 < self._tokens < used + tokens and bool(self._window)
        return self._window[0].at + WINDOW_S - now if too_many or too_much else 0.0
