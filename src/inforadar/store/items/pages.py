"""Lists of items page by page, newest first, each page as fast as the first.

A page starts after the last item of the previous one, given by a cursor; an offset would read all the rows it skips.
There are four ways to the same list, each with an index; the one with the fewest rows to read is used:

    few marks or scores   all items that have them, then the newest of those
    some words            the search index, whose ids are in order of date; for words that nearly every item has, it is
                          faster to check the newest items
    a few feeds           the newest of each from its own index, then the newest of those
    otherwise             the index over all dates

In all ways but the second, each item is checked for the words.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select

from inforadar.model.ids import FeedId, ItemId
from inforadar.store.items.item_filter import ItemFilter, for_each_shape, values_of
from inforadar.store.items.lookup import FEW_SCORED, are_few, is_sqlite, load_items
from inforadar.store.items.one_row import is_first_of_url, with_all_feeds
from inforadar.store.items.page_place import (
    ItemPage,
    beyond,
    in_order,
    page_of,
    parse_cursor,
    values_of_place,
)
from inforadar.store.items.pages_of_feeds import FEW_FEEDS, load_feed_ids, page_of_feeds
from inforadar.store.items.pages_of_words import are_feeds_faster, found_page
from inforadar.store.items.queries import (
    item_from_row,
    list_conditions,
    scores_of,
    select_items,
    with_known_names,
)
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.types import one_of, unindexed

FEW_MARKED = 2000


def load_item_page(
    connection: Connection,
    wanted: ItemFilter,
    *,
    limit: int = 50,
    cursor: str | None = None,
    with_content: bool = True,
) -> ItemPage:
    """Load a page; an item that several feeds list is on it once, with all of them."""
    known = with_known_names(connection, wanted)
    page = _load_page(connection, known, limit, cursor, with_content=with_content)
    return replace(page, items=tuple(with_all_feeds(connection, page.items)))


def _load_page(
    connection: Connection, wanted: ItemFilter, limit: int, cursor: str | None, *, with_content: bool
) -> ItemPage:
    nothing = ItemPage(items=(), next=None)
    if wanted.person_id is None and (wanted.starred or wanted.archived):
        return nothing
    feed_ids: list[FeedId] = []
    if wanted.sources or wanted.topics:
        feed_ids = load_feed_ids(connection, wanted, FEW_FEEDS + 1)
        if not feed_ids:
            return nothing
    few_feeds = 0 < len(feed_ids) <= FEW_FEEDS
    words = wanted.search.words if wanted.search else None
    continues_search = words is not None and cursor is not None and cursor.startswith("s")
    few = None if continues_search else few_of(connection, wanted)
    # The next page is read in the same way as the page that the cursor came from.
    if continues_search or (
        words is not None
        and cursor is None
        and few is None
        and not (few_feeds and are_feeds_faster(connection, words, feed_ids))
    ):
        # PostgreSQL would start with all items of the feeds.
        theirs = feed_ids if few_feeds and is_sqlite(connection) else []
        return found_page(connection, wanted, theirs, limit, cursor, with_content=with_content)
    after = parse_cursor(cursor) if cursor else None
    if few is not None:
        return _page_of_few(connection, wanted, few, limit, after, with_content=with_content)
    if few_feeds:
        return page_of_feeds(connection, wanted, feed_ids, limit, after, with_content=with_content)
    given = values_of(wanted) | values_of_place(after) | {"number": limit + 1}
    statement = _newest(wanted, has_place=after is not None, with_content=with_content)
    rows = connection.execute(statement, given).all()
    return page_of([item_from_row(row) for row in rows], limit)


@for_each_shape
def _newest(wanted: ItemFilter, *, has_place: bool, with_content: bool) -> Select[Any]:
    conditions = [*list_conditions(wanted), *beyond(has_place), *is_first_of_url(wanted)]
    return in_order(select_items(with_content=with_content).where(*conditions))


def few_of(connection: Connection, wanted: ItemFilter) -> tuple[ColumnElement[bool], ...] | None:
    """Conditions that select all wanted items and few others; None if there are many."""
    if wanted.person_id and (wanted.starred or wanted.archived):
        urls = _marked_urls(connection, wanted)
        if len(urls) <= FEW_MARKED:
            return (one_of(items.c.url, urls),)
    scored = scores_of(wanted, items.c.score)
    return scored if scored and are_few(connection, scored, FEW_SCORED) else None


def _marked_urls(connection: Connection, wanted: ItemFilter) -> list[str]:
    query = select(marks.c.url).where(marks.c.person_id == wanted.person_id).limit(FEW_MARKED + 1)
    if wanted.starred:
        query = query.where(marks.c.starred_at.is_not(None))
    if wanted.archived:
        query = query.where(marks.c.archived_at.is_not(None))
    return list(connection.execute(query).scalars())


def _page_of_few(
    connection: Connection,
    wanted: ItemFilter,
    few: tuple[ColumnElement[bool], ...],
    limit: int,
    after: tuple[datetime, ItemId] | None,
    *,
    with_content: bool,
) -> ItemPage:
    """Find a few among millions: in order of date, nearly all others would be read to find them."""
    its_feed = feeds.c.id == unindexed(items.c.feed_id)
    joined = select(items.c.id, items.c.pub_date).join_from(items, feeds, its_feed)
    conditions = [*list_conditions(wanted), *beyond(after is not None), *is_first_of_url(wanted)]
    all_ = joined.where(*few, *conditions).cte().prefix_with("MATERIALIZED")
    newest = select(all_.c.id).order_by(all_.c.pub_date.desc(), all_.c.id.desc()).limit(limit + 1)
    chosen = list(connection.execute(newest, values_of_place(after)).scalars())
    loaded = load_items(connection, chosen, with_content=with_content)
    return page_of([loaded[id_] for id_ in chosen if id_ in loaded], limit)
