"""Column types that mean the same on SQLite and PostgreSQL.

`DateTime(timezone=True)` silently drops the offset on SQLite, so times use `UtcDateTime`, which refuses naive ones.
`db_now()` is the database's own clock: leases are judged by it alone, because the clocks of several machines disagree.
Texts come from the web and use `WebText`: PostgreSQL cannot store NUL, and neither database half of a surrogate pair;
a hostile document can contain both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, SafeUUID

import msgspec
from sqlalchemy import (
    JSON,
    ColumnElement,
    DateTime,
    Dialect,
    Integer,
    Text,
    TypeDecorator,
    Uuid,
    bindparam,
    type_coerce,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import NullType, TypeEngine

from inforadar.texts import storable_text


class UtcDateTime(TypeDecorator[datetime]):
    """An aware time, stored in UTC. On SQLite as readable text that sorts by time."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"a time without a zone cannot be stored: {value!r}")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None]:
        """One call per value instead of three: a claim reads thousands."""
        return _read_sqlite_time if dialect.name == "sqlite" else _read_postgres_time


def _read_sqlite_time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(f"{text}+00:00")


def _read_postgres_time(value: datetime | None) -> datetime | None:
    # The driver returns UTC; only the minimum time comes without a zone.
    return value.replace(tzinfo=UTC) if value and value.tzinfo is None else value


class SqliteUuid(Uuid[UUID]):
    """Reads a stored id in a third of the time that `UUID` takes: it parses any form, and ours have one."""

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], UUID | None]:
        return _read_sqlite_uuid


_set_int, _set_is_safe = (vars(UUID)[slot].__set__ for slot in ("int", "is_safe"))
"""Fill the slots of a `UUID`, as its constructor does: it has no setters."""
_UNKNOWN = SafeUUID.unknown


def _read_sqlite_uuid(text: str | None) -> UUID | None:
    if text is None:
        return None
    read = object.__new__(UUID)
    _set_int(read, int(text, 16))
    _set_is_safe(read, _UNKNOWN)
    return read


def storable(value: Any) -> Any:
    """Remove what databases cannot store from a text or from anywhere inside a JSON document."""
    match value:
        case str():
            return storable_text(value)
        case dict():
            return {storable(key): storable(inner) for key, inner in value.items()}
        case list() | tuple():
            return [storable(inner) for inner in value]
        case _:
            return value


def encode_json(value: Any) -> str:
    """Encode as JSON that can be stored. There is hardly ever anything to remove, so that is checked afterwards."""
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(storable(value)).decode()
    if b"\\u0000" in encoded:
        encoded = msgspec.json.encode(storable(value))
    return encoded.decode()


class WebText(TypeDecorator[str]):
    """A text from outside, without characters that cannot be stored."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class db_now(FunctionElement[datetime]):  # noqa: N801 - reads as a function in SQL expressions
    """Now, by the database's clock, in the form that `UtcDateTime` stores.

    On PostgreSQL the time at which the statement started: an index cannot be searched for a moving time.
    """

    type = UtcDateTime()
    inherit_cache = True
    name = "db_now"


@compiles(db_now)
def _default_now(element: db_now, compiler: SQLCompiler, **kw: Any) -> str:
    return "statement_timestamp()"


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
    return f"statement_timestamp() + make_interval(secs => CAST({seconds} AS double precision))"


@compiles(db_later, "sqlite")
def _sqlite_later(element: db_later, compiler: SQLCompiler, **kw: Any) -> str:
    seconds = compiler.process(element.clauses, **kw)
    return f"strftime('%Y-%m-%d %H:%M:%f000', 'now', CAST({seconds} AS TEXT) || ' seconds')"


class db_after(FunctionElement[datetime]):  # noqa: N801
    """`db_after(column)`: now, but later than the column's time, so that no two changes have the same time."""

    type = UtcDateTime()
    inherit_cache = True
    name = "db_after"


@compiles(db_after)
def _default_after(element: db_after, compiler: SQLCompiler, **kw: Any) -> str:
    column = compiler.process(element.clauses, **kw)
    return f"greatest(statement_timestamp(), {column} + interval '1 microsecond')"


@compiles(db_after, "sqlite")
def _sqlite_after(element: db_after, compiler: SQLCompiler, **kw: Any) -> str:
    column = compiler.process(element.clauses, **kw)
    later = f"strftime('%Y-%m-%d %H:%M:%f000', {column}, '0.001 seconds')"
    return f"max(strftime('%Y-%m-%d %H:%M:%f000', 'now'), coalesce({later}, ''))"


# The types of PostgreSQL are imported only with a connection to it: they would cost every start on SQLite 0.04 s.
class _PostgresJson(TypeDecorator[Any]):
    """JSONB."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415

        return dialect.type_descriptor(JSONB(none_as_null=True))


class _PostgresTexts(TypeDecorator[Any]):
    """`text[]`."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(_array(Text()))


def _array(item: TypeEngine[Any]) -> TypeEngine[Any]:
    from sqlalchemy.dialects.postgresql import ARRAY  # noqa: PLC0415

    return ARRAY(item)


JsonDoc = JSON(none_as_null=True).with_variant(_PostgresJson(), "postgresql")
"""A JSON document: JSONB on PostgreSQL, text on SQLite."""

TextList = JSON().with_variant(_PostgresTexts(), "postgresql")
"""A list of strings: text[] on PostgreSQL, JSON on SQLite."""


class unindexed(FunctionElement[Any]):  # noqa: N801
    """The column itself, with a hint to SQLite not to use an index on it.

    SQLite assumes that a condition on an indexed column leaves few rows. Most feeds are enabled.
    """

    inherit_cache = True
    name = "unindexed"

    def __init__(self, column: ColumnElement[Any]) -> None:
        super().__init__(column)
        self.type = column.type


@compiles(unindexed)
def _default_unindexed(element: unindexed, compiler: SQLCompiler, **kw: Any) -> str:
    return compiler.process(element.clauses, **kw)


@compiles(unindexed, "sqlite")
def _sqlite_unindexed(element: unindexed, compiler: SQLCompiler, **kw: Any) -> str:
    return f"+{compiler.process(element.clauses, **kw)}"


NAME_INDEX_CHARS = 200
"""How many characters of a source's or topic's name are in an index."""


class folded(FunctionElement[Any]):  # noqa: N801
    """A name for comparison without regard to case, in a form that an index can have.

    On SQLite this ignores the case of ASCII letters only; on PostgreSQL it is the first 200 characters, because B-trees
    refuse long entries. (An index of only short names would work too, but the planner would get no statistics from it.)
    """

    inherit_cache = True
    name = "folded"

    def __init__(self, text: ColumnElement[str]) -> None:
        super().__init__(text)
        self.type = text.type


@compiles(folded)
def _default_folded(element: folded, compiler: SQLCompiler, **kw: Any) -> str:
    return f"lower(left({compiler.process(element.clauses, **kw)}, {NAME_INDEX_CHARS}))"


@compiles(folded, "sqlite")
def _sqlite_folded(element: folded, compiler: SQLCompiler, **kw: Any) -> str:
    return f"{compiler.process(element.clauses, **kw)} COLLATE NOCASE"


class _ListOf(TypeDecorator[Any]):
    """Many values as one parameter: an array on PostgreSQL, JSON on SQLite."""

    impl = Text
    cache_ok = True

    def __init__(self, item: TypeEngine[Any]) -> None:
        super().__init__()
        self.item = item

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else _array(self.item))

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        if dialect.name != "sqlite":
            return value
        stored = self.item.dialect_impl(dialect).bind_processor(dialect)
        if stored is None or (value and isinstance(value[0], str)):
            # Texts, or ids in their stored form.
            return msgspec.json.encode(value).decode()
        return msgspec.json.encode([stored(one) for one in value]).decode()


class _OneOf(FunctionElement[bool]):
    # Not a Boolean: SQLite has none, and SQLAlchemy would write `… IN (…) = 1`, which cannot use an index.
    type = NullType()  # type: ignore[assignment]
    inherit_cache = True
    name = "one_of"


@compiles(_OneOf)
def _default_one_of(element: _OneOf, compiler: SQLCompiler, **kw: Any) -> str:
    column, values = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"{column} = ANY ({values})"


@compiles(_OneOf, "sqlite")
def _sqlite_one_of(element: _OneOf, compiler: SQLCompiler, **kw: Any) -> str:
    column, values = (compiler.process(clause, **kw) for clause in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({values}))"  # noqa: S608 - both are compiled already


def one_of(column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    """`column IN (values)` for any number of values: a statement takes at most 32,766 parameters."""
    return _OneOf(column, bindparam(None, list(values), type_=_ListOf(column.type), unique=True))


def one_of_given(column: ColumnElement[Any], name: str, values: Iterable[Any] = ()) -> ColumnElement[bool]:
    """Like `one_of`, for a statement that is built once: the list is the parameter `name` at execution."""
    return _OneOf(column, bindparam(name, list(values), type_=_ListOf(column.type)))


StoredId = UUID | str
"""An id as the driver returns it: on SQLite its hexadecimal text, which is not made into a `UUID`."""


def stored_form(column: ColumnElement[Any]) -> ColumnElement[Any]:
    """The column, with its values as the driver returns them: for many rows of which only some are looked at."""
    return type_coerce(column, NullType())


class guid_key(FunctionElement[Any]):  # noqa: N801
    """An entry's id as it is indexed: the text on SQLite; its digest on PostgreSQL, which cannot index long ones."""

    type = Text()
    inherit_cache = True
    name = "guid_key"


@compiles(guid_key)
def _default_guid_key(element: guid_key, compiler: SQLCompiler, **kw: Any) -> str:
    return f"md5({compiler.process(element.clauses, **kw)})"


@compiles(guid_key, "sqlite")
def _sqlite_guid_key(element: guid_key, compiler: SQLCompiler, **kw: Any) -> str:
    return compiler.process(element.clauses, **kw)


class fragment_at(FunctionElement[Any]):  # noqa: N801
    """The position of the fragment in a URL, 0 if it has none."""

    type = Integer()
    inherit_cache = True
    name = "fragment_at"


@compiles(fragment_at)
def _default_fragment_at(element: fragment_at, compiler: SQLCompiler, **kw: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **kw)}, '#')"


@compiles(fragment_at, "sqlite")
def _sqlite_fragment_at(element: fragment_at, compiler: SQLCompiler, **kw: Any) -> str:
    return f"instr({compiler.process(element.clauses, **kw)}, '#')"
