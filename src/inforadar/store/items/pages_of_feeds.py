"""Pages of a few feeds: the newest items of each from its own index, then the newest of those."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, Text, bindparam, select

from inforadar.model.ids import FeedId, ItemId
from inforadar.store.feeds.label_match import is_beyond_index, is_spelled, spellings
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.item_filter import ItemFilter, for_each_shape, is_not_hidden, values_of
from inforadar.store.items.lookup import Candidate, execute_newest, is_sqlite, load_items, select_newest
from inforadar.store.items.one_row import is_first_of_url
from inforadar.store.items.page_place import ItemPage, ahead, beyond, in_order, page_of, values_of_place
from inforadar.store.items.queries import item_from_row, list_conditions, select_items, with_known_names
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items

FEW_FEEDS = 200
MERGED_FEEDS = 8
"""Up to so many feeds, PostgreSQL reads a page of each rather than being asked twice."""
_FIRST_FEEDS = 2
"""Number of feeds read before using what was found to limit the others; doubled each time."""


def has_feeds(connection: Connection, wanted: ItemFilter) -> bool:
    """Whether an active feed has such labels."""
    return bool(load_feed_ids(connection, with_known_names(connection, wanted), 1))


def load_feed_ids(connection: Connection, wanted: ItemFilter, limit: int) -> list[FeedId]:
    """The active feeds of the list, by their names; at most `limit` of them."""
    sources, topics = spellings(wanted.sources), spellings(wanted.topics)
    if (wanted.sources and not sources) or (wanted.topics and not topics):
        return []
    query = _feeds_named(
        len(sources),
        len(topics),
        is_long=is_beyond_index([*sources, *topics]),
        has_hidden=bool(wanted.hidden),
    )
    given: dict[str, Any] = {f"source_{n}": name for n, name in enumerate(sources)}
    given |= {f"topic_{n}": name for n, name in enumerate(topics)} | {"number": limit}
    return list(connection.execute(query, given | values_of(wanted)).scalars())


@lru_cache(maxsize=64)
def _feeds_named(sources: int, topics: int, *, is_long: bool, has_hidden: bool) -> Select[Any]:
    """The statement for so many spellings of the source and of the topic."""
    query = select(feeds.c.id).where(*ACTIVE)
    if has_hidden:
        query = query.where(is_not_hidden(feeds.c.id, ()))
    for label, number in ((feeds.c.source, sources), (feeds.c.topic, topics)):
        if number:
            meant = [bindparam(f"{label.name}_{n}", type_=Text) for n in range(number)]
            query = query.where(is_spelled(label, meant, is_long=is_long))
    return query.order_by(feeds.c.id).limit(bindparam("number"))


def page_of_feeds(
    connection: Connection,
    wanted: ItemFilter,
    feed_ids: list[FeedId],
    limit: int,
    after: tuple[datetime, ItemId] | None,
    *,
    with_content: bool,
) -> ItemPage:
    # The feeds are known to be active, to have these names and not to be hidden; the rest concerns only items.
    rest = replace(wanted, sources=(), topics=(), hidden=())
    has_place = after is not None
    given = values_of(rest) | values_of_place(after) | {"feeds": feed_ids}
    if len(feed_ids) == 1:
        one = given | {"feed": feed_ids[0], "number": limit + 1}
        statement = _of_one_feed(rest, has_place=has_place, with_content=with_content)
        rows = connection.execute(statement, one).all()
        return page_of([item_from_row(row) for row in rows], limit)
    if len(feed_ids) <= MERGED_FEEDS and not is_sqlite(connection):
        statement = _of_merged_feeds(rest, has_place=has_place, with_content=with_content)
        rows = connection.execute(statement, given | {"number": limit + 1}).all()
        return page_of([item_from_row(row) for row in rows], limit)
    chosen: list[Candidate] = []
    start, number = 0, _FIRST_FEEDS
    while start < len(feed_ids):
        # Items older than a whole page from the feeds so far cannot be on it.
        has_floor = len(chosen) > limit
        floor = {"floor": chosen[limit].published_at} if has_floor else {}
        statement = _newest_of_feeds(
            rest, has_place=has_place, has_floor=has_floor, is_sqlite=is_sqlite(connection)
        )
        part = feed_ids[start : start + number]
        newest = execute_newest(connection, statement, part, limit + 1, given | floor)
        chosen += (one for candidates in newest.values() for one in candidates)
        chosen = sorted(chosen, key=lambda one: (one.published_at, one.id), reverse=True)[: limit + 1]
        start, number = start + number, number * 2
    loaded = load_items(connection, [one.id for one in chosen], with_content=with_content)
    return page_of([loaded[one.id] for one in chosen if one.id in loaded], limit)


def previous_of_feeds(
    connection: Connection, wanted: ItemFilter, feed_ids: list[FeedId], place: tuple[datetime, ItemId]
) -> ItemId | None:
    """The item before a place in the list."""
    rest = replace(wanted, sources=(), topics=(), hidden=())
    statement = _oldest_ahead(rest, is_sqlite=is_sqlite(connection))
    given = values_of(rest) | values_of_place(place) | {"feeds": feed_ids}
    found = execute_newest(connection, statement, feed_ids, 1, given)
    nearest = [one for candidates in found.values() for one in candidates]
    return min(nearest, key=lambda one: (one.published_at, one.id)).id if nearest else None


@for_each_shape
def _oldest_ahead(wanted: ItemFilter, *, is_sqlite: bool) -> Select[Any]:
    return select_newest(_conditions_on_items(wanted, ahead()), oldest_first=True, is_sqlite=is_sqlite)


@for_each_shape
def _of_one_feed(wanted: ItemFilter, *, has_place: bool, with_content: bool) -> Select[Any]:
    conditions = [*list_conditions(wanted), *beyond(has_place), *is_first_of_url(wanted, of_feeds=True)]
    listed = select_items(with_content=with_content)
    return in_order(listed.where(items.c.feed_id == bindparam("feed"), *conditions))


@for_each_shape
def _of_merged_feeds(wanted: ItemFilter, *, has_place: bool, with_content: bool) -> Select[Any]:
    """The newest items of a few feeds, in one statement on PostgreSQL, where each costs a round trip."""
    newest = select_newest(_conditions_on_items(wanted, beyond(has_place)), is_sqlite=False)
    ids = select(newest.subquery().c.id)
    return in_order(select_items(with_content=with_content).where(items.c.id.in_(ids)))


def _conditions_on_items(
    wanted: ItemFilter, place: tuple[ColumnElement[bool], ...]
) -> list[ColumnElement[bool]]:
    rest = list_conditions(wanted)[len(ACTIVE) :]
    return [*rest, *place, *is_first_of_url(wanted, of_feeds=True)]


@for_each_shape
def _newest_of_feeds(wanted: ItemFilter, *, has_place: bool, has_floor: bool, is_sqlite: bool) -> Select[Any]:
    floor = [items.c.pub_date >= bindparam("floor")] if has_floor else []
    return select_newest([*_conditions_on_items(wanted, beyond(has_place)), *floor], is_sqlite=is_sqlite)
