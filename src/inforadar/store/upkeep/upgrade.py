"""Upgrade a database to this program's schema.

All steps are one transaction: a program that is killed in the middle leaves the database as it was, and the next one
begins again.

A new SQLite database skips the steps and gets the tables as they are now, so that the first start needs no Alembic. A
test compares the two. PostgreSQL takes all steps: some of them set what tables do not tell SQLAlchemy, such as storage.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import structlog
from sqlalchemy import Connection, text

from inforadar.errors import StoreError
from inforadar.store.database import Database
from inforadar.store.migrations.backfills import backfills
from inforadar.store.schema.columns import metadata
from inforadar.store.upkeep.backup import back_up_sqlite, backup_path
from inforadar.store.upkeep.revision import (
    OURS,
    Migrations,
    check_revision,
    is_empty_database,
    load_revision,
)

SPACE_FACTOR = 1.5
"""Free space that an upgrade of SQLite needs, relative to the size of the database."""

log = structlog.get_logger()
_LOCK_UPGRADE = text("SELECT pg_advisory_xact_lock(7463829501)")
"""Processes that start together upgrade one after another; on SQLite the write lock ensures that."""
_CREATE_REVISION = text(
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
    "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)
_SET_REVISION = text("INSERT INTO alembic_version (version_num) VALUES (:head)")


async def upgrade_database(database: Database, migrations: Migrations = OURS) -> Path | None:
    """Upgrade if necessary. SQLite is backed up first; returns the backup, or None if there was nothing to back up."""
    revision = await database.read(load_revision)
    if revision == migrations.head:
        return None
    check_revision(revision, database.name, migrations)
    backup = None
    if revision is not None:
        log.info("database.upgrading", database=database.name, revision=revision, to=migrations.head)
        if database.path:
            require_space(database.path)
            backup = await asyncio.to_thread(back_up_sqlite, database.path, backup_path(database.path))
            log.info("database.backed_up", file=str(backup))
    await database.migrate(
        lambda connection: run_migrations(connection, migrations, is_logged=revision is not None)
    )
    if revision is not None:
        log.info("database.upgraded", database=database.name, revision=migrations.head)
    return backup


def require_space(path: Path) -> None:
    """Refuse an upgrade that would fill the disk: it needs a copy of the database, and room for new indexes."""
    needed = int(path.stat().st_size * SPACE_FACTOR)
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise StoreError(
            f"Upgrading {path} needs {needed / 1e9:.1f} GB of free space for a backup and new indexes, and there are "
            f"{free / 1e9:.1f} GB. Nothing was changed. Make room and start again."
        )


def run_migrations(connection: Connection, migrations: Migrations = OURS, *, is_logged: bool = False) -> None:
    if migrations is OURS and connection.dialect.name == "sqlite" and is_empty_database(connection):
        create_newest(connection)
        return
    from alembic import command  # noqa: PLC0415 - only an upgrade needs Alembic

    if connection.dialect.name == "postgresql":
        connection.execute(_LOCK_UPGRADE)
    config = alembic_config(connection, migrations)
    config.attributes["is_logged"] = is_logged
    command.upgrade(config, "head")


def create_newest(connection: Connection) -> None:
    """Create what all migrations together leave of an empty SQLite database."""
    from inforadar.store.schema.all_tables import all_tables  # noqa: PLC0415 - slow to import

    metadata.create_all(connection, all_tables(), checkfirst=False)
    for revision in OURS.known:
        for statement in backfills("sqlite", revision):
            connection.exec_driver_sql(statement)
    connection.execute(_CREATE_REVISION)
    connection.execute(_SET_REVISION, {"head": OURS.head})


def alembic_config(connection: Connection, migrations: Migrations = OURS) -> Any:
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(migrations.scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["is_logged"] = False
    return config
