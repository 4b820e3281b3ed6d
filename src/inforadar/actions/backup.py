"""Backups and exports as files: written whole or not at all, readable by their owner alone."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from inforadar.errors import StoreError, UsageError
from inforadar.store.database import Database, open_database, parse_database_url
from inforadar.store.upkeep.archive import SUFFIX, Told, read_archive, write_archive
from inforadar.store.upkeep.backup import (
    back_up_sqlite,
    backup_path,
    check_backup,
    refuse_existing,
    refuse_if_open,
    swap_in,
)
from inforadar.store.upkeep.checks import load_counts
from inforadar.store.upkeep.move import refuse_busy
from inforadar.store.upkeep.upgrade import upgrade_database


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A database that a backup was put into."""

    name: str
    rows: dict[str, int]
    aside: Path | None = None
    """Where the file is that was there before."""


async def back_up(database: Database, file: Path | None, home: Path) -> Path:
    """A copy of one moment, made while others read and write."""
    if database.path:
        return await asyncio.to_thread(back_up_sqlite, database.path, file or backup_path(database.path))
    target = file or backup_path(home / "inforadar.db", f".backup{SUFFIX}")
    await export_to(database, target, lambda table, rows: None)
    return target


async def export_to(database: Database, file: Path, told: Told, *, secrets: bool = True) -> dict[str, int]:
    """Under another name until it is whole."""
    refuse_existing(file)
    part = file.with_name(f"{file.name}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            rows = await database.snapshot(write_archive, out, told, secrets=secrets)
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    except OSError as fault:
        raise StoreError(f"{file} cannot be written: {fault.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
    return rows


async def restore_sqlite(url: str, file: Path) -> Restored:
    """From a copy of the database. It is upgraded, should it be older, before it takes its place."""
    path = _path(url)
    refuse_if_open(path)
    await asyncio.to_thread(check_backup, file)
    fresh = backup_path(path, ".restoring.db")
    await asyncio.to_thread(back_up_sqlite, file, fresh)
    return await _take_place(fresh, path)


async def restore_archive(url: str, password: str | None, file: Path, told: Told) -> Restored:
    """From an export. SQLite is built beside the old one; PostgreSQL is emptied and filled in one transaction."""
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
            async with open_database(f"sqlite:///{fresh}") as database:
                await upgrade_database(database)
                await database.write(read_archive, data, told, replace=True)
        except BaseException:
            _remove(fresh)
            raise
        return await _take_place(fresh, path)


async def _take_place(fresh: Path, path: Path) -> Restored:
    try:
        async with open_database(f"sqlite:///{fresh}") as database:
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
