"""Many small questions as one: what is asked while the database answers goes to it together, next.

Nobody waits for company, so alone a question is as fast as ever. The busier it gets, the more questions share
the price of one, and the price is nearly the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

MAX_TOGETHER = 500


class Together(Generic[K, T]):
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
        # One that leaves must not take the answer away from the others.
        return await asyncio.shield(future)

    async def _work(self) -> None:
        try:
            while self._waiting:
                keys = list(self._waiting)[:MAX_TOGETHER]
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
                    # Looked at, even if nobody waits any more: else asyncio would complain about it.
                    future.exception()
            if not isinstance(fault, Exception):
                raise
        else:
            for key, future in asked.items():
                if not future.done():
                    future.set_result(found.get(key))
