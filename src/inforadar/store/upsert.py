"""INSERT with ON CONFLICT, for which SQLAlchemy has one class per database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, Table
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert


def upsert(connection: Connection, table: Table) -> SqliteInsert | PostgresInsert:
    """An INSERT into `table` that accepts `on_conflict_do_update` and `on_conflict_do_nothing`."""
    if connection.dialect.name == "sqlite":
        return sqlite_insert(table)
    # Imported only where it is used: it is slow.
    from sqlalchemy.dialects.postgresql import insert as postgres_insert  # noqa: PLC0415

    return postgres_insert(table)
