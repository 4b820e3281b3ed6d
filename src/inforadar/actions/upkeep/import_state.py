"""Import an export."""

from __future__ import annotations

from typing import BinaryIO

from inforadar.store.database import Database
from inforadar.store.upkeep.export_archive import OnTableDone
from inforadar.store.upkeep.import_archive import read_archive


async def import_state(
    database: Database, data: BinaryIO, told: OnTableDone, *, replace: bool
) -> dict[str, int]:
    """Import the whole export or nothing. The database must be empty, unless `replace` is set."""
    return await database.write(read_archive, data, told, replace=replace)
