"""Short questions to SQLite are answered one after the other, long ones side by side.

SQLite's driver gives up the interpreter's lock with every row. Threads that read at once take it from each other row by
row, and their questions together cost up to twice the CPU that they cost in turn. So a question waits until the one
before it has ended, unless that one takes long: then others no longer wait for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

SLOW_READ_S = 0.02
"""A question that runs longer than this no longer holds up the others."""


class ReadTurns:
    """Hands out one turn at a time, in order. A turn ends with its question, or when that has proved slow."""

    def __init__(self) -> None:
        self._is_taken = False
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        if self._is_taken:
            await self._wait()
        self._is_taken = True
        has_ended = False

        def end() -> None:
            nonlocal has_ended
            if not has_ended:
                has_ended = True
                self._pass_on()

        timer = asyncio.get_running_loop().call_later(SLOW_READ_S, end)
        try:
            yield
        finally:
            timer.cancel()
            end()

    async def _wait(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                # It was this one's turn already.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the turn to the next that still waits. It stays taken, so that nobody who comes meanwhile is faster."""
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                return
        self._is_taken = False
