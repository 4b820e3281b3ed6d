"""Assembles the actions that ask a site on request: discovery of feeds, preview of pages, correction of dates."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inforadar.actions.discover import Discovery
from inforadar.actions.preview import Previewer
from inforadar.actions.redate import Redater
from inforadar.app.collectors import CollectorParts, make_pages_collector
from inforadar.app.engine import open_engine
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.pipeline.collect.jobs import WalkLimits
from inforadar.pipeline.pool import WorkPool
from inforadar.pipeline.pool_tasks import PoolTasks
from inforadar.pipeline.robots import Robots
from inforadar.stages.discover.pages.walk import Depth
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


@asynccontextmanager
async def open_redater(settings: Settings, database: Database) -> AsyncIterator[Redater]:
    """Open the correction of stored dates."""
    pool = WorkPool(workers=1)
    try:
        async with open_engine(settings, database) as engine:
            robots = Robots(engine=engine, database=database, user_agent=settings.fetcher.agent, now=utc_now)
            pages = make_pages_collector(
                CollectorParts(
                    settings=settings,
                    database=database,
                    engine=engine,
                    robots=robots,
                    pool=pool,
                    now=utc_now,
                )
            )
            tasks = PoolTasks(pool)
            yield Redater(
                database=database,
                engine=engine,
                robots=robots,
                parse=tasks.parse_feed,
                read_page=tasks.read_page,
                plan_walk=lambda feed: pages.plan_walk(feed, WalkLimits(depth=Depth.WINDOW)),
                max_sitemap_bytes=int(settings.sitemap.max_file_size_mb * 2**20),
                request_timeout_s=settings.fetcher.request_timeout,
                now=utc_now,
            )
    finally:
        await pool.close()
