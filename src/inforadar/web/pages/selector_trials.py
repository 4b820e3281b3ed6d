"""Try out selectors on a page, for the editors of a new feed and of an existing one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from typing import TYPE_CHECKING, Any

from inforadar.config import Settings
from inforadar.model.http import Fetched
from inforadar.pipeline.pool import WorkPool
from inforadar.store.database import Database
from inforadar.urls import canonical_form
from inforadar.web.cache.timed import TimedCache

if TYPE_CHECKING:
    from inforadar.actions.preview import PagePreview

PAGE_TTL_S, MAX_PAGES = 300.0, 8
"""Trying out selectors reads one page many times; the site is asked only once in this time."""
MAX_PAGE_BYTES = 16 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectorTrials:
    database: Database
    settings: Settings
    pool: WorkPool
    """Shared, so that trying out selectors does not start a process each time."""
    _fetched: TimedCache[str, Fetched] = field(
        default_factory=lambda: TimedCache(
            PAGE_TTL_S, max_entries=MAX_PAGES, max_bytes=MAX_PAGE_BYTES, weigh=lambda page: len(page.body)
        )
    )

    async def preview(self, url: str, selectors: Mapping[str, Any], zone: tzinfo = UTC) -> PagePreview:
        """Show what the selectors match. They may be incomplete: only `item` is needed."""
        from inforadar.actions.preview import read_by_draft  # noqa: PLC0415 - slow
        from inforadar.app.lookups import open_previewer  # noqa: PLC0415

        address = canonical_form(url)
        # Before the site is asked: invalid selectors need no page.
        reading = read_by_draft(selectors, zone)
        async with open_previewer(self.settings, self.database, pool=self.pool) as previewer:
            fetched = await self._fetched.get(address, lambda: previewer.fetch(address))
            return await previewer.read(reading, fetched)
