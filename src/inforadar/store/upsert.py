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


class Upserts:
    """Statements that insert rows given as JSON and change those that are there already: one per database."""

    def __init__(
        self,
        table: Table,
        rows: JsonRows,
        keys: Sequence[str],
        changed: Callable[[SqliteInsert | PostgresInsert], Mapping[str, Any]],
    ) -> None:
        self._table, self._rows, self._keys, self._changed = table, rows, list(keys), changed
        self._made: dict[str, Insert] = {}

    def on(self, connection: Connection) -> Insert:
        """The statement for this database, made when it is first needed."""
        dialect = connection.dialect.name
        if dialect not in self._made:
            self._made[dialect] = self._make(connection)
        return self._made[dialect]

    def _make(self, connection: Connection) -> Insert:
        columns = self._rows.c
        # Without a WHERE clause, SQLite takes the ON of the conflict clause for a join's.
        given = select(*columns.values()).select_from(self._rows.table).where(text("1 = 1"))
        new = upsert(connection, self._table).from_select(list(columns), given)
        return new.on_conflict_do_update(index_elements=self._keys, set_=self._changed(new))
