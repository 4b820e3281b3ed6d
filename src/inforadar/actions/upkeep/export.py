"""Export the whole state: as a stream, or as a file that is complete or absent and readable only by its owner."""

from __future__ import annotations

import os
from pathlib import Path
from typing import BinaryIO

from inforadar.errors import StoreError
from inforadar.store.database import Database
from inforadar.store.upkeep.backup import refuse_existing
from inforadar.store.upkeep.export_archive import OnTableDone, write_archive


async def export_to(
    database: Database, file: Path, told: OnTableDone, *, secrets: bool = True
) -> dict[str, int]:
    """Export to a file, which gets its name only when it is complete; return the rows of each table."""
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
    database: Database, out: BinaryIO, told: OnTableDone, *, secrets: bool = True
) -> dict[str, int]:
    """Export a consistent snapshot to a stream; return the rows of each table."""
    return await database.snapshot(write_archive, out, told, secrets=secrets)
