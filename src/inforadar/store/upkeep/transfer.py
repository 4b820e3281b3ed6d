"""Transfer rows from one database to another, or to a file and back.

A row is transferred as one line of JSON: an array of the table's columns in order. The same row gives the same line on
both databases, so that tables can be compared by a digest of their lines, in whatever order a database sorts them.
Local state is left out: leases, and tables that can be rebuilt.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Date,
    Float,
    Integer,
    LargeBinary,
    String,
    Table,
    Uuid,
    literal,
    select,
    tuple_,
)

from inforadar.model.item import METADATA_FIELDS
from inforadar.store.schema.all_tables import all_tables
from inforadar.store.schema.items import items
from inforadar.store.types import TextList, UtcDateTime

ROWS_PER_PAGE = 500

_REBUILT_TABLES = {
    *("redis_outbox", "item_search", "search_queue", "story_queue", "feed_counts", "person_feed_counts"),
    *("workers", "push_subscriptions", "push_callbacks"),
}
"""What can be rebuilt from other tables: the outbox for Redis, the search index, queues, and counters; and what belongs
to this database alone: the workers that are alive, and subscriptions to hubs, which each installation makes anew."""
_LEASE_COLUMNS = {"locked_until", "lease_token", "claimed_at", "analyze_until", "analyze_token"}
"""Which worker is working on what, in this database."""

Key = tuple[Any, ...]
Values = tuple[Any, ...]


def transferred_tables() -> list[Table]:
    """The tables to transfer, in an order in which no row comes before one it refers to."""
    return [table for table in all_tables() if table.name not in _REBUILT_TABLES]


def transferred_columns(table: Table) -> list[Column[Any]]:
    return [column for column in table.columns if column.name not in _LEASE_COLUMNS]


@dataclass(slots=True)
class Digest:
    """Counts lines and sums their hashes, so that the order does not matter."""

    rows: int = 0
    total: int = 0

    def add(self, line: bytes) -> None:
        self.rows += 1
        self.total += int.from_bytes(hashlib.blake2b(line, digest_size=16).digest(), "big")

    @property
    def checksum(self) -> str:
        return f"{self.total % 2**128:032x}"


def load_page(
    connection: Connection, table: Table, after: Key | None, limit: int = ROWS_PER_PAGE
) -> list[Values]:
    """Load the next rows by primary key; `after` is the key of the previous row."""
    keys = list(table.primary_key.columns)
    query = select(*transferred_columns(table)).order_by(*keys).limit(limit)
    if after is not None:
        given = (literal(value, column.type) for value, column in zip(after, keys, strict=True))
        query = query.where(tuple_(*keys) > tuple_(*given) if len(keys) > 1 else keys[0] > next(given))
    return [tuple(row) for row in connection.execute(query)]


def key_of(table: Table, values: Values) -> Key:
    names = [column.name for column in transferred_columns(table)]
    return tuple(values[names.index(column.name)] for column in table.primary_key.columns)


def load_rows(connection: Connection, table: Table) -> Iterator[Values]:
    after: Key | None = None
    while page := load_page(connection, table, after):
        yield from page
        after = key_of(table, page[-1])


def load_digest(connection: Connection, table: Table) -> Digest:
    digest = Digest()
    encode = line_encoder(table)
    for values in load_rows(connection, table):
        digest.add(encode(values))
    return digest


class line_encoder:  # noqa: N801 - used as a function that remembers the table
    """`encode(values)` returns the row's line, without a line break."""

    def __init__(self, table: Table) -> None:
        self._documents = [
            index for index, column in enumerate(transferred_columns(table)) if isinstance(column.type, JSON)
        ]

    def __call__(self, values: Values) -> bytes:
        if self._documents:
            settled = list(values)
            for index in self._documents:
                settled[index] = _settled(settled[index])
            return _ENCODER.encode(settled)
        return _ENCODER.encode(values)


_ENCODER = msgspec.json.Encoder(order="sorted")


def _settled(value: Any) -> Any:
    """A JSON document in one form for both databases: PostgreSQL returns 1e22 as an integer, SQLite as a float."""
    match value:
        case bool():
            return value
        case int() if abs(value) >= 2**53:
            return float(value)
        case float() if value.is_integer() and abs(value) < 2**53:
            return int(value)
        case dict():
            return {key: _settled(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_settled(inner) for inner in value]
        case _:
            return value


_LISTS = {field.name: field for field in METADATA_FIELDS if field.is_list}


def row_type(columns: Sequence[Column[Any]]) -> Any:
    """The type of a line for `msgspec.json.decode(line, type=…)`: strict, column by column."""
    return tuple[tuple(_value_type(column) for column in columns)]  # type: ignore[misc]


def _value_type(column: Column[Any]) -> Any:
    kind = _plain_type(column)
    return kind | None if column.nullable else kind


def _plain_type(column: Column[Any]) -> Any:
    if column.type is TextList:
        return list[str]
    if column.table is items and column.name in _LISTS:
        return list[dict[str, Any]] if _LISTS[column.name].parts else list[str]
    length = getattr(column.type, "length", None)
    if isinstance(column.type, String) and length is not None:
        return Annotated[str, msgspec.Meta(max_length=length)]
    return next((kind for of, kind in _TYPES if isinstance(column.type, of)), str)


_TYPES: tuple[tuple[type, Any], ...] = (
    (Uuid, UUID),
    (UtcDateTime, Annotated[datetime, msgspec.Meta(tz=True)]),
    (Date, date),
    (Boolean, bool),
    (BigInteger, Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]),
    (Integer, Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]),
    (Float, float),
    (LargeBinary, bytes),
    (JSON, dict[str, Any]),
)
"""Python types by column type; subclasses come before their bases."""
