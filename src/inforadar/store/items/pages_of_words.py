"""Pages of items that have some words, by the search index or by checking the newest items."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    Row,
    Select,
    column,
    func,
    select,
    table,
    text,
)

from inforadar.errors import UsageError
from inforadar.model.ids import FeedId
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import is_first_of_url
from inforadar.store.items.page_place import INVALID_CURSOR, ItemPage
from inforadar.store.items.queries import conditions_of, item_from_row, select_items, without_words
from inforadar.store.items.search import WordTree, fts5_query, has_words, has_words_unindexed
from inforadar.store.schema.items import items
from inforadar.store.schema.search import item_search
from inforadar.store.types import one_of, unindexed

SCAN_ITEMS, MAX_SCANS = 2000, 10
"""How many items are checked at a time for the words, and how often that is done for a page."""
COMMON_HITS = 20
"""With this many hits in a scan, words are common: scanning on finds the next page sooner than their index does."""


def are_feeds_faster(connection: Connection, words: WordTree, feed_ids: list[FeedId]) -> bool:
    """Whether many of the newest items have the words, but hardly any of these belong to these feeds."""
    places, _ = _scan(connection, words, None)
    if len(places) < COMMON_HITS:
        return False
    theirs = (
        select(func.count())
        .join_from(item_search, items, items.c.id == item_search.c.item_id)
        .where(one_of(item_search.c.id, places), one_of(unindexed(items.c.feed_id), feed_ids))
    )
    return connection.execute(theirs).scalar_one() < COMMON_HITS // 2


def _scan(connection: Connection, words: WordTree, below: int | None) -> tuple[list[int], int | None]:
    """Check the newest items for the words. Returns search ids of the hits, newest first, and where the scan ended."""
    place = item_search.c.id
    ahead = () if below is None else (place < below,)
    end = connection.execute(
        select(place).where(*ahead).order_by(place.desc()).offset(SCAN_ITEMS - 1).limit(1)
    ).scalar()
    within = ahead if end is None else (*ahead, place >= end)
    found = select(place).where(*within, has_words_unindexed(words)).order_by(place.desc())
    return list(connection.execute(found).scalars()), end


def found_page(
    connection: Connection,
    wanted: ItemFilter,
    feed_ids: list[FeedId],
    limit: int,
    cursor: str | None,
    *,
    with_content: bool,
) -> ItemPage:
    below = _search_after(cursor) if cursor else None
    assert wanted.search is not None
    words = wanted.search.words
    assert words is not None
    join = partial(_join_found, select_items(with_content=with_content), wanted, feed_ids)
    rows: list[Row[Any]] = []
    # For whole words FTS5 returns hits by id, highest first, and reads nothing beyond the page. In all other cases
    # the whole index entry is read before the first hit is known, which is too slow for common words.
    if connection.dialect.name != "sqlite" or wanted.search.has_prefix:
        for _ in range(MAX_SCANS):
            places, end = _scan(connection, words, below)
            if len(places) < COMMON_HITS:
                break
            part = join(item_search).where(one_of(item_search.c.id, places))
            newest = part.order_by(item_search.c.id.desc()).limit(limit + 1 - len(rows))
            rows += connection.execute(newest).all()
            if len(rows) > limit or end is None:
                return _page_of_found(rows, limit)
            below = end
    query = _join_all_found(connection, join, words, below)
    rows += connection.execute(query.limit(limit + 1 - len(rows))).all()
    return _page_of_found(rows, limit)


def _join_found(
    listed: Select[Any], wanted: ItemFilter, feed_ids: list[FeedId], found: FromClause
) -> Select[Any]:
    """Join rows of `item_search` with items. Given `feed_ids`, other items are dropped before reading their feed."""
    theirs = [one_of(unindexed(items.c.feed_id), feed_ids)] if feed_ids else []
    return (
        listed.add_columns(found.c.id.label("search_id"))
        .join(found, found.c.item_id == items.c.id)
        .where(*theirs, *conditions_of(without_words(wanted)), *is_first_of_url(wanted))
    )


def _join_all_found(
    connection: Connection, join: Callable[[FromClause], Select[Any]], words: WordTree, below: int | None
) -> Select[Any]:
    if connection.dialect.name == "sqlite":
        index = table("item_words", column("rowid", Integer))
        query = join(item_search).join(index, index.c.rowid == item_search.c.id)
        query = query.where(text("item_words MATCH :words").bindparams(words=fts5_query(words)))
        place: ColumnElement[int] = index.c.rowid
    else:
        # Materialized, because the planner would otherwise go by id and check item by item for a rare word.
        all_ = select(item_search.c.id, item_search.c.item_id).where(has_words(words))
        places = all_.cte().prefix_with("MATERIALIZED")
        # The offset makes it sort before it joins: items are read only until the page is full.
        found = select(places).order_by(places.c.id.desc()).offset(0).subquery()
        query = join(found)
        place = found.c.id
    if below is not None:
        query = query.where(place < below)
    return query.order_by(place.desc())


def _page_of_found(rows: list[Row[Any]], limit: int) -> ItemPage:
    more = f"s{rows[limit - 1].search_id}" if len(rows) > limit else None
    return ItemPage(items=tuple(item_from_row(row) for row in rows[:limit]), next=more)


def _search_after(cursor: str) -> int:
    digits = cursor.removeprefix("s").removeprefix("-")
    if not (cursor.startswith("s") and digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise UsageError(INVALID_CURSOR)
    # Within the databases' range of integers.
    return max(-(2**63), min(int(cursor[1:]), 2**63 - 1))
