"""Feeds by the sources and topics that people name, in small letters or capitals, found in an index.

SQLite's index knows that of ASCII letters alone: for a name with others all names are looked through first.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, func, literal, literal_column, select

from inforadar.store.schema import feeds
from inforadar.store.types import folded

LONGEST = 200
"""Names that are longer stand in no index: a B-tree of PostgreSQL refuses long entries."""


def is_short(column: ColumnElement[str]) -> ColumnElement[bool]:
    """As the indexes have it."""
    return func.length(column) <= literal_column(str(LONGEST))


def is_named(column: ColumnElement[str], names: Sequence[str]) -> ColumnElement[bool]:
    """By names as `known_names` has them; found in the index."""
    is_one = has_name(column, names)
    return and_(is_one, is_short(column)) if max(map(len, names)) <= LONGEST else is_one


def has_name(column: ColumnElement[str], names: Sequence[str]) -> ColumnElement[bool]:
    """The same of a feed that was found otherwise."""
    # What the database's locale does not know, Python does.
    meant = dict.fromkeys([*names, *(name.lower() for name in names)])
    return folded(column).in_([folded(literal(name)) for name in meant])


def known_names(connection: Connection, column: ColumnElement[str], names: Sequence[str]) -> tuple[str, ...]:
    """The names as feeds have them, if the database would not find them; one that no feed has finds nothing."""
    if connection.dialect.name != "sqlite" or all(map(str.isascii, names)):
        return tuple(names)
    meant = {name.casefold() for name in names}
    kept = feeds.c.deleted_at.is_(None)
    there = connection.execute(select(column).where(kept).distinct()).scalars()
    return tuple(dict.fromkeys([*names, *(name for name in there if name.casefold() in meant)]))
