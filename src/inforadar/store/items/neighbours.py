"""The items before and after one in a list, found from its place: nobody has to know the page it was on.

The next one is the first of the page after it. The previous one is read in the other direction, by the same ways as
`store/items/pages.py` reads a page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, Connection, or_, select

from inforadar.model.ids import ItemId
from inforadar.model.item import Item
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.lookup import load_newest
from inforadar.store.items.one_row import is_first_of_url
from inforadar.store.items.pages import (
    FEW_FEEDS,
    SCAN_ITEMS,
    cursor_after,
    few_of,
    list_conditions,
    load_feed_ids,
    load_item_page,
)
from inforadar.store.items.queries import ItemFilter, conditions_of, with_known_names, without_words
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
    page = load_item_page(connection, wanted, limit=1, cursor=cursor)
    following = page.items[0].id if page.items else None
    return Neighbours(previous=_load_previous(connection, wanted, item), next=following)


def _load_previous(connection: Connection, wanted: ItemFilter, item: Item) -> ItemId | None:
    if wanted.search is not None and wanted.search.words is not None:
        return _previous_found(connection, wanted, wanted.search.words, item)
    newer = (
        items.c.pub_date >= item.published_at,
        or_(items.c.pub_date > item.published_at, items.c.id > item.id),
        *is_first_of_url(wanted),
    )
    few = few_of(connection, wanted)
    if few is not None:
        return _first_of_few(connection, [*few, *list_conditions(wanted), *newer])
    if wanted.sources or wanted.topics:
        feed_ids = load_feed_ids(connection, wanted, FEW_FEEDS + 1)
        if len(feed_ids) <= FEW_FEEDS:
            rest = list_conditions(replace(wanted, sources=(), topics=()))[len(ACTIVE) :]
            found = load_newest(connection, feed_ids, 1, [*rest, *newer], oldest_first=True)
            nearest = [one for candidates in found.values() for one in candidates]
            return min(nearest, key=lambda one: (one.published_at, one.id)).id if nearest else None
    query = (
        select(items.c.id)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(*list_conditions(wanted), *newer)
        .order_by(items.c.pub_date.asc(), items.c.id.asc())
        .limit(1)
    )
    return connection.execute(query).scalar()


def _first_of_few(connection: Connection, conditions: Sequence[ColumnElement[bool]]) -> ItemId | None:
    its_feed = feeds.c.id == unindexed(items.c.feed_id)
    joined = select(items.c.id, items.c.pub_date).join_from(items, feeds, its_feed).where(*conditions)
    all_ = joined.cte().prefix_with("MATERIALIZED")
    query = select(all_.c.id).order_by(all_.c.pub_date.asc(), all_.c.id.asc()).limit(1)
    return connection.execute(query).scalar()


def _previous_found(connection: Connection, wanted: ItemFilter, words: WordTree, item: Item) -> ItemId | None:
    """Look through the next newer items; only if none of them has the words, ask their index."""
    place = select(item_search.c.id).where(item_search.c.item_id == item.id).scalar_subquery()
    ahead = (
        select(item_search.c.id, item_search.c.item_id, item_search.c.words)
        .where(item_search.c.id > place)
        .order_by(item_search.c.id.asc())
    )
    near = ahead.limit(SCAN_ITEMS).cte("near").prefix_with("MATERIALIZED")
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
