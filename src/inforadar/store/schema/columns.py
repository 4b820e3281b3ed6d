"""Shared by all tables: the metadata with its naming convention, and recurring columns."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, Column, Index, MetaData

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


def partial_index(column: Column[Any]) -> Index:
    """An index of only the rows that have a value: queues are short, tables are long."""
    filled = column.is_not(None)
    return Index(
        f"ix_{column.table.name}_{column.name}", column, sqlite_where=filled, postgresql_where=filled
    )
