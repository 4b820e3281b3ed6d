"""Keeping search up to date: what the triggers noted becomes words that can be found (X8)."""

from __future__ import annotations

from dataclasses import dataclass

from inforadar.store.engine import Database
from inforadar.store.search import index_items

BATCH = 50
"""Few at a time: while words are made, nothing else is written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndexer:
    database: Database

    async def run_once(self) -> int:
        """Works off the queue; returns how many changes there were."""
        total = 0
        while number := await self.database.write(index_items, BATCH):
            total += number
        return total
