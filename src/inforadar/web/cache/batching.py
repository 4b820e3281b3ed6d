"""Merge many small queries into one: keys requested while a query runs are loaded together by the next one.

No key waits for others, so a single lookup stays fast. Under load more keys share one query, which costs nearly the
same. Unlike `SingleFlight`, a key is never answered by a query that started before the key was requested: a reader
who has just changed something sees the change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

MAX_BATCH_KEYS = 500


class Batcher(Generic[K, T]):
    """Loads values by key; a key missing from the result has no value."""

    def __init__(self, ask: Callable[[Sequence[K]], Awaitable[Mapping[K, T]]]) -> None:
        self._ask = ask
        self._waiting: dict[K, asyncio.Future[T | None]] = {}
        self._running: asyncio.Task[None] | None = None

    async def get(self, key: K) -> T | None:
        future = self._waiting.get(key)
        if future is None:
            future = self._waiting[key] = asyncio.get_running_loop().create_future()
        if self._running is None:
            self._running = asyncio.create_task(self._work())
        # A reader who disconnects must not cancel the answer for the others.
        return await asyncio.shield(future)

    async def _work(self) -> None:
        try:
            while self._waiting:
                keys = list(self._waiting)[:MAX_BATCH_KEYS]
                asked = {key: self._waiting.pop(key) for key in keys}
                await self._answer(asked)
        finally:
            self._running = None

    async def _answer(self, asked: Mapping[K, asyncio.Future[T | None]]) -> None:
        try:
            found = await self._ask(list(asked))
        except BaseException as fault:
            for future in asked.values():
                if not future.done():
                    future.set_exception(fault)
                    # Marked as retrieved, or asyncio warns if nobody is waiting any more.
                    future.exception()
            if not isinstance(fault, Exception):
                raise
        else:
            for key, future in asked.items():
                if not future.done():
                    future.set_result(found.get(key))
