"""Apply retention and free the unused space."""

from __future__ import annotations

from inforadar.actions.upkeep.retention import Retention, Surplus


async def vacuum_database(retention: Retention) -> Surplus:
    """Apply retention, then compact the database; return what was deleted."""
    deleted = await retention.apply()
    await retention.database.vacuum()
    return deleted
