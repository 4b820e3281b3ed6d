"""One load for everybody who asks at the same time.

When a document changes, hundreds of readers notice together. Nothing is kept: the next one to ask afterwards
starts a new load.
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
        """The load of `key` that is running, or a new one. It goes on whether or not anybody waits for it."""
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = asyncio.create_task(load())
            running.add_done_callback(lambda done: self._finish(key, done))
        return running

    async def ask(self, key: K, load: Callable[[], Coroutine[Any, Any, T]]) -> T:
        # A reader who leaves must not cancel the load of the others.
        return await asyncio.shield(self.start(key, load))

    def _finish(self, key: K, done: asyncio.Task[T]) -> None:
        del self._running[key]
        if not done.cancelled():
            # Retrieved even if nobody waits any more: otherwise asyncio would complain about it.
            done.exception()
