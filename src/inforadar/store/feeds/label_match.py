"""Feeds by the sources and topics that people name, in small letters or capitals, found in an index.

SQLite's index knows that of ASCII letters alone: for a name with others all names are looked through first.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, func, literal, select

from inforadar.store.schema.feeds import feeds
from inforadar.store.types import NAME_LETTERS, folded, unindexed


def is_named(column: ColumnElement[str], names: Sequence[str]) -> ColumnElement[bool]:
    """By names as `known_names` has them; found in the index."""
    # What the database's locale does not know, Python does.
    meant = dict.fromkeys([*names, *(name.lower() for name in names)])
    is_one = folded(column).in_([folded(literal(name)) for name in meant])
    if max(map(len, meant)) < NAME_LETTERS:
        return is_one
    return and_(is_one, func.lower(column).in_([func.lower(name) for name in meant]))


def has_name(column: ColumnElement[str], names: Sequence[str]) -> ColumnElement[bool]:
    """The same of a feed that was found otherwise."""
    return is_named(unindexed(column), names)


def known_names(connection: Connection, column: ColumnElement[str], names: Sequence[str]) -> tuple[str, ...]:
    """The names as feeds have them, if the database would not find them; one that no feed has finds nothing."""
    if connection.dialect.name != "sqlite" or all(map(str.isascii, names)):
        return tuple(names)
    meant = {name.casefold() for name in names}
    kept = feeds.c.deleted_at.is_(None)
    there = connection.execute(select(column).where(kept).distinct()).scalars()
    return tuple(dict.fromkeys([*names, *(name for name in there if name.casefold() in meant)]))
