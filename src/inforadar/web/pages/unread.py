"""Unread counts by source and topic, shown beside the article list.

With many items, counting takes longer than a page may take. So the page shows the last count while the next one runs in
the background.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from inforadar.errors import InfoRadarError
from inforadar.model.person import PersonId
from inforadar.store.database import Database
from inforadar.store.feeds.labels import load_unread_labels
from inforadar.web.cache.timed import TimedCache

Counts = Mapping[tuple[str, str], int]

COUNTS_TTL_S = 30.0
COUNT_TIMEOUT_S = 0.05
"""How long a page waits for a new count; after that it shows the last one, or none."""


@dataclass(frozen=True, slots=True)
class UnreadCounts:
    database: Database
    _counts: TimedCache[PersonId, Counts] = field(default_factory=lambda: TimedCache(COUNTS_TTL_S))

    async def load(self, person_id: PersonId | None) -> Counts:
        """The counts of a person; nobody has none."""
        if person_id is None:
            return {}
        with suppress(InfoRadarError, TimeoutError):
            async with asyncio.timeout(COUNT_TIMEOUT_S):
                return await self._counts.get(
                    person_id, lambda: self.database.read(load_unread_labels, person_id)
                )
        return self._counts.last(person_id) or {}

    def forget(self) -> None:
        """Recount for the next page, because a mark has changed."""
        self._counts.expire()
