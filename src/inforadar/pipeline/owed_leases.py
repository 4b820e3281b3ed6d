"""Leases that were claimed and not released yet, because the database was unreachable or a stop came first."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from inforadar.model.schedule import Lane, Lease
from inforadar.store.database import Database
from inforadar.store.leases import claim_due_feeds, release_leases


@dataclass(slots=True)
class OwedLeases:
    """Claims due feeds, and keeps the leases that still have to be released."""

    database: Database
    _owed: list[Lease] = field(default_factory=list)

    async def claim(self, lanes: Collection[Lane], limit: int) -> list[Lease]:
        """Claim up to `limit` due feeds. If a stop interrupts the claim, its leases are owed."""
        claiming = asyncio.ensure_future(self.database.write(claim_due_feeds, limit, lanes=lanes))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            self._owed += await claiming
            raise

    @contextmanager
    def owed_on_fault(self, leases: Sequence[Lease]) -> Iterator[None]:
        """Note the leases as owed if the block ends by an exception or a stop."""
        try:
            yield
        except BaseException:
            self._owed += leases
            raise

    async def give_back(self) -> None:
        """Release the owed leases. Leases already saved or released are unaffected: their token no longer matches."""
        owed, self._owed = self._owed, []
        try:
            if owed:
                await self.database.write(release_leases, owed)
        except BaseException:
            self._owed += owed
            raise
