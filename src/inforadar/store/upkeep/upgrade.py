"""Upgrade a database to this program's schema."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

from inforadar.store.database import Database
from inforadar.store.upkeep.backup import back_up_sqlite, backup_path
from inforadar.store.upkeep.revision import OURS, Migrations, check_revision, load_revision

_LOCK_UPGRADE = text("SELECT pg_advisory_xact_lock(7463829501)")
"""Processes that start together upgrade one after another; on SQLite the write lock ensures that."""


async def upgrade_database(database: Database, migrations: Migrations = OURS) -> Path | None:
    """Upgrade if necessary. SQLite is backed up first; returns the backup, or None if there was nothing to back up."""
    revision = await database.read(load_revision)
    if revision == migrations.head:
        return None
    check_revision(revision, database.name, migrations)
    backup = None
    if revision is not None and database.path:
        backup = await asyncio.to_thread(back_up_sqlite, database.path, backup_path(database.path))
    await database.migrate(lambda connection: run_migrations(connection, migrations))
    return backup


def run_migrations(connection: Connection, migrations: Migrations = OURS) -> None:
    from alembic import command  # noqa: PLC0415 - only an upgrade needs Alembic

    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK_UPGRADE)
    command.upgrade(alembic_config(connection, migrations), "head")


def alembic_config(connection: Connection, migrations: Migrations = OURS) -> Any:
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(migrations.scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
