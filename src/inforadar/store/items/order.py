"""Lists of items in other orders than newest first, and any page of them.

These orders have no index: an index per column would be written with every item but read only when somebody sorts by
it. The database scans the items instead, and sorts only ids, since raw contents are long.

Pages are found by their number, as the terminal counts them, or by a cursor, as the API does: what arrives in between
moves no item onto another page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select

from inforadar.errors import UsageError
from inforadar.model.item import Item
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.lookup import load_items
from inforadar.store.items.one_row import is_first_of_url, with_all_feeds
from inforadar.store.items.page_place import INVALID_CURSOR, ItemPage, cursor_after, parse_cursor
from inforadar.store.items.queries import conditions_of, with_known_names
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items


class SortKey(StrEnum):
    """Sort keys of a list, in the order of its columns."""

    SOURCE = "source"
    TOPIC = "topic"
    TITLE = "title"
    DATE = "date"
    RATING = "rating"
    VIEWS = "views"
    COMMENTS = "comments"
    SCORE = "score"


_COLUMNS: dict[SortKey, ColumnElement[Any]] = {
    SortKey.SOURCE: func.lower(feeds.c.source),
    SortKey.TOPIC: func.lower(feeds.c.topic),
    SortKey.TITLE: func.lower(items.c.title),
    SortKey.DATE: items.c.pub_date,
    SortKey.RATING: items.c.rating,
    SortKey.VIEWS: items.c.views,
    SortKey.COMMENTS: items.c.comments,
    SortKey.SCORE: items.c.score,
}
_CURSOR_KEYS = (SortKey.DATE, SortKey.SCORE, SortKey.RATING, SortKey.VIEWS, SortKey.COMMENTS)
NEWEST_FIRST = "-date"
ITEM_ORDERS: Mapping[str, tuple[SortKey, bool]] = {
    f"{sign}{key.value}": (key, sign == "-") for key in _CURSOR_KEYS for sign in ("-", "")
}
"""Orders of pages by cursor: the sort key, and whether it descends."""


def load_sorted_items(
    connection: Connection,
    wanted: ItemFilter,
    sort: SortKey,
    *,
    descending: bool,
    limit: int,
    offset: int = 0,
) -> list[Item]:
    """Load a page of items. Items without a value come last in both directions; among equals the newest is first.

    An item that several feeds list is there once, with all of them.
    """
    query = _select_sorted(connection, wanted, sort, descending=descending)
    ids = list(connection.execute(query.limit(limit).offset(offset)).scalars())
    return _load_in_order(connection, ids)


def load_sorted_page(
    connection: Connection, wanted: ItemFilter, order: str, *, limit: int, cursor: str | None = None
) -> ItemPage:
    """Load a page in one of `ITEM_ORDERS`; the cursor is the `next` of the page before, in the same order."""
    sort, descending = ITEM_ORDERS[order]
    query = _select_sorted(connection, wanted, sort, descending=descending)
    if cursor is not None:
        given, _, place = cursor.partition("~")
        if given != order:
            raise UsageError(INVALID_CURSOR)
        query = query.where(_beyond(sort, place, descending=descending))
    found = _load_in_order(connection, list(connection.execute(query.limit(limit + 1)).scalars()))
    last = found[limit - 1] if len(found) > limit else None
    more = f"{order}~{_value_of(last, sort)}~{cursor_after(last)}" if last else None
    return ItemPage(items=tuple(found[:limit]), next=more)


def _select_sorted(
    connection: Connection, wanted: ItemFilter, sort: SortKey, *, descending: bool
) -> Select[Any]:
    wanted = with_known_names(connection, wanted)
    column = _COLUMNS[sort]
    first = column.desc() if descending else column.asc()
    if sort is SortKey.DATE:
        order = [first, items.c.id.desc() if descending else items.c.id.asc()]
    else:
        order = [first.nulls_last(), items.c.pub_date.desc(), items.c.id.desc()]
    return (
        select(items.c.id)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(*conditions_of(wanted), *is_first_of_url(wanted))
        .order_by(*order)
    )


def _load_in_order(connection: Connection, ids: list[Any]) -> list[Item]:
    loaded = load_items(connection, ids)
    return with_all_feeds(connection, [loaded[id_] for id_ in ids if id_ in loaded])


def _value_of(item: Item, sort: SortKey) -> str:
    value = None if sort is SortKey.DATE else getattr(item, sort.value)
    return "" if value is None else repr(value)


def _beyond(sort: SortKey, place: str, *, descending: bool) -> ColumnElement[bool]:
    """Whether an item comes after the place `VALUE~DATE.ID`."""
    text, _, rest = place.partition("~")
    at, id_ = parse_cursor(rest)
    if sort is SortKey.DATE and not descending:
        return and_(items.c.pub_date >= at, or_(items.c.pub_date > at, items.c.id > id_))
    older = and_(items.c.pub_date <= at, or_(items.c.pub_date < at, items.c.id < id_))
    if sort is SortKey.DATE:
        return older
    column = _COLUMNS[sort]
    if not text:
        return and_(column.is_(None), older)
    try:
        value = float(text)
    except ValueError:
        raise UsageError(INVALID_CURSOR) from None
    if not math.isfinite(value):
        raise UsageError(INVALID_CURSOR)
    return or_(
        column < value if descending else column > value, and_(column == value, older), column.is_(None)
    )
