"""One load shared by everybody who asks at the same time.

When a document changes, hundreds of readers notice together. The result is not kept: the next request after the load
starts a new one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class SingleFlight(Generic[K, T]):
    def __init__(self) -> None:
        self._running: dict[K, asyncio.Task[T]] = {}

    def start(self, key: K, load: Callable[[], Coroutine[Any, Any, T]]) -> asyncio.Task[T]:
        """Return the running load of `key`, or start one. It continues even if nobody waits for it."""
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = asyncio.create_task(load())
            running.add_done_callback(lambda done: self._finish(key, done))
        return running

    async def ask(self, key: K, load: Callable[[], Coroutine[Any, Any, T]]) -> T:
        # A reader who disconnects must not cancel the load for the others.
        return await asyncio.shield(self.start(key, load))

    def _finish(self, key: K, done: asyncio.Task[T]) -> None:
        del self._running[key]
        if not done.cancelled():
            # Marked as retrieved, or asyncio warns if nobody is waiting any more.
            done.exception()
