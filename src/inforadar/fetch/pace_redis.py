"""Slots in Redis, for workers on many machines: one round trip for many hosts, timed by Redis's clock.

A busy host is a key that expires when the host is free, so there is nothing to clean up:

    inforadar:slot:<host>    a request is in progress, or the host's delay is running
    inforadar:pause:<host>   the host asked for a pause
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

MAX_KEY_TTL_MS = 8 * 86_400_000
"""No slot or pause lasts this long: a key with more time left was written while Redis's clock was wrong; ignore it."""

_TIME_LEFT_LUA = f"""
local function left(key)
    local ms = redis.call('PTTL', key)
    if ms > {MAX_KEY_TTL_MS} then return 0 end
    return math.max(ms, 0)
end
"""

_RESERVE_LUA = f"""{_TIME_LEFT_LUA}
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

_PAUSE_LUA = f"""{_TIME_LEFT_LUA}
if left(KEYS[1]) < tonumber(ARGV[1]) then
    redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[1])
end
return 0
"""


@asynccontextmanager
async def open_redis_slots(
    url: str, *, reserve: Reserve, free: Free, pause: Pause
) -> AsyncIterator[RedisSlots]:
    """Open the slots in Redis; while Redis is unavailable, use the functions passed in."""
    redis = Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2)
    try:
        yield RedisSlots(redis, reserve=reserve, free=free, pause=pause)
    finally:
        await redis.aclose()


class RedisSlots:
    """The functions for a `SharedPacer`. While Redis is unavailable, the database takes over."""

    def __init__(self, redis: Redis, *, reserve: Reserve, free: Free, pause: Pause) -> None:
        self._redis = redis
        self._reserve = redis.register_script(_RESERVE_LUA)
        self._pause = redis.register_script(_PAUSE_LUA)
        self._fallback_reserve = reserve
        self._fallback_free = free
        self._fallback_pause = pause

    async def reserve(self, hosts: Sequence[str], hold_s: float) -> Mapping[str, tuple[float, float]]:
        """Take the free slots; see `pace.Reserve`."""
        keys = [key for host in hosts for key in (_slot_key(host), _pause_key(host))]
        try:
            waits = await self._reserve(keys=keys, args=[_milliseconds(hold_s)])
        except RedisError as fault:
            log.warning("redis.away", error=str(fault), standing_in="database")
            return await self._fallback_reserve(hosts, hold_s)
        slots, pauses = waits[::2], waits[1::2]
        return {
            host: (slot / 1000, pause / 1000) for host, slot, pause in zip(hosts, slots, pauses, strict=True)
        }

    async def free(self, delays: Mapping[str, float]) -> None:
        """Free each host after its delay; see `pace.Free`."""
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                for host, delay_s in delays.items():
                    pipeline.set(_slot_key(host), "1", px=_milliseconds(delay_s))
                await pipeline.execute()
        except RedisError:
            await self._fallback_free(delays)

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        """Pause the host; an existing longer pause stays."""
        # In the database too: every worker reads the pauses from there at the start of a cycle.
        await self._fallback_pause(host, seconds, reason)
        try:
            await self._pause(keys=[_pause_key(host)], args=[_milliseconds(seconds), reason[:200]])
        except RedisError as fault:
            log.warning("redis.away", error=str(fault), standing_in="database")


def _slot_key(host: str) -> str:
    return f"inforadar:slot:{host}"


def _pause_key(host: str) -> str:
    return f"inforadar:pause:{host}"


def _milliseconds(seconds: float) -> int:
    return max(math.ceil(seconds * 1000), 1)
