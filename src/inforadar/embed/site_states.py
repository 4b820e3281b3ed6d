"""Seed 4's state as a Python API: tells what is new in a sitemap since the last run.

state = IncrementalStateManager("rss_incremental.db")
for url in await state.detect_new_urls("my_site", entries):
    …
await state.mark_urls_processed("my_site", done)
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from inforadar.clock import utc_now
from inforadar.embed.logs import Logger, logging_to
from inforadar.model.sitemap import IncrementalResult, SitemapEntry, SiteState, UrlState
from inforadar.stages.discover.sitemap.filter import sort_entries_by_date
from inforadar.store.database import Database
from inforadar.store.sitemaps.prune import FORGET_AFTER_DAYS, prune_if_due, prune_urls
from inforadar.store.sitemaps.queries import load_published, load_site
from inforadar.store.sitemaps.record import detect_entries, mark_urls
from inforadar.store.sitemaps.state_file import open_state


class IncrementalStateManager:
    """Remembers the URLs of sites, in a separate file or in any database.

    Each call opens and closes the database; `async with` keeps it open for several calls. A damaged state file is moved
    aside and the call raises `DatabaseCorrupted`; the next call starts with a new file.
    """

    def __init__(
        self,
        db_path: str | Path = "rss_incremental.db",
        *,
        now: Callable[[], datetime] = utc_now,
        logger: Logger | None = None,
    ) -> None:
        """`db_path` is a file, or a database URL: `postgresql://…`, `sqlite:///…`."""
        self.db_path = db_path
        self._now = now
        self._logger = logger
        self._stack = AsyncExitStack()
        self._open: Database | None = None

    async def __aenter__(self) -> Self:
        with logging_to(self._logger):
            self._open = await self._stack.enter_async_context(open_state(self.db_path))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = None
        await self._stack.__aexit__(kind, error, trace)

    async def get_site_state(self, site_name: str) -> SiteState:
        """Return the state of a site; an unknown site has no `last_run`."""
        async with self._database() as database:
            return await database.read(load_site, site_name)

    async def detect_new_urls(
        self, site_name: str, current_entries: Sequence[SitemapEntry], *, is_whole: bool = True
    ) -> list[str]:
        """Record what the sitemap lists now; return the URLs to process: new, changed, pending and failed ones.

        `is_whole` is that of `read_sitemap`: if it is False, missing URLs do not count as having left the sitemap.
        """
        result = await self.detect(site_name, current_entries, is_whole=is_whole)
        to_process = {*result.new_urls, *result.pending_urls}
        listed = dict.fromkeys(entry.url for entry in current_entries)
        return [url for url in listed if url in to_process]

    async def detect(
        self,
        site_name: str,
        current_entries: Sequence[SitemapEntry],
        *,
        sitemap_url: str | None = None,
        baseline_items: int | None = None,
        retry_failed: bool = True,
        is_whole: bool = True,
    ) -> IncrementalResult:
        """Like `detect_new_urls`, but return the URLs by category.

        With `baseline_items`, only that many of the newest URLs of an unknown site count as new; the others are
        recorded as processed. If `is_whole`, URLs that are not in `current_entries` count as having left the sitemap.
        If not, the next call still belongs to the first run, for a day at most.
        """
        baseline = None
        if baseline_items is not None:
            newest = sort_entries_by_date(current_entries, max_items=baseline_items)
            baseline = frozenset(entry.url for entry in newest)
        async with self._database() as database:
            found = await database.write(
                detect_entries,
                site_name,
                current_entries,
                at=self._now(),
                sitemap_url=sitemap_url,
                baseline=baseline,
                is_whole=is_whole,
            )
        pending = {UrlState.PENDING, *([UrlState.FAILED] if retry_failed else [])}
        changed = [one.url for one in found if one.before is UrlState.PROCESSED]
        new = [one.url for one in found if one.before in {None, UrlState.PROCESSED}]
        left = [one.url for one in found if one.before in pending]
        processed = {*new, *left}
        listed = dict.fromkeys(entry.url for entry in current_entries)
        return IncrementalResult(
            new_urls=tuple(new),
            pending_urls=tuple(left),
            skipped_urls=tuple(url for url in listed if url not in processed),
            modified_urls=tuple(changed),
        )

    async def mark_urls_processed(self, site_name: str, urls: Iterable[str], success: bool = True) -> None:
        """Mark URLs as processed or failed; the next run returns failed ones again."""
        state = UrlState.PROCESSED if success else UrlState.FAILED
        async with self._database() as database:
            await database.write(
                mark_urls, site_name, list(urls), state, published_at=self._now() if success else None
            )

    async def load_published(self, site_name: str, limit: int) -> list[tuple[str, datetime | None, datetime]]:
        """Return the URLs processed last: (URL, lastmod, when)."""
        async with self._database() as database:
            return await database.read(load_published, site_name, limit)

    async def cleanup_old_states(self, days_to_keep: float = FORGET_AFTER_DAYS) -> int:
        """Forget URLs that left their sitemap longer ago, and any beyond 1,000 per site; never one that is listed."""
        async with self._database() as database:
            return await database.write(prune_urls, at=self._now(), days=days_to_keep)

    async def cleanup_if_due(self, site_name: str, *, days_to_keep: float, every_days: float) -> int:
        """Clean up one site, unless that was done less than `every_days` days ago."""
        async with self._database() as database:
            return await database.write(
                prune_if_due, site_name, at=self._now(), days=days_to_keep, every_days=every_days
            )

    @asynccontextmanager
    async def _database(self) -> AsyncIterator[Database]:
        if self._open is not None:
            yield self._open
            return
        with logging_to(self._logger):
            async with open_state(self.db_path) as database:
                yield database
