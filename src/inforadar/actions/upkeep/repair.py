"""Repair what can be made again from the rest of the database."""

from __future__ import annotations

from inforadar.store.database import Database
from inforadar.store.upkeep.repair import repair_indexes


async def repair_database(database: Database) -> list[str]:
    """Make missing indexes; returns their names."""
    return await database.write(repair_indexes)
