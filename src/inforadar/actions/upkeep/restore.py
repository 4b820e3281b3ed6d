"""Restore a backup or an export: it replaces the whole database, or nothing changes."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from inforadar.errors import UsageError
from inforadar.store.database import open_database
from inforadar.store.database_url import parse_database_url
from inforadar.store.upkeep.backup import back_up_sqlite, backup_path, check_backup, is_sqlite_file, swap_in
from inforadar.store.upkeep.checks import load_counts
from inforadar.store.upkeep.export_archive import OnTableDone
from inforadar.store.upkeep.import_archive import read_archive
from inforadar.store.upkeep.in_use import refuse_busy, refuse_if_open
from inforadar.store.upkeep.upgrade import upgrade_database
from inforadar.urls import sqlite_url


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A restored database."""

    name: str
    rows: dict[str, int]
    aside: Path | None = None
    """Where the previous file was moved to."""


def refuse_other_kind(url: str, file: Path) -> None:
    """Refuse a copy of an SQLite database if `url` is a PostgreSQL database."""
    if is_sqlite_file(file) and not url.startswith("sqlite"):
        raise UsageError(
            f"{file} is an SQLite database, but DATABASE_URL is a PostgreSQL database. "
            f"Set DATABASE_URL={sqlite_url(file.absolute())} and use `inforadar db move --to …`."
        )


async def restore_database(url: str, password: str | None, file: Path, told: OnTableDone) -> Restored:
    """Replace the database at `url` with a backup or an export."""
    refuse_other_kind(url, file)
    if is_sqlite_file(file):
        return await _restore_sqlite(url, file)
    return await _restore_archive(url, password, file, told)


async def _restore_sqlite(url: str, file: Path) -> Restored:
    """Restore a copy of an SQLite database. An older one is upgraded before it replaces the current file."""
    path = _path(url)
    refuse_if_open(path)
    await asyncio.to_thread(check_backup, file)
    fresh = backup_path(path, ".restoring.db")
    await asyncio.to_thread(back_up_sqlite, file, fresh)
    return await _take_place(fresh, path)


async def _restore_archive(url: str, password: str | None, file: Path, told: OnTableDone) -> Restored:
    """Restore an export. SQLite is built beside the old file; PostgreSQL is emptied and filled in one transaction."""
    try:
        data = file.open("rb")
    except OSError as fault:
        raise UsageError(f"{file} cannot be read: {fault.strerror}.") from None
    with data:
        if not url.startswith("sqlite"):
            async with open_database(url, password) as database:
                await upgrade_database(database)
                await refuse_busy(database)
                rows = await database.write(read_archive, data, told, replace=True)
                return Restored(name=database.name, rows=rows)
        path = _path(url)
        refuse_if_open(path)
        fresh = backup_path(path, ".restoring.db")
        try:
            async with open_database(sqlite_url(fresh)) as database:
                await upgrade_database(database)
                await database.write(read_archive, data, told, replace=True)
        except BaseException:
            _remove(fresh)
            raise
        return await _take_place(fresh, path)


async def _take_place(fresh: Path, path: Path) -> Restored:
    try:
        async with open_database(sqlite_url(fresh)) as database:
            made = await upgrade_database(database)
            rows = await database.read(load_counts)
        if made:
            made.unlink()
        aside = swap_in(fresh, path)
    finally:
        _remove(fresh)
    return Restored(name=str(path), rows=rows, aside=aside)


def _remove(fresh: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        Path(f"{fresh}{ending}").unlink(missing_ok=True)


def _path(url: str) -> Path:
    return Path(parse_database_url(url).database or "")
