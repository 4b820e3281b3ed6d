"""INSERT with ON CONFLICT, for which SQLAlchemy has one class per database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Insert, Table, select, text
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

if TYPE_CHECKING:
    from sqlalchemy.dialects.postgresql import Insert as PostgresInsert
    from sqlalchemy.dialects.sqlite import Insert as SqliteInsert

    from inforadar.store.rows import JsonRows


def upsert(connection: Connection, table: Table) -> SqliteInsert | PostgresInsert:
    """An INSERT into `table` that accepts `on_conflict_do_update` and `on_conflict_do_nothing`."""
    if connection.dialect.name == "sqlite":
        return sqlite_insert(table)
    # Imported only where it is used: it is slow.
    from sqlalchemy.dialects.postgresql import insert as postgres_insert  # noqa: PLC0415

    return postgres_insert(table)


def make_upserts(
    table: Table,
    rows: JsonRows,
    keys: Sequence[str],
    changed: Callable[[SqliteInsert | PostgresInsert], Mapping[str, Any]],
) -> dict[str, Insert]:
    """Statements by dialect, made once, that insert rows given as JSON and change those that are there already."""
    from sqlalchemy.dialects.postgresql import insert as postgres_insert  # noqa: PLC0415

    # Without a WHERE clause, SQLite takes the ON of the conflict clause for a join's.
    given = select(*rows.c.values()).select_from(rows.table).where(text("1 = 1"))
    statements: dict[str, Insert] = {}
    for dialect, insert in (("sqlite", sqlite_insert), ("postgresql", postgres_insert)):
        new = insert(table).from_select(list(rows.c), given)
        statements[dialect] = new.on_conflict_do_update(index_elements=list(keys), set_=changed(new))
    return statements
