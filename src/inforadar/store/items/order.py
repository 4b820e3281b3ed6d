"""Lists of items in other orders than newest first, and any page of them.

These orders have no index: an index per column would be written with every item but read only when somebody sorts by
it. The database scans the items instead, and sorts only ids, since raw contents are long.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from inforadar.model.item import Item
from inforadar.store.items.lookup import load_items
from inforadar.store.items.one_row import is_first_of_url, with_all_feeds
from inforadar.store.items.queries import ItemFilter, conditions_of, with_known_names
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
    wanted = with_known_names(connection, wanted)
    column = _COLUMNS[sort]
    first = column.desc() if descending else column.asc()
    if sort is SortKey.DATE:
        order = [first, items.c.id.desc() if descending else items.c.id.asc()]
    else:
        order = [first.nulls_last(), items.c.pub_date.desc(), items.c.id.desc()]
    query = (
        select(items.c.id)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(*conditions_of(wanted), *is_first_of_url(wanted))
        .order_by(*order)
        .limit(limit)
        .offset(offset)
    )
    ids = list(connection.execute(query).scalars())
    loaded = load_items(connection, ids)
    return with_all_feeds(connection, [loaded[id_] for id_ in ids if id_ in loaded])
