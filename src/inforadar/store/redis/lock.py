"""The right to write the projection: one process at a time, and none that lost it.

The lock is a key that expires, so a process that dies holds up nobody for long. Each write is a transaction that
watches the key: one that slept through its time writes nothing, however far it had come.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError, WatchError

if TYPE_CHECKING:
    from inforadar.store.redis.keys import Pipeline

LOCK = "inforadar:projection"
LOCK_MS = 30_000
LOOK_AGAIN_S = 0.05

_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class LockLostError(Exception):
    """Someone else writes the projection by now."""


class HeldLock:
    """Writes as its holder, or not at all."""

    def __init__(self, redis: Redis, token: bytes) -> None:
        self._redis = redis
        self._token = token

    async def write(self, fill: Callable[[Pipeline], None]) -> list[str]:
        """Runs the commands that `fill` adds, all or none; returns what Redis said of keys of another type."""
        async with self._redis.pipeline(transaction=True) as pipeline:
            await pipeline.watch(LOCK)
            if await pipeline.get(LOCK) != self._token:
                raise LockLostError
            pipeline.multi()  # type: ignore[no-untyped-call]
            pipeline.pexpire(LOCK, LOCK_MS)
            fill(pipeline)
            try:
                answers: list[Any] = await pipeline.execute(raise_on_error=False)
            except WatchError:
                raise LockLostError from None
        errors = [answer for answer in answers if isinstance(answer, Exception)]
        for error in errors:
            # A key that another program made into something else stays its; everything else was not written.
            if not (isinstance(error, ResponseError) and str(error).startswith("WRONGTYPE")):
                raise error
        return [str(error) for error in errors]


@asynccontextmanager
async def held_lock(redis: Redis, *, wait_s: float) -> AsyncIterator[HeldLock | None]:
    """The lock, or None if another process kept it for so long."""
    token = uuid4().hex
    until = asyncio.get_running_loop().time() + wait_s
    while not await redis.set(LOCK, token, nx=True, px=LOCK_MS):
        if asyncio.get_running_loop().time() >= until:
            yield None
            return
        await asyncio.sleep(LOOK_AGAIN_S)
    try:
        yield HeldLock(redis, token.encode())
    finally:
        # If Redis is away by now the lock goes by itself; a fault here would hide that the holder was stopped.
        with suppress(RedisError, OSError):
            await redis.register_script(_RELEASE)(keys=[LOCK], args=[token])
