"""Delete what retention says and give its space back."""

from __future__ import annotations

from inforadar.actions.upkeep.retention import Retention, Surplus


async def vacuum_database(retention: Retention) -> Surplus:
    """Returns what was deleted."""
    deleted = await retention.apply()
    await retention.database.vacuum()
    return deleted
