"""Upgrade the database to this program's schema."""

from __future__ import annotations

from pathlib import Path

from inforadar.store.database import Database
from inforadar.store.upkeep.upgrade import upgrade_database


async def upgrade_schema(database: Database) -> Path | None:
    """Upgrade if needed; returns where SQLite was backed up to first, or None if nothing was at stake."""
    return await upgrade_database(database)
