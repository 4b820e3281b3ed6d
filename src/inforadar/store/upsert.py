"""INSERT with ON CONFLICT, for which SQLAlchemy has one class per database."""

from __future__ import annotations

from sqlalchemy import Connection, Table
from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import Insert as SqliteInsert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert


def upsert(connection: Connection, table: Table) -> SqliteInsert | PostgresInsert:
    """An INSERT into `table` that accepts `on_conflict_do_update` and `on_conflict_do_nothing`."""
    return sqlite_insert(table) if connection.dialect.name == "sqlite" else postgres_insert(table)
