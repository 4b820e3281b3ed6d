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

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Integer,
    Row,
    Select,
    column,
    func,
    or_,
    select,
    table,
    text,
)

from inforadar.errors import UsageError
from inforadar.model.ids import FeedId, ItemId
from inforadar.model.item import Item
from inforadar.store.feeds.label_match import is_named
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.lookup import FEW_SCORED, Candidate, are_few, load_items, load_newest
from inforadar.store.items.one_row import is_first_of_url, with_all_feeds
from inforadar.store.items.queries import (
    ItemFilter,
    conditions_of,
    item_from_row,
    scores_of,
    select_items,
    with_known_names,
    without_words,
)
from inforadar.store.items.search import WordTree, fts5_query, has_words, has_words_unindexed
from inforadar.store.items.search_terms import search_conditions
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.schema.search import item_search
from inforadar.store.types import one_of, unindexed

FEW_FEEDS = 200
FEW_MARKED = 2000
SCAN_ITEMS, MAX_SCANS = 2000, 10
"""How many items are checked at a time for the words, and how often that is done for a page."""
COMMON_HITS = 20
"""With this many hits in a scan, words are common: scanning on finds the next page sooner than their index does."""
_FIRST_FEEDS = 2
"""Number of feeds read before using what was found to limit the others; doubled each time."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
INVALID_CURSOR = "The cursor does not belong to this list. Start without one."


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    items: tuple[Item, ...]
    next: str | None
    """The cursor of the next page; None if this is the last one."""


def load_item_page(
    connection: Connection, wanted: ItemFilter, *, limit: int = 50, cursor: str | None = None
) -> ItemPage:
    """Load a page; an item that several feeds list is on it once, with all of them."""
    page = _load_page(connection, with_known_names(connection, wanted), limit, cursor)
    return replace(page, items=tuple(with_all_feeds(connection, page.items)))


def _load_page(connection: Connection, wanted: ItemFilter, limit: int, cursor: str | None) -> ItemPage:
    feed_ids: list[FeedId] = []
    if wanted.sources or wanted.topics:
        feed_ids = load_feed_ids(connection, wanted, FEW_FEEDS + 1)
        if not feed_ids:
            return ItemPage(items=(), next=None)
    few_feeds = 0 < len(feed_ids) <= FEW_FEEDS
    words = wanted.search.words if wanted.search else None
    continues_search = words is not None and cursor is not None and cursor.startswith("s")
    few = None if continues_search else few_of(connection, wanted)
    # The next page is read in the same way as the page that the cursor came from.
    if continues_search or (
        words is not None
        and cursor is None
        and few is None
        and not (few_feeds and _are_feeds_faster(connection, words, feed_ids))
    ):
        # PostgreSQL would start with all items of the feeds.
        theirs = feed_ids if few_feeds and connection.dialect.name == "sqlite" else []
        return _found_page(connection, wanted, theirs, limit, cursor)
    after = parse_cursor(cursor) if cursor else None
    if few is not None:
        return _page_of_few(connection, wanted, few, limit, after)
    if few_feeds:
        return _page_of_feeds(connection, wanted, feed_ids, limit, after)
    conditions = [*list_conditions(wanted), *_beyond(after), *is_first_of_url(wanted)]
    newest = select_items().where(*conditions).order_by(items.c.pub_date.desc(), items.c.id.desc())
    found = [item_from_row(row) for row in connection.execute(newest.limit(limit + 1))]
    return _page(found, limit)


def list_conditions(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    """The conditions without the search index: the words are checked in each item."""
    conditions = conditions_of(replace(wanted, search=None))
    if wanted.search is not None:
        conditions += search_conditions(wanted.search, items, wanted.person_id, with_index=False)
    return conditions


def has_feeds(connection: Connection, wanted: ItemFilter) -> bool:
    """Whether an active feed has such labels."""
    return bool(load_feed_ids(connection, with_known_names(connection, wanted), 1))


def load_feed_ids(connection: Connection, wanted: ItemFilter, limit: int) -> list[FeedId]:
    query = select(feeds.c.id).where(*ACTIVE)
    if wanted.hidden:
        query = query.where(feeds.c.id.not_in(wanted.hidden))
    if wanted.sources:
        query = query.where(is_named(feeds.c.source, wanted.sources))
    if wanted.topics:
        query = query.where(is_named(feeds.c.topic, wanted.topics))
    return list(connection.execute(query.order_by(feeds.c.id).limit(limit)).scalars())


def _page_of_feeds(
    connection: Connection,
    wanted: ItemFilter,
    feed_ids: list[FeedId],
    limit: int,
    after: tuple[datetime, ItemId] | None,
) -> ItemPage:
    # The feeds are known to be active and to have these names; the remaining conditions concern only items.
    rest = list_conditions(replace(wanted, sources=(), topics=()))[len(ACTIVE) :]
    conditions = [*rest, *_beyond(after), *is_first_of_url(wanted)]
    chosen: list[Candidate] = []
    start, number = 0, _FIRST_FEEDS
    while start < len(feed_ids):
        # Items older than a whole page from the feeds so far cannot be on it.
        floor = [items.c.pub_date >= chosen[limit].published_at] if len(chosen) > limit else []
        part = feed_ids[start : start + number]
        newest = load_newest(connection, part, limit + 1, [*conditions, *floor])
        chosen += (one for candidates in newest.values() for one in candidates)
        chosen = sorted(chosen, key=lambda one: (one.published_at, one.id), reverse=True)[: limit + 1]
        start, number = start + number, number * 2
    loaded = load_items(connection, [one.id for one in chosen])
    return _page([loaded[one.id] for one in chosen if one.id in loaded], limit)


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
) -> ItemPage:
    """Find a few among millions: in order of date, nearly all others would be read to find them."""
    its_feed = feeds.c.id == unindexed(items.c.feed_id)
    joined = select(items.c.id, items.c.pub_date).join_from(items, feeds, its_feed)
    conditions = [*list_conditions(wanted), *_beyond(after), *is_first_of_url(wanted)]
    all_ = joined.where(*few, *conditions).cte().prefix_with("MATERIALIZED")
    newest = select(all_.c.id).order_by(all_.c.pub_date.desc(), all_.c.id.desc()).limit(limit + 1)
    chosen = list(connection.execute(newest).scalars())
    loaded = load_items(connection, chosen)
    return _page([loaded[id_] for id_ in chosen if id_ in loaded], limit)


def _are_feeds_faster(connection: Connection, words: WordTree, feed_ids: list[FeedId]) -> bool:
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


def _found_page(
    connection: Connection, wanted: ItemFilter, feed_ids: list[FeedId], limit: int, cursor: str | None
) -> ItemPage:
    below = _search_after(cursor) if cursor else None
    assert wanted.search is not None
    words = wanted.search.words
    assert words is not None
    rows: list[Row[Any]] = []
    # For whole words FTS5 returns hits by id, highest first, and reads nothing beyond the page. In all other cases
    # the whole index entry is read before the first hit is known, which is too slow for common words.
    if connection.dialect.name != "sqlite" or wanted.search.has_prefix:
        for _ in range(MAX_SCANS):
            places, end = _scan(connection, words, below)
            if len(places) < COMMON_HITS:
                break
            part = _select_found(wanted, feed_ids, item_search).where(one_of(item_search.c.id, places))
            newest = part.order_by(item_search.c.id.desc()).limit(limit + 1 - len(rows))
            rows += connection.execute(newest).all()
            if len(rows) > limit or end is None:
                return _page_of_found(rows, limit)
            below = end
    query = _select_all_found(connection, wanted, feed_ids, words, below)
    rows += connection.execute(query.limit(limit + 1 - len(rows))).all()
    return _page_of_found(rows, limit)


def _select_found(wanted: ItemFilter, feed_ids: list[FeedId], found: FromClause) -> Select[Any]:
    """Join rows of `item_search` with items. Given `feed_ids`, other items are dropped before reading their feed."""
    theirs = [one_of(unindexed(items.c.feed_id), feed_ids)] if feed_ids else []
    return (
        select_items()
        .add_columns(found.c.id.label("search_id"))
        .join(found, found.c.item_id == items.c.id)
        .where(*theirs, *conditions_of(without_words(wanted)), *is_first_of_url(wanted))
    )


def _select_all_found(
    connection: Connection, wanted: ItemFilter, feed_ids: list[FeedId], words: WordTree, below: int | None
) -> Select[Any]:
    if connection.dialect.name == "sqlite":
        index = table("item_words", column("rowid", Integer))
        query = _select_found(wanted, feed_ids, item_search).join(index, index.c.rowid == item_search.c.id)
        query = query.where(text("item_words MATCH :words").bindparams(words=fts5_query(words)))
        place: ColumnElement[int] = index.c.rowid
    else:
        # Materialized, because the planner would otherwise go by id and check item by item for a rare word.
        all_ = select(item_search.c.id, item_search.c.item_id).where(has_words(words))
        places = all_.cte().prefix_with("MATERIALIZED")
        # The offset makes it sort before it joins: items are read only until the page is full.
        found = select(places).order_by(places.c.id.desc()).offset(0).subquery()
        query = _select_found(wanted, feed_ids, found)
        place = found.c.id
    if below is not None:
        query = query.where(place < below)
    return query.order_by(place.desc())


def _page_of_found(rows: list[Row[Any]], limit: int) -> ItemPage:
    more = f"s{rows[limit - 1].search_id}" if len(rows) > limit else None
    return ItemPage(items=tuple(item_from_row(row) for row in rows[:limit]), next=more)


def _page(found: list[Item], limit: int) -> ItemPage:
    more = cursor_after(found[limit - 1]) if len(found) > limit else None
    return ItemPage(items=tuple(found[:limit]), next=more)


def cursor_after(item: Item) -> str:
    """The cursor of the page that begins after this item, in a list without words."""
    return f"{(item.published_at - _EPOCH) // _MICROSECOND}.{item.id.hex}"


def parse_cursor(cursor: str) -> tuple[datetime, ItemId]:
    """Read what `cursor_after` wrote."""
    at, _, id_ = cursor.partition(".")
    try:
        if not cursor.isascii():
            raise ValueError
        return _EPOCH + int(at) * _MICROSECOND, ItemId(UUID(id_))
    except (ValueError, OverflowError):
        raise UsageError(INVALID_CURSOR) from None


def _search_after(cursor: str) -> int:
    digits = cursor.removeprefix("s").removeprefix("-")
    if not (cursor.startswith("s") and digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise UsageError(INVALID_CURSOR)
    # Within the databases' range of integers.
    return max(-(2**63), min(int(cursor[1:]), 2**63 - 1))


def _beyond(after: tuple[datetime, ItemId] | None) -> tuple[ColumnElement[bool], ...]:
    if after is None:
        return ()
    at, id_ = after
    # The index is searched by the first condition.
    return items.c.pub_date <= at, or_(items.c.pub_date < at, items.c.id < id_)
