"""Lists of items page by page, newest first, each page as fast as the first.

A page goes on after the last item of the one before, named by a cursor; an offset would read all that it
skips. Four ways to the same list, each from an index, whichever has least to look at:

    few marks, scores   all that have them, then the newest of those
    some words          the search index, whose ids go by date; words that nearly every item has are sooner found
                        by looking at the newest
    a few feeds         the newest of each from its own index, then the newest of those
    else                the index over all dates

Which words an item has is asked of the item in all ways but the second.
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
from inforadar.store.items.queries import (
    ItemFilter,
    as_named,
    conditions_of,
    item_from_row,
    scores_of,
    select_items,
)
from inforadar.store.items.search import fts5_query, has_words, holds_words
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.schema.search import item_search
from inforadar.store.types import one_of, unindexed

FEW_FEEDS = 200
FEW_MARKED = 2000
STRETCH, STRETCHES = 2000, 10
"""Items that are looked at to learn how many have the words, and how often that is done for a page."""
COMMON = 20
"""So many of a stretch make words common: the next page of them is nearer than their index is short."""
_FIRST = 2
"""Feeds that are looked at before asking how far the rest can still matter; each time twice as many."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_WRONG = "The cursor is none that this list gave. Begin without one."


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPage:
    items: tuple[Item, ...]
    next: str | None
    """The cursor of the page after; `None`: this is the last one."""


def load_item_page(
    connection: Connection, wanted: ItemFilter, *, limit: int = 50, cursor: str | None = None
) -> ItemPage:
    feed_ids: list[FeedId] = []
    wanted = as_named(connection, wanted)
    if wanted.sources or wanted.topics:
        feed_ids = _load_feeds(connection, wanted, FEW_FEEDS + 1)
        if not feed_ids:
            return ItemPage(items=(), next=None)
    few_feeds = 0 < len(feed_ids) <= FEW_FEEDS
    goes_on = wanted.query is not None and cursor is not None and cursor.startswith("s")
    few = None if goes_on else _few(connection, wanted)
    # The next page goes the way that the cursor came.
    if goes_on or (
        wanted.query is not None
        and cursor is None
        and few is None
        and not (few_feeds and _are_feeds_nearer(connection, wanted.query, feed_ids))
    ):
        # PostgreSQL would begin with all items of the feeds.
        theirs = feed_ids if few_feeds and connection.dialect.name == "sqlite" else []
        return _found_page(connection, wanted, theirs, limit, cursor)
    after = _after(cursor) if cursor else None
    if few is not None:
        return _page_of_few(connection, wanted, few, limit, after)
    if few_feeds:
        return _page_of_feeds(connection, wanted, feed_ids, limit, after)
    conditions = [*_conditions(wanted), *_beyond(after)]
    newest = select_items().where(*conditions).order_by(items.c.pub_date.desc(), items.c.id.desc())
    found = [item_from_row(row) for row in connection.execute(newest.limit(limit + 1))]
    return _page(found, limit)


def _conditions(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    """Without a search for the words: they are read where the item has them."""
    conditions = conditions_of(replace(wanted, query=None))
    if wanted.query is not None:
        own = item_search.c.item_id == items.c.id
        conditions.append(select(holds_words(wanted.query)).where(own).scalar_subquery())
    return conditions


def has_feeds(connection: Connection, wanted: ItemFilter) -> bool:
    """Whether a feed that is served has such labels."""
    return bool(_load_feeds(connection, as_named(connection, wanted), 1))


def _load_feeds(connection: Connection, wanted: ItemFilter, limit: int) -> list[FeedId]:
    query = select(feeds.c.id).where(*ACTIVE)
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
    # That the feeds are served and named so is settled; what is left is a question of the items alone.
    rest = _conditions(replace(wanted, sources=(), topics=()))[len(ACTIVE) :]
    conditions = [*rest, *_beyond(after)]
    chosen: list[Candidate] = []
    start, number = 0, _FIRST
    while start < len(feed_ids):
        # What is older than a whole page of the feeds before has no place on it.
        floor = [items.c.pub_date >= chosen[limit].published_at] if len(chosen) > limit else []
        part = feed_ids[start : start + number]
        newest = load_newest(connection, part, limit + 1, [*conditions, *floor])
        chosen += (one for candidates in newest.values() for one in candidates)
        chosen = sorted(chosen, key=lambda one: (one.published_at, one.id), reverse=True)[: limit + 1]
        start, number = start + number, number * 2
    loaded = load_items(connection, [one.id for one in chosen])
    return _page([loaded[one.id] for one in chosen if one.id in loaded], limit)


def _few(connection: Connection, wanted: ItemFilter) -> tuple[ColumnElement[bool], ...] | None:
    """What finds all that are asked for, and little else; `None` if they are many."""
    if wanted.starred or wanted.archived:
        urls = _marked_urls(connection, wanted)
        if len(urls) <= FEW_MARKED:
            return (one_of(items.c.url, urls),)
    scored = scores_of(wanted, items.c.score)
    return scored if scored and are_few(connection, scored, FEW_SCORED) else None


def _marked_urls(connection: Connection, wanted: ItemFilter) -> list[str]:
    query = select(marks.c.url).limit(FEW_MARKED + 1)
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
    """A few among millions: by date, nearly all of the others would be looked at to find them."""
    its_feed = feeds.c.id == unindexed(items.c.feed_id)
    joined = select(items.c.id, items.c.pub_date).join_from(items, feeds, its_feed)
    all_ = joined.where(*few, *_conditions(wanted), *_beyond(after)).cte().prefix_with("MATERIALIZED")
    newest = select(all_.c.id).order_by(all_.c.pub_date.desc(), all_.c.id.desc()).limit(limit + 1)
    chosen = list(connection.execute(newest).scalars())
    loaded = load_items(connection, chosen)
    return _page([loaded[id_] for id_ in chosen if id_ in loaded], limit)


def _are_feeds_nearer(connection: Connection, query: str, feed_ids: list[FeedId]) -> bool:
    """Whether many of the newest items have the words, but hardly any of them is of these feeds."""
    places, _ = _load_stretch(connection, query, None)
    if len(places) < COMMON:
        return False
    theirs = (
        select(func.count())
        .join_from(item_search, items, items.c.id == item_search.c.item_id)
        .where(one_of(item_search.c.id, places), one_of(unindexed(items.c.feed_id), feed_ids))
    )
    return connection.execute(theirs).scalar_one() < COMMON // 2


def _load_stretch(connection: Connection, query: str, below: int | None) -> tuple[list[int], int | None]:
    """Places of those of the newest items that have the words, newest first; and the place where the stretch ends."""
    place = item_search.c.id
    ahead = () if below is None else (place < below,)
    end = connection.execute(
        select(place).where(*ahead).order_by(place.desc()).offset(STRETCH - 1).limit(1)
    ).scalar()
    within = ahead if end is None else (*ahead, place >= end)
    found = select(place).where(*within, holds_words(query)).order_by(place.desc())
    return list(connection.execute(found).scalars()), end


def _found_page(
    connection: Connection, wanted: ItemFilter, feed_ids: list[FeedId], limit: int, cursor: str | None
) -> ItemPage:
    below = _search_after(cursor) if cursor else None
    words = fts5_query(wanted.query or "")
    if not wanted.query or not words:
        return ItemPage(items=(), next=None)
    rows: list[Row[Any]] = []
    # FTS5 gives whole words by id, from the highest, and nothing is read beyond the page. All else is gathered from
    # the index as a whole before the first is known; what is common is not worth it.
    if connection.dialect.name != "sqlite" or "*" in words:
        for _ in range(STRETCHES):
            places, end = _load_stretch(connection, wanted.query, below)
            if len(places) < COMMON:
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
    """Of rows of `item_search`. Of few feeds an item itself says that it is not theirs, before its feed is read."""
    theirs = [one_of(unindexed(items.c.feed_id), feed_ids)] if feed_ids else []
    return (
        select_items()
        .add_columns(found.c.id.label("search_id"))
        .join(found, found.c.item_id == items.c.id)
        .where(*theirs, *conditions_of(replace(wanted, query=None)))
    )


def _select_all_found(
    connection: Connection, wanted: ItemFilter, feed_ids: list[FeedId], words: str, below: int | None
) -> Select[Any]:
    if connection.dialect.name == "sqlite":
        index = table("item_words", column("rowid", Integer))
        query = _select_found(wanted, feed_ids, item_search).join(index, index.c.rowid == item_search.c.id)
        query = query.where(text("item_words MATCH :words").bindparams(words=words))
        place: ColumnElement[int] = index.c.rowid
    else:
        # Apart, since the planner would otherwise go by id, and take words apart item by item to look for a rare one.
        all_ = select(item_search.c.id, item_search.c.item_id).where(has_words(wanted.query or ""))
        places = all_.cte().prefix_with("MATERIALIZED")
        # An offset, even of nothing, has it sort these before it joins: items are read until the page is full.
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
    last = found[limit - 1] if len(found) > limit else None
    more = f"{(last.published_at - _EPOCH) // _MICROSECOND}.{last.id.hex}" if last else None
    return ItemPage(items=tuple(found[:limit]), next=more)


def _after(cursor: str) -> tuple[datetime, ItemId]:
    at, _, id_ = cursor.partition(".")
    try:
        if not cursor.isascii():
            raise ValueError
        return _EPOCH + int(at) * _MICROSECOND, ItemId(UUID(id_))
    except (ValueError, OverflowError):
        raise UsageError(_WRONG) from None


def _search_after(cursor: str) -> int:
    digits = cursor.removeprefix("s").removeprefix("-")
    if not (cursor.startswith("s") and digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise UsageError(_WRONG)
    # Within what the databases can count to.
    return max(-(2**63), min(int(cursor[1:]), 2**63 - 1))


def _beyond(after: tuple[datetime, ItemId] | None) -> tuple[ColumnElement[bool], ...]:
    if after is None:
        return ()
    at, id_ = after
    # The first condition alone is what the index is entered by.
    return items.c.pub_date <= at, or_(items.c.pub_date < at, items.c.id < id_)
