"""How many items of each source and topic are unread, for the column beside the list.

Counting takes longer than a page may, once there are many items. So the page shows what was counted last, at most
half a minute ago, and the next count goes on behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic

from inforadar.errors import InfoRadarError
from inforadar.store.database import Database
from inforadar.store.feeds.labels import load_unread_labels

FRESH_S = 30.0
PATIENCE_S = 0.05
"""So long the first page waits for its numbers; after that it comes without them."""


@dataclass(slots=True)
class UnreadCounts:
    database: Database
    _known: Mapping[tuple[str, str], int] = field(default_factory=dict)
    _counted_at: float = float("-inf")
    _forgotten: int = 0
    _counting: asyncio.Task[None] | None = None

    async def load(self) -> Mapping[tuple[str, str], int]:
        if monotonic() - self._counted_at > FRESH_S and self._counting is None:
            self._counting = asyncio.create_task(self._count())
        if self._counting is not None:
            await asyncio.wait({self._counting}, timeout=PATIENCE_S)
        return self._known

    def forget(self) -> None:
        """Something was marked: the numbers are counted anew for the next page."""
        self._counted_at = float("-inf")
        self._forgotten += 1

    async def _count(self) -> None:
        try:
            with suppress(InfoRadarError):
                before = self._forgotten
                self._known = await self.database.read(load_unread_labels)
                # What was marked meanwhile may not be in these numbers.
                if before == self._forgotten:
                    self._counted_at = monotonic()
        finally:
            self._counting = None
