"""Back up the database while it is in use."""

from __future__ import annotations

import asyncio
from pathlib import Path

from inforadar.actions.upkeep.export import export_to
from inforadar.store.database import Database
from inforadar.store.upkeep.backup import back_up_sqlite, backup_path
from inforadar.store.upkeep.export_archive import SUFFIX


async def back_up(database: Database, file: Path | None, home: Path) -> Path:
    """Write a consistent copy of the database while others read and write; return its path."""
    if database.path:
        return await asyncio.to_thread(back_up_sqlite, database.path, file or backup_path(database.path))
    target = file or backup_path(home / "inforadar.db", f".backup{SUFFIX}")
    await export_to(database, target, lambda table, rows: None)
    return target
