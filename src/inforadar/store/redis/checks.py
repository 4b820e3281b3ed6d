"""Check that Redis answers and is configured so that it loses nothing."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

from redis.exceptions import RedisError

from inforadar.errors import StoreError
from inforadar.store.redis.keys import connect


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisStatus:
    version: str
    took_s: float
    policy: str
    """Its eviction policy when the memory is full."""
    used: int
    limit: int
    """In bytes; 0 means no limit."""


async def check_redis(url: str) -> RedisStatus:
    """Ask Redis for its status. Raises `StoreError` if it does not answer."""
    redis = connect(url)
    try:
        started = perf_counter()
        await redis.ping()
        took_s = perf_counter() - started
        info = await redis.info()
    except (RedisError, OSError) as fault:
        raise StoreError(f"Redis does not answer: {fault}") from None
    finally:
        await redis.aclose()
    return RedisStatus(
        version=str(info.get("valkey_version") or info.get("redis_version", "?")),
        took_s=took_s,
        policy=str(info.get("maxmemory_policy", "noeviction")),
        used=int(info.get("used_memory", 0)),
        limit=int(info.get("maxmemory", 0)),
    )
