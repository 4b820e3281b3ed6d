"""Bringing a database to this program's schema, and refusing one that a newer program wrote.

`HEAD` is the revision this program wants; comparing it with the one row of `alembic_version` costs a query,
so that no command has to import Alembic when there is nothing to do.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text

from inforadar.errors import DatabaseTooNewError, StoreError
from inforadar.store.engine import Database

HEAD = "0001"
KNOWN = (HEAD,)
"""Every revision this program has a migration for, oldest first."""

SCRIPTS = Path(__file__).with_name("migrations")


def load_revision(connection: Connection) -> str | None:
    """The revision the database is at, or None for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


async def upgrade_database(database: Database) -> Path | None:
    """Upgrades if need be. SQLite is backed up first; returns where to, or None if nothing was at stake."""
    revision = await database.read(load_revision)
    if revision == HEAD:
        return None
    check_revision(revision, database.name)
    backup = None
    if revision is not None and database.path:
        backup = back_up_sqlite(database.path)
    await database.write(run_migrations)
    return backup


async def require_current(database: Database) -> None:
    """Refuses a database that is not at this program's revision."""
    revision = await database.read(load_revision)
    check_revision(revision, database.name)
    if revision != HEAD:
        raise StoreError(f"The database {database.name} is not up to date. Run `inforadar db upgrade`.")


def check_revision(revision: str | None, name: str) -> None:
    if revision is not None and revision not in KNOWN:
        raise DatabaseTooNewError(
            f"The database {name} was written by a newer Info Radar: its schema is {revision}, this program "
            f"knows {HEAD}. Upgrade the program, or restore a backup from before."
        )


def run_migrations(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - only an upgrade needs Alembic

    command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection) -> Any:
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def back_up_sqlite(path: Path) -> Path:
    """A consistent copy beside the database, made while others may read and write it."""
    target = path.with_name(f"{path.stem}-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}.backup.db")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
    return target
