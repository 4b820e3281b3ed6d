"""Column types that mean the same on SQLite and PostgreSQL.

`DateTime(timezone=True)` drops the offset on SQLite without a word, so times go through `UtcDateTime`,
which refuses naive ones. `db_now()` is the database's own clock: leases are judged by it alone, because
the clocks of several machines disagree.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, DateTime, Dialect, Text, TypeDecorator
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time, kept in UTC. On SQLite as readable text that sorts by time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone cannot be stored: {value!r}")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class db_now(FunctionElement[datetime]):  # noqa: N801 - reads as a function in SQL expressions
    """Now, by the database's clock, in the form that `UtcDateTime` stores."""

    type = UtcDateTime()
    inherit_cache = True
    name = "db_now"


@compiles(db_now)
def _default_now(element: db_now, compiler: SQLCompiler, **kw: Any) -> str:
    return "clock_timestamp()"


@compiles(db_now, "sqlite")
def _sqlite_now(element: db_now, compiler: SQLCompiler, **kw: Any) -> str:
    return "strftime('%Y-%m-%d %H:%M:%f000', 'now')"


class db_later(FunctionElement[datetime]):  # noqa: N801
    """`db_later(seconds)`: that many seconds from now, by the database's clock."""

    type = UtcDateTime()
    inherit_cache = True
    name = "db_later"


@compiles(db_later)
def _default_later(element: db_later, compiler: SQLCompiler, **kw: Any) -> str:
    seconds = compiler.process(element.clauses, **kw)
    return f"clock_timestamp() + make_interval(secs => CAST({seconds} AS double precision))"


@compiles(db_later, "sqlite")
def _sqlite_later(element: db_later, compiler: SQLCompiler, **kw: Any) -> str:
    seconds = compiler.process(element.clauses, **kw)
    return f"strftime('%Y-%m-%d %H:%M:%f000', 'now', CAST({seconds} AS TEXT) || ' seconds')"


JsonDoc = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
"""A JSON document: JSONB on PostgreSQL, text on SQLite."""

TextList = JSON().with_variant(ARRAY(Text()), "postgresql")
"""A list of strings: text[] on PostgreSQL, JSON on SQLite."""
