"""Upgrade the database to the current schema."""

from __future__ import annotations

from pathlib import Path

from inforadar.store.database import Database
from inforadar.store.upkeep.upgrade import upgrade_database


async def upgrade_schema(database: Database) -> Path | None:
    """Upgrade if needed; return the path of the SQLite backup made before, or None if none was needed."""
    return await upgrade_database(database)
