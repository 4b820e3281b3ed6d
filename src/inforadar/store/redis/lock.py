"""The lock for writing the projection: one process at a time, and none that has lost it.

The lock is a key that expires, so a process that dies does not block others for long. Each write is a transaction that
watches the key: a process that slept through its time writes nothing.
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
LOCK_POLL_S = 0.05

RENEWALS = 3
"""How often a lock is renewed in the time that it lives."""

_RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0"
_RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"


class LockLostError(Exception):
    """Another process has taken over writing the projection."""


class HeldLock:
    """Writes only as long as the lock is held."""

    def __init__(self, redis: Redis, token: bytes) -> None:
        self._redis = redis
        self._token = token
        self._renewing = redis.register_script(_RENEW)
        self._turn = asyncio.Lock()

    async def keep(self) -> None:
        """Renew the lock until cancelled: reading what is to be written may take longer than the lock lives."""
        while True:
            await asyncio.sleep(LOCK_MS / 1000 / RENEWALS)
            # A write watches the key: its own renewal would look like another process.
            async with self._turn:
                # If Redis is unreachable now, the next write says so.
                with suppress(RedisError, OSError):
                    await self._renewing(keys=[LOCK], args=[self._token, LOCK_MS])

    async def write(self, fill: Callable[[Pipeline], None]) -> list[str]:
        """Run the commands that `fill` adds, all or none; return Redis's errors about keys of another type."""
        async with self._turn, self._redis.pipeline(transaction=True) as pipeline:
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
            # Another program may have changed a key's type: it stays. Any other error means that the write failed.
            if not (isinstance(error, ResponseError) and str(error).startswith("WRONGTYPE")):
                raise error
        return [str(error) for error in errors]


@asynccontextmanager
async def held_lock(redis: Redis, *, wait_s: float) -> AsyncIterator[HeldLock | None]:
    """Take the lock; yields None if another process has kept it for `wait_s`."""
    token = uuid4().hex
    until = asyncio.get_running_loop().time() + wait_s
    while not await redis.set(LOCK, token, nx=True, px=LOCK_MS):
        if asyncio.get_running_loop().time() >= until:
            yield None
            return
        await asyncio.sleep(LOCK_POLL_S)
    lock = HeldLock(redis, token.encode())
    keeping = asyncio.create_task(lock.keep(), name="redis-lock")
    try:
        yield lock
    finally:
        keeping.cancel()
        await asyncio.wait([keeping])
        # If Redis is unreachable, the lock expires by itself; an error here would hide that the holder was stopped.
        with suppress(RedisError, OSError):
            await redis.register_script(_RELEASE)(keys=[LOCK], args=[token])
