"""How much there is to read, shown beside the article list.

With many feeds, counting takes longer than a page may take. So the page shows the last count while the next one runs in
the background.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from inforadar.errors import InfoRadarError
from inforadar.model.person import PersonId
from inforadar.store.change_count import ChangeCount
from inforadar.store.database import Database
from inforadar.store.people.sidebar import Totals, load_totals
from inforadar.web.cache.timed import TimedCache

COUNTS_TTL_S = 30.0
COUNT_TIMEOUT_S = 0.05
"""How long a page waits for a new count; after that it shows the last one, or none."""


class UnreadCounts:
    """Counts for each person; when a mark has changed, `marks` tells, and the next page counts anew."""

    def __init__(self, database: Database, marks: ChangeCount) -> None:
        self._database = database
        self._counts: TimedCache[PersonId, Totals] = TimedCache(COUNTS_TTL_S, version=lambda: marks.total)

    async def load(self, person_id: PersonId | None) -> Totals | None:
        """The counts of a person; nobody has none."""
        if person_id is None:
            return None
        with suppress(InfoRadarError, TimeoutError):
            async with asyncio.timeout(COUNT_TIMEOUT_S):
                return await self._counts.get(person_id, lambda: self._database.read(load_totals, person_id))
        return self._counts.last(person_id)
