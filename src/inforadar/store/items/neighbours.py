"""The items before and after one in a list, found from its place: nobody has to know the page it was on.

The next one is the first of the page after it. The previous one is read in the other direction, by the same ways as
`store/items/pages.py` reads a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select

from inforadar.model.ids import ItemId
from inforadar.model.item import Item
from inforadar.store.items.item_filter import ItemFilter, for_each_shape, values_of
from inforadar.store.items.one_row import is_first_of_url
from inforadar.store.items.page_place import ahead, cursor_after, values_of_place
from inforadar.store.items.pages import few_of, load_item_page
from inforadar.store.items.pages_of_feeds import FEW_FEEDS, load_feed_ids, previous_of_feeds
from inforadar.store.items.pages_of_words import SCAN_ITEMS
from inforadar.store.items.queries import conditions_of, list_conditions, with_known_names, without_words
from inforadar.store.items.search import WordTree, has_words, has_words_unindexed
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.search import item_search
from inforadar.store.types import unindexed


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    previous: ItemId | None = None
    """The newer one."""
    next: ItemId | None = None


def load_neighbours(connection: Connection, wanted: ItemFilter, item: Item) -> Neighbours:
    """Load the neighbours of an item in a list, newest first, whether or not it is still part of it."""
    wanted = with_known_names(connection, wanted)
    if wanted.search is None or wanted.search.words is None:
        cursor = cursor_after(item)
    else:
        place = connection.execute(select(item_search.c.id).where(item_search.c.item_id == item.id)).scalar()
        if place is None:
            return Neighbours()
        cursor = f"s{place}"
    page = load_item_page(connection, wanted, limit=1, cursor=cursor, with_content=False)
    following = page.items[0].id if page.items else None
    return Neighbours(previous=_load_previous(connection, wanted, item), next=following)


def _load_previous(connection: Connection, wanted: ItemFilter, item: Item) -> ItemId | None:
    if wanted.search is not None and wanted.search.words is not None:
        return _previous_found(connection, wanted, wanted.search.words, item)
    few = few_of(connection, wanted)
    place = (item.published_at, item.id)
    if few is not None:
        return _first_of_few(connection, wanted, few, place)
    if wanted.sources or wanted.topics:
        feed_ids = load_feed_ids(connection, wanted, FEW_FEEDS + 1)
        if len(feed_ids) <= FEW_FEEDS:
            return previous_of_feeds(connection, wanted, feed_ids, place)
    found: ItemId | None = connection.execute(
        _previous(wanted), values_of(wanted) | values_of_place(place)
    ).scalar()
    return found


@for_each_shape
def _previous(wanted: ItemFilter) -> Select[Any]:
    return (
        select(items.c.id)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(*list_conditions(wanted), *ahead(), *is_first_of_url(wanted))
        .order_by(items.c.pub_date.asc(), items.c.id.asc())
        .limit(1)
    )


def _first_of_few(
    connection: Connection,
    wanted: ItemFilter,
    few: tuple[ColumnElement[bool], ...],
    place: tuple[datetime, ItemId],
) -> ItemId | None:
    its_feed = feeds.c.id == unindexed(items.c.feed_id)
    conditions = [*few, *list_conditions(wanted), *ahead(), *is_first_of_url(wanted)]
    joined = select(items.c.id, items.c.pub_date).join_from(items, feeds, its_feed).where(*conditions)
    all_ = joined.cte().prefix_with("MATERIALIZED")
    query = select(all_.c.id).order_by(all_.c.pub_date.asc(), all_.c.id.asc()).limit(1)
    found: ItemId | None = connection.execute(query, values_of_place(place)).scalar()
    return found


def _previous_found(connection: Connection, wanted: ItemFilter, words: WordTree, item: Item) -> ItemId | None:
    """Look through the next newer items; only if none of them has the words, ask their index."""
    place = select(item_search.c.id).where(item_search.c.item_id == item.id).scalar_subquery()
    newer = (
        select(item_search.c.id, item_search.c.item_id, item_search.c.words)
        .where(item_search.c.id > place)
        .order_by(item_search.c.id.asc())
    )
    near = newer.limit(SCAN_ITEMS).cte("near").prefix_with("MATERIALIZED")
    ids = select(near.c.id)
    is_near = item_search.c.id.in_(ids)
    for narrowed in ((is_near, has_words_unindexed(words)), (has_words(words),)):
        query = (
            select(items.c.id)
            .join_from(item_search, items, items.c.id == item_search.c.item_id)
            .join(feeds, feeds.c.id == items.c.feed_id)
            .where(
                item_search.c.id > place,
                *narrowed,
                *conditions_of(without_words(wanted)),
                *is_first_of_url(wanted),
            )
            .order_by(item_search.c.id.asc())
            .limit(1)
        )
        found: ItemId | None = connection.execute(query).scalar()
        if found is not None:
            return found
    return None
