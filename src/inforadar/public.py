"""The Python API that the seeds name, for programs that embed Info Radar.

config = FetcherConfig(fetch_interval=60)
async with FeedFetcherService("sqlite:///news.db", config) as service:
    feed_id = await service.add_feed("https://example.com/feed")
    await service.edit_feed(feed_id, FeedChanges(url="https://example.com/news.xml"))
    await service.fetch_feed_now(feed_id)
    await service.start()

await canonical_fetcher_run_once("sqlite:///news.db")

entries = apply_rss_filters(await fetch_sitemap("https://example.com/sitemap.xml"), {"max_age_days": 7})
state = IncrementalStateManager("rss_incremental.db")
new = await state.detect_new_urls("example", entries)
items = create_rss_items(sort_entries_by_date([entry for entry in entries if entry.url in new]))
xml = generate_rss_xml(items, {"title": "Example"}, sitemap_url="https://example.com/sitemap.xml")
await state.mark_urls_processed("example", new)

Events go to the standard `logging` module: to the `logger` that is given, else to the logger `inforadar`.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from inforadar.actions.edit import edit_feed
from inforadar.actions.subscribe import subscribe
from inforadar.actions.switch import request_feeds
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.embed.logs import Logger, logging_to
from inforadar.embed.site_states import IncrementalStateManager
from inforadar.embed.sitemap_rss import SitemapListing, create_rss_items, generate_rss_xml
from inforadar.embed.sitemap_rss import read_sitemap as _read_sitemap
from inforadar.embed.sitemap_visit import open_sitemap_visit
from inforadar.model.feed import FeedKind
from inforadar.model.ids import FeedId
from inforadar.model.sitemap import IncrementalResult, SitemapEntry, SiteState
from inforadar.model.subscription import EMBEDDED, FeedChanges, WantedFeed
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.worker import Stage, Worker
from inforadar.stages.discover.sitemap.filter import apply_rss_filters, sort_entries_by_date
from inforadar.store.feeds.queries import load_feed
from inforadar.store.leases import claim_feeds
from inforadar.store.sitemaps.state_file import DatabaseCorrupted

__all__ = [
    "DatabaseCorrupted",
    "FeedChanges",
    "FeedFetcherService",
    "FeedKind",
    "FetcherConfig",
    "IncrementalResult",
    "IncrementalStateManager",
    "SiteState",
    "SitemapEntry",
    "SitemapListing",
    "apply_rss_filters",
    "canonical_fetcher_run_once",
    "create_rss_items",
    "fetch_sitemap",
    "generate_rss_xml",
    "read_sitemap",
    "sort_entries_by_date",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherConfig:
    """The nine settings of seed 1. Times are in seconds, the size is in bytes."""

    fetch_interval: float = 300
    success_interval: float = 3600
    worker_count: int = 10
    batch_size: int = 1000
    domain_delay: float = 3
    job_timeout: float = 45
    request_timeout: float = 30
    max_articles_per_feed: int = 100
    max_response_body_size: int = 2 * 2**20


class FeedFetcherService:
    """The background fetcher: the same worker as `inforadar worker`, but only collecting."""

    def __init__(
        self,
        database_url: str,
        config: FetcherConfig | None = None,
        *,
        settings: Settings | None = None,
        logger: Logger | None = None,
    ) -> None:
        """`settings` has everything beyond the nine fields: allowed networks, proxy, error policy."""
        self._settings = _with(settings or load_settings(Path.cwd()), database_url, config or FetcherConfig())
        self._logger = logger
        self._stack = AsyncExitStack()
        self._stop = asyncio.Event()
        self._now: set[asyncio.Task[None]] = set()
        self._worker: Worker | None = None

    async def __aenter__(self) -> Self:
        with logging_to(self._logger):
            database = await self._stack.enter_async_context(open_store(self._settings, upgrade=True))
            stages = frozenset({Stage.COLLECT})
            self._worker = await self._stack.enter_async_context(
                open_worker(self._settings, database, stages=stages)
            )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        for task in self._now:
            task.cancel()
        with logging_to(self._logger):
            await asyncio.gather(*self._now, return_exceptions=True)
            await self._stack.aclose()

    async def start(self) -> None:
        """Collect due feeds, cycle after cycle, until `stop` is called."""
        with logging_to(self._logger):
            await self._open.run(self._stop)

    def stop(self) -> None:
        """End `start`: running requests are cancelled, and nothing is left half-written."""
        self._stop.set()

    async def process_feeds(self) -> CycleResult:
        """Run one cycle over due and requested feeds."""
        with logging_to(self._logger):
            result, _ = await self._open.collecting.claim_and_collect()
        return result

    async def add_feed(
        self,
        url: str,
        *,
        kind: FeedKind | None = None,
        source: str | None = None,
        topic: str | None = None,
        title: str | None = None,
        any_host: bool = False,
    ) -> FeedId:
        """Add a feed that is enabled, polling and fetched now; only items on its own host are kept, unless `any_host`.

        A deleted feed is revived, and an existing one stays as it is.
        """
        wanted = WantedFeed(
            url=url, kind=kind, source=source, topic=topic, title=title, any_host=True if any_host else None
        )
        with logging_to(self._logger):
            added = await subscribe(self._open.database, self._settings.fetcher, wanted, EMBEDDED)
        return added.feed.id

    async def edit_feed(self, feed_id: FeedId, changes: FeedChanges) -> None:
        """Change a feed like `inforadar feed edit`, including its URL, in one transaction."""
        with logging_to(self._logger):
            await edit_feed(self._open.database, self._settings.fetcher, feed_id, changes)

    async def fetch_feed_now(self, feed_id: FeedId) -> None:
        """Fetch a feed now, whatever its schedule; this starts the fetch in the background and returns at once.

        If this process ends first, any worker on the database takes over.
        """
        worker = self._open
        with logging_to(self._logger):
            await worker.database.read(load_feed, feed_id)
            await request_feeds(worker.database, [feed_id])
            task = asyncio.create_task(self._fetch(worker, feed_id))
        self._now.add(task)
        task.add_done_callback(self._now.discard)

    async def _fetch(self, worker: Worker, feed_id: FeedId) -> None:
        """Fetch the feed as soon as its host's turn comes, unless another worker is faster."""
        while leases := await worker.database.write(claim_feeds, [feed_id]):
            result, _ = await worker.collecting.collect_leases(leases)
            if result.next_turn_s is None:
                return
            await asyncio.sleep(result.next_turn_s)
            if (await worker.database.read(load_feed, feed_id)).requested_at is None:
                return

    @property
    def _open(self) -> Worker:
        if self._worker is None:
            raise RuntimeError("use it as `async with FeedFetcherService(…) as service:`")
        return self._worker


async def canonical_fetcher_run_once(
    database_url: str | None = None, *, settings: Settings | None = None, logger: Logger | None = None
) -> dict[str, int]:
    """Fetch the articles of all queued URLs, then return: step 2 of seed 3. Returns at once if none is queued.

    Returns the number of articles by result: `{"success": 12, "FAIL_HTTP": 1}`. Without arguments all settings come
    from the environment and `inforadar.toml`. Several calls may run at the same time: they share the URLs.
    """
    given = settings or load_settings()
    if database_url is not None:
        given = given.replaced(database={"url": database_url})
    with logging_to(logger):
        async with (
            open_store(given) as database,
            open_worker(given, database, stages=frozenset({Stage.CANONICAL})) as worker,
        ):
            return dict(await worker.canonicalizer.run_to_the_end())


async def fetch_sitemap(
    sitemap_url: str,
    *,
    any_host: bool = False,
    settings: Settings | None = None,
    logger: Logger | None = None,
) -> list[SitemapEntry]:
    """Return only the entries of `read_sitemap`; some may be missing."""
    return (await read_sitemap(sitemap_url, any_host=any_host, settings=settings, logger=logger)).entries


async def read_sitemap(
    sitemap_url: str,
    *,
    any_host: bool = False,
    settings: Settings | None = None,
    logger: Logger | None = None,
) -> SitemapListing:
    """Read all entries of a sitemap, following its indexes, at the polite pace kept in the program's own database."""
    given = settings or load_settings()
    limit = int(given.sitemap.max_file_size_mb * 2**20)
    with logging_to(logger):
        async with open_sitemap_visit(given) as visit:
            return await _read_sitemap(sitemap_url, visit.fetch, any_host=any_host, max_bytes=limit)


def _with(settings: Settings, database_url: str, config: FetcherConfig) -> Settings:
    changes = {
        "interval": config.fetch_interval,
        "success_interval": config.success_interval,
        "workers": config.worker_count,
        "batch_size": config.batch_size,
        "domain_delay": config.domain_delay,
        "job_timeout": config.job_timeout,
        "request_timeout": config.request_timeout,
        "max_articles": config.max_articles_per_feed,
        "max_body_size_mb": config.max_response_body_size / 2**20,
    }
    return settings.replaced(database={"url": database_url}, fetcher=changes)
