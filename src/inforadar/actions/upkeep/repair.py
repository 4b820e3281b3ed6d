"""Repair what can be rebuilt from the rest of the database."""

from __future__ import annotations

from inforadar.store.database import Database
from inforadar.store.upkeep.repair import repair_indexes


async def repair_database(database: Database) -> list[str]:
    """Create missing indexes; return their names."""
    return await database.write(repair_indexes)
