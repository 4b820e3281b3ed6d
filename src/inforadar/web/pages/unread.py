"""How much there is to read, shown beside the article list.

With many feeds, counting takes longer than a page may take. So the page shows the last count while the next one runs in
the background.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

from inforadar.errors import InfoRadarError
from inforadar.model.person import PersonId
from inforadar.store.database import Database
from inforadar.store.people.sidebar import Totals, load_totals
from inforadar.web.cache.timed import TimedCache

COUNTS_TTL_S = 30.0
COUNT_TIMEOUT_S = 0.05
"""How long a page waits for a new count; after that it shows the last one, or none."""


@dataclass(frozen=True, slots=True)
class UnreadCounts:
    database: Database
    _counts: TimedCache[PersonId, Totals] = field(default_factory=lambda: TimedCache(COUNTS_TTL_S))

    async def load(self, person_id: PersonId | None) -> Totals | None:
        """The counts of a person; nobody has none."""
        if person_id is None:
            return None
        with suppress(InfoRadarError, TimeoutError):
            async with asyncio.timeout(COUNT_TIMEOUT_S):
                return await self._counts.get(person_id, lambda: self.database.read(load_totals, person_id))
        return self._counts.last(person_id)

    def forget(self) -> None:
        """Recount for the next page, because a mark has changed."""
        self._counts.expire()
