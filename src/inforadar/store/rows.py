"""Write many rows at once, without SQLAlchemy's work for each value of each row.

Collecting writes tens of thousands of rows, and preparing their values one by one would take longer than storing them.
There are two ways to avoid that. In both the statement is SQLAlchemy's, so there is one text for both databases, and
only the values come in their stored form, from `stored_time` and `stored_id`:

    JsonRows      all rows as one parameter that the database reads as a table: for updates, which become one
                  statement; SQLite runs it completely outside the interpreter
    insert_rows   each row as a tuple for the driver: for inserts of long rows, which cost SQLite less than half as
                  much as JSON; `insert_short_rows` uses it on SQLite, and one parameter on PostgreSQL
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Insert, Text, bindparam, literal_column, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType

from inforadar.store.types import encode_json, storable

Values = tuple[Any, ...]

_CHECKED_ROWS = 100
"""Rows that are encoded at once: all of a batch would need as much memory again as the batch."""


def stored_time(connection: Connection, at: datetime) -> datetime | str:
    """The time as `UtcDateTime` stores it."""
    if at.tzinfo is None:
        raise ValueError(f"a time without a zone cannot be stored: {at!r}")
    if connection.dialect.name != "sqlite":
        return at
    return at.astimezone(UTC).isoformat(" ", "microseconds").removesuffix("+00:00")


def stored_id(connection: Connection, value: UUID) -> UUID | str:
    return value if connection.dialect.name != "sqlite" else value.hex


class JsonRows:
    """A table in one parameter: `JsonRows("given", id="uuid", error="text")` has `c["id"]` and `c["error"]`.

    Columns are in the order of the values in a row, each with its PostgreSQL type; SQLite needs none.
    """

    def __init__(self, name: str, **columns: str) -> None:
        self._parameter = f"{name}_rows"
        self.table = _JsonTable(bindparam(self._parameter, type_=Text)).table_valued("value", name=name)
        self.c = {
            column: _JsonField(self.table.c.value, literal_column(str(index)), literal_column(type_name))
            for index, (column, type_name) in enumerate(columns.items())
        }

    def parameters(self, rows: Sequence[Values]) -> dict[str, str]:
        """The parameters for a statement that reads from the table."""
        return {self._parameter: encode_json(rows)}


class _JsonTable(FunctionElement[Any]):
    type = NullType()
    inherit_cache = True
    name = "json_table"


@compiles(_JsonTable)
def _default_table(element: _JsonTable, compiler: SQLCompiler, **kw: Any) -> str:
    return f"jsonb_array_elements(CAST({compiler.process(element.clauses, **kw)} AS jsonb))"


@compiles(_JsonTable, "sqlite")
def _sqlite_table(element: _JsonTable, compiler: SQLCompiler, **kw: Any) -> str:
    return f"json_each({compiler.process(element.clauses, **kw)})"


class _JsonField(FunctionElement[Any]):
    type = NullType()
    inherit_cache = True
    name = "json_field"


@compiles(_JsonField)
def _default_field(element: _JsonField, compiler: SQLCompiler, **kw: Any) -> str:
    row, index, type_name = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"CAST({row} ->> {index} AS {type_name})"


@compiles(_JsonField, "sqlite")
def _sqlite_field(element: _JsonField, compiler: SQLCompiler, **kw: Any) -> str:
    row, index, _ = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"({row} ->> {index})"


def insert_rows(
    connection: Connection, statement: Insert, names: Sequence[str], rows: Sequence[Values]
) -> None:
    """Execute the insert for each row; `names` are the columns of its values, in the table's order."""
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(names))
    assert isinstance(compiled, SQLCompiler)
    assert compiled.positiontup == list(names), compiled.positiontup
    connection.exec_driver_sql(str(compiled), _storable_rows(rows))


def insert_short_rows(
    connection: Connection, statement: Insert, columns: Mapping[str, str], rows: Sequence[Values]
) -> None:
    """Insert rows of few, short values; `columns` are theirs, with their PostgreSQL types.

    PostgreSQL gets all rows in one statement: executing one for each costs it more than storing the row.
    """
    if connection.dialect.name == "sqlite":
        insert_rows(connection, statement, tuple(columns), rows)
        return
    given = JsonRows("given", **columns)
    chosen = select(*given.c.values()).select_from(given.table)
    connection.execute(statement.from_select(list(columns), chosen), given.parameters(rows))


def _storable_rows(rows: Sequence[Values]) -> list[Values]:
    """Check all texts by encoding many at once; there is hardly ever one to clean."""
    try:
        is_clean = all(
            b"\\u0000" not in msgspec.json.encode(rows[start : start + _CHECKED_ROWS])
            for start in range(0, len(rows), _CHECKED_ROWS)
        )
    except UnicodeEncodeError:
        is_clean = False
    return list(rows) if is_clean else [tuple(storable(value) for value in row) for row in rows]
