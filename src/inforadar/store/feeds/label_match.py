"""Match feeds by source and topic names, ignoring case, with an index.

SQLite's index ignores case for ASCII letters only, and PostgreSQL's does so in the locale C. If a name has others,
all names are scanned there first.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, false, func, literal, select

from inforadar.store.schema.feeds import feeds
from inforadar.store.types import NAME_INDEX_CHARS, folded, unindexed
from inforadar.texts import storable_text


def spellings(names: Sequence[str]) -> list[str]:
    """What `is_named` compares the names as."""
    # No feed has a name that cannot be stored, and PostgreSQL refuses to look for one.
    possible = [name for name in names if storable_text(name) == name]
    # Python lowercases letters that the database's locale does not know.
    return list(dict.fromkeys([*possible, *(name.lower() for name in possible)]))


def is_named(column: ColumnElement[str], names: Sequence[str]) -> ColumnElement[bool]:
    """Condition: the column is one of `names`, which come from `known_names`. Uses the index."""
    meant = spellings(names)
    is_long = is_beyond_index(meant)
    return is_spelled(column, [literal(name) for name in meant], is_long=is_long) if meant else false()


def is_beyond_index(meant: Sequence[str]) -> bool:
    return any(len(name) >= NAME_INDEX_CHARS for name in meant)


def is_spelled(
    column: ColumnElement[str], meant: Sequence[ColumnElement[str]], *, is_long: bool
) -> ColumnElement[bool]:
    """Condition: the column is one of the spellings; `is_long`: one of them may be longer than the index has it."""
    is_one = folded(column).in_([folded(name) for name in meant])
    if not is_long:
        return is_one
    return and_(is_one, func.lower(column).in_([func.lower(name) for name in meant]))


def has_name(column: ColumnElement[str], names: Sequence[str]) -> ColumnElement[bool]:
    """Like `is_named`, but without the index: for feeds that are selected by something else."""
    return is_named(unindexed(column), names)


def known_names(connection: Connection, column: ColumnElement[str], names: Sequence[str]) -> tuple[str, ...]:
    """Add the spellings that feeds use, where the database cannot ignore case. Unknown names match nothing."""
    if all(map(str.isascii, names)):
        return tuple(names)
    meant = {name.casefold() for name in names}
    query = select(column).where(feeds.c.deleted_at.is_(None)).distinct()
    if connection.dialect.name != "sqlite":
        # Read nothing unless the database has a locale without these letters, such as C.
        query = query.where(func.lower(literal("Ż")) != literal("ż"))
    there = connection.execute(query).scalars()
    return tuple(dict.fromkeys([*names, *(name for name in there if name.casefold() in meant)]))
