"""Shared by all tables: the metadata with its naming convention, and recurring columns."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, Column, ColumnElement, Index, MetaData, TextClause
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateIndex
from sqlalchemy.sql.compiler import DDLCompiler

from inforadar.store.types import UtcDateTime, db_now

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def enum_check(column: str, words: type) -> CheckConstraint:
    """A constraint that allows only the enum's values in `column`."""
    allowed = ", ".join(f"'{word.value}'" for word in words)  # type: ignore[attr-defined]
    return CheckConstraint(f"{column} IN ({allowed})", name=column)


def created_column() -> Column[object]:
    return Column("created_at", UtcDateTime, nullable=False, server_default=db_now())


def updated_column() -> Column[object]:
    return Column("updated_at", UtcDateTime, nullable=False, server_default=db_now())


def partial_index(
    name: str, *columns: ColumnElement[Any], where: ColumnElement[bool] | TextClause, unique: bool = False
) -> Index:
    """An index of only some rows."""
    return Index(name, *columns, unique=unique, sqlite_where=where, info={"where": where})


def filled_index(column: Column[Any]) -> Index:
    """An index of only the rows that have a value: queues are short, tables are long."""
    return partial_index(f"ix_{column.table.name}_{column.name}", column, where=column.is_not(None))


def hash_index(name: str, column: Column[Any]) -> Index:
    """An index that PostgreSQL keeps as hashes, because its B-trees refuse long values."""
    return Index(name, column, info={"using": "hash"})


@compiles(CreateIndex, "postgresql")
def _create_on_postgres(create: CreateIndex, compiler: DDLCompiler, **options: Any) -> str:
    """Create an index with what its `info` says of it.

    If an index named its options for PostgreSQL, SQLAlchemy would import that dialect also where only SQLite is used.
    """
    index = create.element
    index.dialect_options["postgresql"].update(index.info)
    written: str = compiler.visit_create_index(create, **options)  # type: ignore[no-untyped-call]
    return written
