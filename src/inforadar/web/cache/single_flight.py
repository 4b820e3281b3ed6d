"""What several ask at the same time is asked once: when a document changes, hundreds of readers notice together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


class SingleFlight(Generic[K, T]):
    """Whoever comes while a question is being answered waits for that answer."""

    def __init__(self) -> None:
        self._running: dict[K, asyncio.Future[T]] = {}

    async def ask(self, key: K, question: Callable[[], Awaitable[T]]) -> T:
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = asyncio.ensure_future(question())
            running.add_done_callback(lambda done: self._finish(key, done))
        # One that leaves must not take the answer away from the others.
        return await asyncio.shield(running)

    def _finish(self, key: K, done: asyncio.Future[T]) -> None:
        del self._running[key]
        if not done.cancelled():
            # Looked at, even if nobody waits any more: else asyncio would complain about it.
            done.exception()
