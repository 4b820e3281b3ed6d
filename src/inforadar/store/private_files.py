"""The files of an SQLite database are their owner's alone, whatever the mode of the folder: they hold credentials."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

_PRIVATE = 0o600
_ENDINGS = ("", "-wal", "-shm")


def make_private(path: Path) -> None:
    """Create the database's file if it is missing, and take other users' rights from it, its log and shared memory.

    SQLite gives its log and shared memory the mode of the database. Files of another owner are left as they are, and
    what is wrong with the folder is for SQLite to say.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, _PRIVATE))
    for ending in _ENDINGS:
        file = Path(f"{path}{ending}")
        with contextlib.suppress(OSError):
            if stat.S_IMODE(file.stat().st_mode) & 0o077:
                file.chmod(_PRIVATE)
