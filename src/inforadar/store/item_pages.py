"""Lists of items page by page, newest first, each page as fast as the first.

A page goes on after the last item of the one before, named by a cursor; an offset would read all that it
skips. Three ways to the same list, each from an index:

    some words          the search index, whose ids go by date
    a few feeds         the newest of each from its own index, then the newest of those
    else                the index over all dates
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, Select, column, or_, select, table, text

from inforadar.errors import UsageError
from inforadar.model.ids import FeedId, ItemId
from inforadar.model.item import Item
from inforadar.store.feeds import ACTIVE, is_named
from inforadar.store.items import ItemFilter, conditions_of, item_from_row, select_items
from inforadar.store.lookup import Candidate, load_items, load_newest
from inforadar.store.schema import feeds, items, marks
from inforadar.store.search import fts5_query, has_words
from inforadar.store.search_schema import item_search
from inforadar.store.types import one_of

FEW_FEEDS = 200
FEW_MARKED = 2000
_STRETCH = 10
"""Feeds that are looked at before asking whether the rest can still matter."""
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
    if wanted.query is not None:
        return _found_page(connection, wanted, limit, cursor)
    after = _after(cursor) if cursor else None
    if wanted.starred or wanted.archived:
        urls = _marked_urls(connection, wanted)
        if len(urls) <= FEW_MARKED:
            return _page_of_urls(connection, wanted, urls, limit, after)
    if wanted.sources or wanted.topics:
        feed_ids = load_named_feeds(connection, sources=wanted.sources, topics=wanted.topics)
        if len(feed_ids) <= FEW_FEEDS:
            return _page_of_feeds(connection, wanted, feed_ids, limit, after)
    conditions = [*conditions_of(wanted), *_beyond(after)]
    newest = select_items().where(*conditions).order_by(items.c.pub_date.desc(), items.c.id.desc())
    found = [item_from_row(row) for row in connection.execute(newest.limit(limit + 1))]
    return _page(found, limit)


def load_named_feeds(
    connection: Connection, *, sources: tuple[str, ...] = (), topics: tuple[str, ...] = ()
) -> list[FeedId]:
    """Those that are served, by their labels."""
    query = select(feeds.c.id).where(*ACTIVE)
    if sources:
        query = query.where(is_named(feeds.c.source, sources))
    if topics:
        query = query.where(is_named(feeds.c.topic, topics))
    return list(connection.execute(query.order_by(feeds.c.id)).scalars())


def _page_of_feeds(
    connection: Connection,
    wanted: ItemFilter,
    feed_ids: list[FeedId],
    limit: int,
    after: tuple[datetime, ItemId] | None,
) -> ItemPage:
    # That the feeds are served and named so is settled; what is left is a question of the items alone.
    rest = conditions_of(replace(wanted, sources=(), topics=()))[len(ACTIVE) :]
    conditions = [*rest, *_beyond(after)]
    chosen: list[Candidate] = []
    for start in range(0, len(feed_ids), _STRETCH):
        # What is older than a whole page of the feeds before has no place on it.
        floor = [items.c.pub_date >= chosen[limit].published_at] if len(chosen) > limit else []
        part = feed_ids[start : start + _STRETCH]
        newest = load_newest(connection, part, limit + 1, [*conditions, *floor])
        chosen += (one for candidates in newest.values() for one in candidates)
        chosen = sorted(chosen, key=lambda one: (one.published_at, one.id), reverse=True)[: limit + 1]
    loaded = load_items(connection, [one.id for one in chosen])
    return _page([loaded[one.id] for one in chosen if one.id in loaded], limit)


def _marked_urls(connection: Connection, wanted: ItemFilter) -> list[str]:
    query = select(marks.c.url).limit(FEW_MARKED + 1)
    if wanted.starred:
        query = query.where(marks.c.starred_at.is_not(None))
    if wanted.archived:
        query = query.where(marks.c.archived_at.is_not(None))
    return list(connection.execute(query).scalars())


def _page_of_urls(
    connection: Connection,
    wanted: ItemFilter,
    urls: list[str],
    limit: int,
    after: tuple[datetime, ItemId] | None,
) -> ItemPage:
    """A few among millions: by date, nearly all of the others would be looked at to find them."""
    joined = select(items.c.id, items.c.pub_date).join_from(items, feeds, feeds.c.id == items.c.feed_id)
    query = joined.where(one_of(items.c.url, urls), *conditions_of(wanted), *_beyond(after))
    found = sorted(connection.execute(query), key=lambda row: (row.pub_date, row.id), reverse=True)
    chosen = [row.id for row in found[: limit + 1]]
    loaded = load_items(connection, chosen)
    return _page([loaded[id_] for id_ in chosen if id_ in loaded], limit)


def _found_page(connection: Connection, wanted: ItemFilter, limit: int, cursor: str | None) -> ItemPage:
    assert wanted.query is not None
    query: Select[Any] = (
        select_items()
        .add_columns(item_search.c.id.label("search_id"))
        .join(item_search, item_search.c.item_id == items.c.id)
        .where(*conditions_of(replace(wanted, query=None)))
    )
    words = fts5_query(wanted.query)
    if connection.dialect.name == "sqlite" and words:
        # FTS5 gives its finds by id, from the highest: nothing is read beyond the page.
        index = table("item_words", column("rowid"))
        query = query.join(index, index.c.rowid == item_search.c.id)
        query = query.where(text("item_words MATCH :words").bindparams(words=words))
        order: ColumnElement[int] = index.c.rowid
    else:
        query = query.where(has_words(wanted.query))
        order = item_search.c.id
    if cursor:
        query = query.where(order < _search_after(cursor))
    rows = connection.execute(query.order_by(order.desc()).limit(limit + 1)).all()
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
