"""One row for one URL: lists show an item that several feeds list once, and name all of them.

Of the items with one URL a list shows the first: the newest, as far as it belongs to the list. `items.is_shared` says
whether other feeds list the URL at all; only for those few is it looked up in the index of URLs. So lists keep the
order of their own index, and counting costs hardly more than without.

A list by stories has one row for one event in the same way: of the items of a story the one that was told last, as far
as it belongs to the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, Select, and_, func, or_, select

from inforadar.model.ids import ItemId
from inforadar.model.item import FeedLabel, Item
from inforadar.store.feeds.label_match import has_name
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.item_filter import ItemFilter, is_not_hidden, value_of
from inforadar.store.items.queries import conditions_of, load_item, marks_of, scores_of, with_known_names
from inforadar.store.items.search_terms import search_conditions
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import story_items
from inforadar.store.types import one_of_given, unindexed

_other, _their_feed = items.alias("other"), feeds.alias("their_feed")
_told, _later, _placed = (story_items.alias(name) for name in ("told", "later", "placed"))
_comes_before = or_(
    _other.c.pub_date > items.c.pub_date,
    and_(_other.c.pub_date == items.c.pub_date, _other.c.id > items.c.id),
)


def is_first_of_url(wanted: ItemFilter, *, of_feeds: bool = False) -> tuple[ColumnElement[bool], ...]:
    """Whether no item with the same URL comes before it in the list; the filter comes from `with_known_names`.

    Marks belong to URLs, so they are the same for all of them. With `of_feeds` the list is that of the feeds in the
    parameter `feeds`, whose names, if any, are those of the filter.
    """
    if wanted.feed_id:
        return ()
    is_first = or_(items.c.is_shared.is_(False), _of_url_before(wanted, of_feeds=of_feeds).is_(None))
    if not wanted.by_story:
        return (is_first,)
    # Items with one URL are in one story, whose order is another one.
    is_placed = select(_placed.c.item_id).where(_placed.c.item_id == items.c.id).correlate(items).exists()
    return or_(is_first, is_placed), _told_later(wanted, of_feeds=of_feeds).is_(None)


def _told_later(wanted: ItemFilter, *, of_feeds: bool) -> ScalarSelect[ItemId]:
    """An item of the same story that was told later and belongs to the list."""
    told = (
        select(_later.c.item_id)
        .join_from(_told, _later, _later.c.story_id == _told.c.story_id)
        .join(_other, _other.c.id == _later.c.item_id)
        .where(
            _told.c.item_id == items.c.id,
            _later.c.at >= _told.c.at,
            or_(_later.c.at > _told.c.at, _later.c.item_id > _told.c.item_id),
            *scores_of(wanted, unindexed(_other.c.score)),
            *marks_of(wanted, _other),
        )
    )
    return _in_list(told, wanted, of_feeds=of_feeds)


def _of_url_before(wanted: ItemFilter, *, of_feeds: bool) -> ScalarSelect[ItemId]:
    conditions = [
        _other.c.url == items.c.url,
        _comes_before,
        *scores_of(wanted, unindexed(_other.c.score)),
    ]
    if wanted.run_id:
        conditions.append(unindexed(_other.c.run_id) == value_of(wanted, "run_id"))
    if wanted.search is not None:
        conditions += search_conditions(wanted.search, _other, wanted.person_id, with_index=False)
    # Not `NOT EXISTS`, which a planner may turn into a join with all items.
    return _in_list(select(_other.c.id).where(*conditions), wanted, of_feeds=of_feeds)


def _in_list(others: Select[ItemId], wanted: ItemFilter, *, of_feeds: bool) -> ScalarSelect[ItemId]:
    """One of the other items, if its feed belongs to the list."""
    if of_feeds:
        others = others.where(one_of_given(unindexed(_other.c.feed_id), "feeds"))
    else:
        its_feed = _their_feed.c.id == unindexed(_other.c.feed_id)
        others = others.join(_their_feed, its_feed).where(
            _their_feed.c.enabled, _their_feed.c.deleted_at.is_(None)
        )
        if wanted.sources:
            others = others.where(has_name(_their_feed.c.source, wanted.sources))
        if wanted.topics:
            others = others.where(has_name(_their_feed.c.topic, wanted.topics))
        if wanted.hidden:
            others = others.where(is_not_hidden(_other.c.feed_id, wanted.hidden))
    return others.limit(1).correlate(items).scalar_subquery()


def count_items(connection: Connection, wanted: ItemFilter | None = None) -> int:
    """Count the rows of a list."""
    given = with_known_names(connection, wanted or ItemFilter())
    joined = items.join(feeds, feeds.c.id == items.c.feed_id)
    query = select(func.count()).select_from(joined).where(*conditions_of(given), *is_first_of_url(given))
    return connection.execute(query).scalar_one()


def count_some(connection: Connection, wanted: ItemFilter, most: int, *, after: ItemId | None = None) -> int:
    """Count the rows of a list, up to `most`; with `after`, only items that were added after this one."""
    given = with_known_names(connection, wanted)
    joined = items.join(feeds, feeds.c.id == items.c.feed_id)
    added = () if after is None else (items.c.id > after,)
    some = select(items.c.id).select_from(joined)
    some = some.where(*added, *conditions_of(given), *is_first_of_url(given)).limit(most)
    return connection.execute(select(func.count()).select_from(some.subquery())).scalar_one()


def load_shown_item(connection: Connection, item_id: ItemId) -> Item | None:
    """Load an item with all feeds that list its URL."""
    found = load_item(connection, item_id)
    return with_all_feeds(connection, [found])[0] if found else None


def with_all_feeds(connection: Connection, found: Sequence[Item]) -> list[Item]:
    """The items of a page, each with the other active feeds that list its URL."""
    shared = [item.url for item in found if item.is_shared]
    if not shared:
        return list(found)
    labels: dict[str, list[FeedLabel]] = {}
    for url, feed_id, source, topic in connection.execute(_feeds_that_list(), {"urls": shared}):
        labels.setdefault(url, []).append(FeedLabel(feed_id=feed_id, source=source, topic=topic))
    return [
        replace(item, also_in=tuple(others)) if others else item
        for item in found
        for others in [[one for one in labels.get(item.url, ()) if one.feed_id != item.feed_id]]
    ]


@cache
def _feeds_that_list() -> Select[Any]:
    return (
        select(items.c.url, feeds.c.id, feeds.c.source, feeds.c.topic)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(one_of_given(items.c.url, "urls"), *ACTIVE)
        .order_by(feeds.c.source, feeds.c.topic, feeds.c.id)
    )
