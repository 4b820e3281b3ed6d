"""Short questions wait for each other, so that many readers at once cost no more than the same readers in turn.

    SQLite       its driver gives up the interpreter's lock with every row; threads that read at once take it from each
                 other row by row, and cost up to twice the CPU. So one reads at a time
    PostgreSQL   when all kept connections are busy, another one would be opened and closed for a single question, which
                 costs ten times as much as the question. So no more read at a time than there are kept connections

A question that takes long keeps nobody waiting: it gives up its turn.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class ReadTurns:
    """Hands out `places` turns, in order. A turn ends with its question, or after `slow_s`."""

    def __init__(self, places: int, slow_s: float) -> None:
        self._free = places
        self._slow_s = slow_s
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        if self._free:
            self._free -= 1
        else:
            await self._wait()
        has_ended = False

        def end() -> None:
            nonlocal has_ended
            if not has_ended:
                has_ended = True
                self._pass_on()

        timer = asyncio.get_running_loop().call_later(self._slow_s, end)
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
                # It had got its turn already.
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Give the place to the next that still waits, so that nobody who comes meanwhile is faster."""
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(None)
                return
        self._free += 1
