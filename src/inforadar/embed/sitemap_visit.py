"""Fetching sitemaps and pages outside the worker, for flows and programs, assembled from the settings.

Pace, robots.txt and articles are kept in the program's own database, so that a flow and a worker on the same machine
never ask the same host at the same time, nor fetch the same page twice.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from inforadar.app.collectors import CollectorParts, make_canonicalizer
from inforadar.app.engine import open_engine
from inforadar.app.redis import open_redis
from inforadar.app.store import open_store
from inforadar.clock import utc_now
from inforadar.config import Settings
from inforadar.model.http import FetchResult, Request
from inforadar.pipeline.collect.page_titles import Missing, PageTitles, Title
from inforadar.pipeline.polite_visit import Visitor
from inforadar.pipeline.pool import WorkPool
from inforadar.pipeline.robots import Robots
from inforadar.store.database import Database
from inforadar.store.sitemaps.titles import load_page_titles


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapVisit:
    """A visit to one or more sites, one request after the other."""

    database: Database
    visitor: Visitor
    titles: PageTitles

    async def fetch(self, request: Request) -> FetchResult:
        """Fetch in the host's turn, and only where robots.txt allows it."""
        return await self.visitor.fetch(request)

    async def known_titles(self, urls: Sequence[str]) -> dict[str, str]:
        """Titles of pages that were already fetched."""
        return await self.database.read(load_page_titles, urls)

    async def title_of(self, url: str, topic: str = "general") -> Title | Missing:
        return await self.titles.title_of(url, topic, self.visitor)


@asynccontextmanager
async def open_sitemap_visit(settings: Settings) -> AsyncIterator[SitemapVisit]:
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(open_store(settings, upgrade=True))
        projection = await stack.enter_async_context(open_redis(settings, database))
        engine = await stack.enter_async_context(open_engine(settings, database))
        pool = WorkPool(workers=1)
        stack.push_async_callback(pool.close)
        robots = Robots(engine=engine, database=database, user_agent=settings.fetcher.agent, now=utc_now)
        parts = CollectorParts(
            settings=settings,
            database=database,
            engine=engine,
            robots=robots,
            pool=pool,
            now=utc_now,
            projection=projection,
        )
        await engine.pacer.refresh()
        visitor = await stack.enter_async_context(Visitor(engine, robots, "", utc_now))
        yield SitemapVisit(
            database=database, visitor=visitor, titles=PageTitles(canonicalizer=make_canonicalizer(parts))
        )
