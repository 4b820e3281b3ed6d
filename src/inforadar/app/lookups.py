"""Assembles what looks at a site before it becomes a feed: discovery of its feeds, and preview of its pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inforadar.actions.discover import Discovery
from inforadar.actions.preview import Previewer
from inforadar.app.engine import open_engine
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.pipeline.pool import WorkPool
from inforadar.pipeline.pool_tasks import PoolTasks
from inforadar.pipeline.robots import Robots
from inforadar.store.database import Database


@asynccontextmanager
async def open_discovery(settings: Settings, database: Database) -> AsyncIterator[Discovery]:
    """Open the discovery of a site's feeds."""
    pool = WorkPool(workers=1)
    try:
        async with open_engine(settings, database) as engine:
            parse = PoolTasks(pool).parse_feed
            yield Discovery(engine=engine, parse=parse, user_agent=settings.fetcher.agent)
    finally:
        await pool.close()


@asynccontextmanager
async def open_previewer(
    settings: Settings, database: Database, *, pool: WorkPool | None = None
) -> AsyncIterator[Previewer]:
    """Open the preview of listing pages. A given `pool` is used, and stays open."""
    used = pool or WorkPool(workers=1)
    try:
        async with open_engine(settings, database) as engine:
            agent = settings.fetcher.agent
            robots = Robots(engine=engine, database=database, user_agent=agent, now=utc_now)
            yield Previewer(engine=engine, robots=robots, pool=used, now=utc_now)
    finally:
        if pool is None:
            await used.close()
