"""Rebuild everything in Redis from the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inforadar.errors import UsageError

if TYPE_CHECKING:
    from inforadar.store.redis.projection import RedisProjection


async def rebuild_redis(projection: RedisProjection | None) -> dict[str, int]:
    """Rebuild Redis; return how many links, articles and failures were written. Refused without Redis (None)."""
    if projection is None:
        raise UsageError("Redis is not configured. Set REDIS_URL.")
    return await projection.rebuild()
