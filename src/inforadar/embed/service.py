"""The service of seed 1 for programs: feeds are added, fetched, read and changed, without the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import UUID

from inforadar.actions import delete, restore
from inforadar.actions.edit import edit_feed
from inforadar.actions.subscribe import subscribe
from inforadar.actions.switch import request_feeds
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.clock import utc_now
from inforadar.config import Settings, load_settings
from inforadar.embed.logs import Logger, logging_to
from inforadar.errors import NotFoundError
from inforadar.model.article import Article
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId
from inforadar.model.item import Item
from inforadar.model.progress import Listener, Progress
from inforadar.model.run import Report
from inforadar.model.subscription import EMBEDDED, FeedChanges, WantedFeed
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.runs.fetch_run import FetchFilter
from inforadar.pipeline.worker import Stage, Worker
from inforadar.store.articles.queries import load_article
from inforadar.store.feeds.queries import load_feed, load_feeds
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.queries import list_items
from inforadar.store.leases import claim_feeds
from inforadar.urls import canonical_form, uid


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
    """The background fetcher: the same worker as `inforadar worker`, but only collecting.

    Use it with `async with`, or construct it and call `start`; what is called first opens it. `close` ends it.
    """

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
        self._opening = asyncio.Lock()
        self._stop = asyncio.Event()
        self._now: set[asyncio.Task[None]] = set()
        self._worker: Worker | None = None

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stop, cancel running fetches, and close the database."""
        self.stop()
        for task in self._now:
            task.cancel()
        with logging_to(self._logger):
            await asyncio.gather(*self._now, return_exceptions=True)
            self._worker = None
            await self._stack.aclose()
        self._stop = asyncio.Event()

    async def start(self) -> None:
        """Collect due feeds, cycle after cycle, until `stop` is called. Whatever it opened it closes."""
        was_open = self._worker is not None
        worker = await self._open()
        try:
            with logging_to(self._logger):
                await worker.run(self._stop)
        finally:
            if not was_open:
                await self.close()

    def stop(self) -> None:
        """End `start`: running requests are cancelled, and nothing is left half-written."""
        self._stop.set()

    async def process_feeds(self) -> CycleResult:
        """Run one cycle over due and requested feeds."""
        worker = await self._open()
        with logging_to(self._logger):
            result, _ = await worker.collecting.claim_and_collect()
        return result

    async def fetch(
        self, listener: Listener | None = None, *, sources: Sequence[str] = (), topics: Sequence[str] = ()
    ) -> Report:
        """Fetch all enabled feeds of these sources and topics like `inforadar fetch`; tell the listener each event."""
        worker = await self._open()
        wanted = FetchFilter(sources=tuple(sources), topics=tuple(topics))
        with logging_to(self._logger):
            return await worker.collecting.fetch_run(listener or _ignore, wanted=wanted).run()

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
        worker = await self._open()
        wanted = WantedFeed(
            url=url, kind=kind, source=source, topic=topic, title=title, any_host=True if any_host else None
        )
        with logging_to(self._logger):
            added = await subscribe(worker.database, self._settings.fetcher, wanted, EMBEDDED)
        return added.feed.id

    async def list_feeds(self, *, sources: Sequence[str] = (), topics: Sequence[str] = ()) -> list[Feed]:
        """List the feeds that are not deleted, by source, topic and URL."""
        worker = await self._open()
        return await worker.database.read(load_feeds, sources=sources, topics=topics)

    async def edit_feed(self, feed_id: FeedId | UUID | str, changes: FeedChanges) -> None:
        """Change a feed like `inforadar feed edit`, including its URL, in one transaction."""
        worker = await self._open()
        with logging_to(self._logger):
            await edit_feed(worker.database, self._settings.fetcher, _feed_id(feed_id), changes)

    async def delete_feed(self, feed_id: FeedId | UUID | str) -> None:
        """Delete a feed; its items are no longer served. `restore_feed` brings it back."""
        worker = await self._open()
        await delete.delete_feed(worker.database, _feed_id(feed_id), utc_now())

    async def restore_feed(self, feed_id: FeedId | UUID | str) -> None:
        """Restore a deleted feed exactly as it was."""
        worker = await self._open()
        await restore.restore_feed(worker.database, _feed_id(feed_id))

    async def list_items(
        self,
        query: str | None = None,
        *,
        sources: Sequence[str] = (),
        topics: Sequence[str] = (),
        limit: int = 50,
        offset: int = 0,
    ) -> list[Item]:
        """List items, newest first; `query` is in the search language of the page."""
        worker = await self._open()
        wanted = ItemFilter(query=query, sources=tuple(sources), topics=tuple(topics))
        return await worker.database.read(list_items, wanted, limit=limit, offset=offset)

    async def read_article(self, url: str) -> Article | None:
        """The article of an item's URL: its text, or why there is none. None if it was never queued."""
        worker = await self._open()
        return await worker.database.read(load_article, uid(canonical_form(url)))

    async def fetch_feed_now(self, feed_id: FeedId | UUID | str) -> None:
        """Fetch a feed now, whatever its schedule; this starts the fetch in the background and returns at once.

        If this process ends first, any worker on the database takes over.
        """
        worker, wanted = await self._open(), _feed_id(feed_id)
        with logging_to(self._logger):
            await worker.database.read(load_feed, wanted)
            await request_feeds(worker.database, [wanted])
            task = asyncio.create_task(self._fetch(worker, wanted))
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

    async def _open(self) -> Worker:
        async with self._opening:
            if self._worker is None:
                with logging_to(self._logger):
                    database = await self._stack.enter_async_context(open_store(self._settings, upgrade=True))
                    self._worker = await self._stack.enter_async_context(
                        open_worker(self._settings, database, stages=frozenset({Stage.COLLECT}))
                    )
            return self._worker


def _feed_id(given: FeedId | UUID | str) -> FeedId:
    try:
        return FeedId(given if isinstance(given, UUID) else UUID(str(given)))
    except ValueError:
        raise NotFoundError(f"There is no feed with the id {given!r}.") from None


def _ignore(_: Progress) -> None:
    """Nobody listens."""


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
