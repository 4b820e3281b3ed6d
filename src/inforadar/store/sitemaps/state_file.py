"""The separate state file of seed 4: only the sitemap tables, for programs that use no other part of this one.

A path names such a file, created if it is missing; a database URL names any database, including the program's own. A
file as the seed describes it is accepted: missing columns are added. A damaged file is moved aside, so that the next
run starts over; a damaged database of the program itself is never touched, because it can be restored.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import structlog
from sqlalchemy import Connection, Table, inspect
from sqlalchemy.schema import CreateColumn

from inforadar.clock import utc_now
from inforadar.errors import StoreError
from inforadar.store.database import Database, open_database
from inforadar.store.faults import is_damaged
from inforadar.store.schema.sitemaps import site_states, sitemap_files, url_states
from inforadar.store.upkeep.revision import require_current
from inforadar.urls import sqlite_url

_TABLES = cast(tuple[Table, ...], (site_states, url_states, sitemap_files))
MAIN = "inforadar.db"
"""The name of the program's own database in its home."""

log = structlog.get_logger()


class DatabaseCorrupted(StoreError):  # noqa: N818 - the seed's name
    """The state file was damaged and has been moved aside: its contents are lost, and the next use starts over."""


@asynccontextmanager
async def open_state(where: str | Path) -> AsyncIterator[Database]:
    """Open a database with the sitemap tables. Raises `DatabaseCorrupted` if the file is damaged."""
    text = str(where)
    is_url = "://" in text
    path = None if is_url else _absolute(text)
    url = text if path is None else sqlite_url(path)
    try:
        async with open_database(url) as database:
            if await database.read(_is_ours):
                await require_current(database)
            else:
                await database.write(_make_tables)
            yield database
    except StoreError as fault:
        if path is None or path.name == MAIN or not is_damaged(fault):
            raise
        moved = _move_aside(path)
        log.warning("state.damaged", path=str(path), moved_to=str(moved))
        raise DatabaseCorrupted(
            f"The state file {path} is damaged. It was moved to {moved.name}; the next run starts with a new one."
        ) from fault


def _absolute(path: str) -> Path:
    return Path(path).expanduser().absolute()


def _is_ours(connection: Connection) -> bool:
    return inspect(connection).has_table("alembic_version")


def _make_tables(connection: Connection) -> None:
    seen = inspect(connection)
    for table in _TABLES:
        if not seen.has_table(table.name):
            table.create(connection)
            continue
        known = {column["name"] for column in seen.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                definition = str(CreateColumn(cast(Any, column)).compile(dialect=connection.dialect))
                connection.exec_driver_sql(f'ALTER TABLE "{table.name}" ADD COLUMN {definition}')


def _move_aside(path: Path) -> Path:
    target = path.with_name(f"{path.name}.damaged-{utc_now():%Y%m%dT%H%M%S%fZ}")
    path.rename(target)
    for ending in ("-wal", "-shm"):
        # They belong to the damaged file and would damage a new one.
        with suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(target.with_name(target.name + ending))
    return target
