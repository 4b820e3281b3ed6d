"""Opens Redis, if it is configured, and names the extra that it needs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.errors import ConfigError
from inforadar.store.database import Database

if TYPE_CHECKING:
    from inforadar.store.redis.projection import RedisProjection


@asynccontextmanager
async def open_redis(
    settings: Settings, database: Database, *, now: Callable[[], datetime] = utc_now
) -> AsyncIterator[RedisProjection | None]:
    """Open the projection of the database into Redis; None if Redis is not configured."""
    if settings.redis.url is None:
        yield None
        return
    with needs_redis_extra():
        from inforadar.store.redis.projection import open_projection  # noqa: PLC0415 - an extra
    async with open_projection(settings.redis.url.get_secret_value(), database, now=now) as projection:
        yield projection


@contextmanager
def needs_redis_extra() -> Iterator[None]:
    """Say which extra to install if an import inside the block fails."""
    try:
        yield
    except ModuleNotFoundError:
        raise ConfigError("REDIS_URL needs the extra: pip install 'inforadar[redis]'.") from None
