"""Many small questions as one: keys asked for while the database answers go to it together, next.

No key waits for company, so a single question is as fast as ever. The busier it gets, the more keys share one
question, which costs nearly the same. Unlike `SingleFlight`, a key is never answered by a question that was asked
before it: a reader who has just changed something sees the change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

MAX_BATCH_KEYS = 500


class Batcher(Generic[K, T]):
    """Answers by key; a key that the answer leaves out has none."""

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
        # A reader who leaves must not take the answer away from the others.
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
                    # Retrieved even if nobody waits any more: otherwise asyncio would complain about it.
                    future.exception()
            if not isinstance(fault, Exception):
                raise
        else:
            for key, future in asked.items():
                if not future.done():
                    future.set_result(found.get(key))
