"""Import an export."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from inforadar.errors import StoreError
from inforadar.store.database import Database
from inforadar.store.upkeep.export_archive import OnTableDone
from inforadar.store.upkeep.import_archive import read_archive


async def import_state(
    database: Database, data: BinaryIO, told: OnTableDone, *, replace: bool
) -> dict[str, int]:
    """Import the whole export or nothing. The database must be empty, unless `replace` is set."""
    with _complete(data) as file:
        return await database.write(read_archive, file, told, replace=replace)


@contextmanager
def _complete(data: BinaryIO) -> Iterator[BinaryIO]:
    """The export as a file. A pipe is read to its end first.

    A pipe may stall for as long as its other end likes, for example until somebody has typed a passphrase. Meanwhile a
    transaction would keep everybody else waiting.
    """
    if data.seekable():
        yield data
        return
    with tempfile.TemporaryFile() as file:
        try:
            shutil.copyfileobj(data, file)
        except OSError as fault:
            raise StoreError(
                f"The export could not be read to its end: {fault.strerror}. It is first stored in "
                f"{tempfile.gettempdir()}; TMPDIR names another folder."
            ) from None
        yield file
