"""A process for work that needs much memory now and then: it starts with the first task and ends when idle.

The sentence encoder takes 150 MB. The process that holds it is let go after a while without work.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from inforadar.pipeline.pool import WorkPool

T = TypeVar("T")

IDLE_S = 300.0


class IdlePool:
    """Runs tasks in a pool that is made when it is needed and closed when it is not."""

    def __init__(self, make: Callable[[], WorkPool], *, idle_s: float = IDLE_S) -> None:
        self._make = make
        self._idle_s = idle_s
        self._pool: WorkPool | None = None
        self._running = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @property
    def is_open(self) -> bool:
        """Whether there is a process, or will be as soon as a task runs."""
        return self._pool is not None

    async def run(self, function: Callable[..., T], *args: Any, timeout_s: float) -> T:
        """Run a function as `WorkPool.run` does."""
        if self._timer is not None:
            self._timer.cancel()
        self._pool = self._pool or self._make()
        self._running += 1
        try:
            return await self._pool.run(function, *args, timeout_s=timeout_s)
        finally:
            self._running -= 1
            if not self._running:
                self._timer = asyncio.get_running_loop().call_later(self._idle_s, self._let_go)

    def _let_go(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            closing = asyncio.create_task(pool.close())
            self._closing.add(closing)
            closing.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End the process."""
        if self._timer is not None:
            self._timer.cancel()
        self._let_go()
        await asyncio.gather(*self._closing)
