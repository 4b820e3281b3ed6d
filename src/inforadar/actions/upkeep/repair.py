"""Repair what can be rebuilt from the rest of the database."""

from __future__ import annotations

from inforadar.store.database import Database
from inforadar.store.upkeep.repair import count_anew, repair_indexes


async def repair_database(database: Database) -> list[str]:
    """Create missing indexes and return their names; count items again."""
    made = await database.write(repair_indexes)
    await database.write(count_anew)
    return made
