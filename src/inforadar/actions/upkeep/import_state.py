"""Import what an export wrote."""

from __future__ import annotations

from typing import BinaryIO

from inforadar.store.database import Database
from inforadar.store.upkeep.export_archive import Told
from inforadar.store.upkeep.import_archive import read_archive


async def import_state(database: Database, data: BinaryIO, told: Told, *, replace: bool) -> dict[str, int]:
    """Fill an empty database, or with `replace` any: all of the export, or nothing."""
    return await database.write(read_archive, data, told, replace=replace)
