"""Keeping the search index up to date: indexes the items that the database's triggers queued (X8)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from inforadar.store.database import Database
from inforadar.store.items.search_index import save_search_words
from inforadar.store.items.search_jobs import SearchJob, load_search_jobs
from inforadar.store.items.search_words import search_words

BATCH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndexer:
    """Indexes queued items. Several processes may run one at the same time: each change is handled by one of them."""

    database: Database

    async def run_once(self) -> int:
        """Index all queued items; return their number."""
        total = 0
        while True:
            jobs, gone = await self.database.read(load_search_jobs, BATCH)
            if not jobs and not gone:
                return total
            words = await asyncio.to_thread(_make_words, jobs)
            await self.database.write(save_search_words, words, gone)
            total += len(jobs)


def _make_words(jobs: Sequence[SearchJob]) -> list[tuple[SearchJob, str]]:
    return [(job, search_words(job.texts)) for job in jobs]
