"""Export the whole state: as a file, written whole or not at all and readable by its owner alone, or as a stream."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from inforadar.errors import StoreError
from inforadar.store.database import Database
from inforadar.store.upkeep.backup import refuse_existing
from inforadar.store.upkeep.export_archive import Told, write_archive


async def export_to(database: Database, file: Path, told: Told, *, secrets: bool = True) -> dict[str, int]:
    """Under another name until it is whole."""
    refuse_existing(file)
    part = file.with_name(f"{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            rows = await export_stream(database, out, told, secrets=secrets)
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    except OSError as fault:
        raise StoreError(f"{file} cannot be written: {fault.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
    return rows


async def export_stream(
    database: Database, out: BinaryIO, told: Told, *, secrets: bool = True
) -> dict[str, int]:
    """The state of one moment; returns the rows of each table."""
    return await database.snapshot(write_archive, out, told, secrets=secrets)
