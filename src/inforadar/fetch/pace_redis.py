"""Slots in Redis, for workers on many machines: one round trip for many hosts, Redis's clock decides.

A taken or waiting slot is a key that expires when the host is free, so there is nothing to clean up:

    inforadar:slot:<host>    the host is busy, or its delay still runs
    inforadar:pause:<host>   the host asked for quiet
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from inforadar.fetch.pace import Free, Pause, Reserve

log = structlog.get_logger()

ABSURD_MS = 8 * 86_400_000
"""No host is left alone for so long: a key that stays longer was written while Redis's clock was wrong, and is none."""

_LEFT = f"""
local function left(key)
    local ms = redis.call('PTTL', key)
    if ms > {ABSURD_MS} then return 0 end
    return math.max(ms, 0)
end
"""

_RESERVE = f"""{_LEFT}
local waits = {{}}
for index = 1, #KEYS, 2 do
    local slot = left(KEYS[index])
    local pause = left(KEYS[index + 1])
    if slot == 0 and pause == 0 then
        redis.call('SET', KEYS[index], '1', 'PX', ARGV[1])
    end
    waits[index] = slot
    waits[index + 1] = pause
end
return waits
"""

_PAUSE = f"""{_LEFT}
if left(KEYS[1]) < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
end
return 0
"""


@asynccontextmanager
async def open_redis_slots(
    url: str, *, reserve: Reserve, free: Free, pause: Pause
) -> AsyncIterator[RedisSlots]:
    """Slots in Redis; while it is away, those of the functions given here."""
    redis = Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
    try:
        yield RedisSlots(redis, reserve=reserve, free=free, pause=pause)
    finally:
        await redis.aclose()


class RedisSlots:
    """The functions that a `SharedPacer` is handed. A Redis that is away stops nobody: the database stands in."""

    def __init__(self, redis: Redis, *, reserve: Reserve, free: Free, pause: Pause) -> None:
        self._redis = redis
        self._reserve = redis.register_script(_RESERVE)
        self._pause = redis.register_script(_PAUSE)
        self._stand_in_reserve = reserve
        self._stand_in_free = free
        self._stand_in_pause = pause

    async def reserve(self, hosts: Sequence[str], hold_s: float) -> Mapping[str, tuple[float, float]]:
        """Takes the slots that are free: (0, 0), or the seconds until slot and pause end."""
        keys = [key for host in hosts for key in (_slot(host), _quiet(host))]
        try:
            waits = await self._reserve(keys=keys, args=[_milliseconds(hold_s)])
        except RedisError as fault:
            log.warning("redis.away", error=str(fault), standing_in="database")
            return await self._stand_in_reserve(hosts, hold_s)
        slots, pauses = waits[::2], waits[1::2]
        return {
            host: (slot / 1000, pause / 1000) for host, slot, pause in zip(hosts, slots, pauses, strict=True)
        }

    async def free(self, delays: Mapping[str, float]) -> None:
        """The request to each host has ended: it is free again after so many seconds."""
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                for host, delay_s in delays.items():
                    pipeline.set(_slot(host), "1", px=_milliseconds(delay_s))
                await pipeline.execute()
        except RedisError:
            await self._stand_in_free(delays)

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        """Nobody asks this host for so long; a longer pause that stands already stays."""
        # In the database too: there every worker learns of pauses at the start of a cycle.
        await self._stand_in_pause(host, seconds, reason)
        try:
            await self._pause(keys=[_quiet(host)], args=[_milliseconds(seconds), reason[:200]])
        except RedisError as fault:
            log.warning("redis.away", error=str(fault), standing_in="database")


def _slot(host: str) -> str:
    return f"inforadar:slot:{host}"


def _quiet(host: str) -> str:
    return f"inforadar:pause:{host}"


def _milliseconds(seconds: float) -> int:
    return max(math.ceil(seconds * 1000), 1)
