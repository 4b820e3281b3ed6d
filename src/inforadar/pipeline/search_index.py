"""Keeping the search index up to date: indexes the items that the database's triggers queued (X8)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from inforadar.store.database import Database
from inforadar.store.items.search_index import index_queued, save_search_words
from inforadar.store.items.search_jobs import SearchJob, has_search_jobs, load_search_jobs
from inforadar.store.items.search_words import search_words

MIN_BATCH, MAX_BATCH = 100, 2000
"""Items per transaction: each has a fixed cost, so titles go by thousands; long articles would fill the memory."""
BATCH_CHARS = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndexer:
    """Indexes queued items. Several processes may run one at the same time: each change is handled by one of them."""

    database: Database

    async def run_once(self) -> int:
        """Index all queued items; return their number."""
        total, batch = 0, MIN_BATCH
        while True:
            if not await self.database.read(has_search_jobs):
                return total
            jobs = await self._index(batch)
            total += len(jobs)
            batch = next_batch(jobs)

    async def _index(self, batch: int) -> list[SearchJob]:
        if self.database.is_sqlite:
            return await self.database.write(index_queued, batch)
        # Words are made outside of the transaction: it would lock their items for longer.
        jobs, gone = await self.database.read(load_search_jobs, batch)
        words = await asyncio.to_thread(_make_words, jobs)
        await self.database.write(save_search_words, words, gone)
        return jobs


def _make_words(jobs: Sequence[SearchJob]) -> list[tuple[SearchJob, str]]:
    return [(job, search_words(job.texts)) for job in jobs]


def next_batch(jobs: Sequence[SearchJob]) -> int:
    """Return how many items like these fit into a batch."""
    chars = sum(len(text) for job in jobs for text in job.texts if text)
    return max(MIN_BATCH, min(BATCH_CHARS * len(jobs) // max(chars, 1), MAX_BATCH))
