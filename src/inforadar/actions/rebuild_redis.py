"""Write everything that Redis shows again from the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inforadar.errors import UsageError

if TYPE_CHECKING:
    from inforadar.store.redis.projection import RedisProjection


async def rebuild_redis(projection: RedisProjection | None) -> dict[str, int]:
    """Returns how many links, articles and failures were written. `None`: no Redis is configured."""
    if projection is None:
        raise UsageError("There is no Redis to rebuild: set REDIS_URL.")
    return await projection.rebuild()
