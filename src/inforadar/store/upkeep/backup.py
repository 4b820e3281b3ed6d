"""Back up an SQLite database while it is in use, and restore it.

A restored database is first built beside the old one and checked. Then it is renamed into place, and the old one is
kept under another name. So this also works for a damaged database, which cannot be opened.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from inforadar.clock import utc_now
from inforadar.errors import ParseError, StoreError, UsageError
from inforadar.store.upkeep.in_use import refuse_if_open

_MAGIC = b"SQLite format 3\x00"


def backup_path(path: Path, suffix: str = ".backup.db") -> Path:
    return path.with_name(f"{path.stem}-{utc_now():%Y%m%dT%H%M%S%fZ}{suffix}")


def is_sqlite_file(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError as fault:
        raise UsageError(f"{path} cannot be read: {fault.strerror}.") from None


def back_up_sqlite(path: Path, target: Path) -> Path:
    """Make a complete copy, readable only by its owner: it contains credentials."""
    refuse_existing(target)
    try:
        target.touch(mode=0o600)
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
            source.backup(copy)
            # A copy is a single file: the log and shared memory belong to a database in use.
            copy.execute("PRAGMA journal_mode = DELETE")
    except (sqlite3.Error, OSError) as fault:
        target.unlink(missing_ok=True)
        raise StoreError(f"The database {path} could not be backed up to {target}: {fault}.") from fault
    return target


def refuse_existing(target: Path) -> None:
    if target.exists():
        raise UsageError(f"{target} already exists. Choose another name, or move it away.")


def check_backup(path: Path) -> None:
    """Refuse a backup that is damaged."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as copy:
            said = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
            there = copy.execute(
                "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
            ).fetchone()[0]
    except sqlite3.Error as fault:
        raise ParseError(f"{path} is damaged: {fault}. Try an older backup.") from None
    if said != "ok":
        raise ParseError(f"{path} is damaged: {said}. Try an older backup.")
    if not there:
        raise ParseError(f"{path} is an SQLite database, but not one of Info Radar.")


def swap_in(fresh: Path, path: Path) -> Path | None:
    """Put `fresh` in the place of `path`; return where the old database is now, if there was one."""
    refuse_if_open(path)
    aside: Path | None = None
    if path.exists():
        aside = backup_path(path, ".replaced.db")
        for ending in ("-wal", "-shm"):
            # The log first: it belongs to the old database and would be taken for the new one's.
            with suppress(FileNotFoundError):
                os.replace(f"{path}{ending}", f"{aside}{ending}")
        path.replace(aside)
    fresh.replace(path)
    return aside
