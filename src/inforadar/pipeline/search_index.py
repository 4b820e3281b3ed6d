"""Keeping search up to date: what the triggers noted becomes words that can be found (X8)."""

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
    """Several processes may do it at once: each change is taken by one of them."""

    database: Database

    async def run_once(self) -> int:
        """Works off the queue; returns how many items there were."""
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
