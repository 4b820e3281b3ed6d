"""Statements kept for a shape of filter: what was asked before does not change what is found."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, update

from inforadar.model.ids import FeedId
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import Database
from inforadar.store.items import item_filter
from inforadar.store.items.item_filter import ItemFilter, for_each_shape, shape_of, values_of
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import list_items, select_items, with_known_names
from inforadar.store.people.save_marks import save_marks_of
from inforadar.store.schema.items import items
from tests.store.making import NOW, add_feeds, collect, listed

FEED_IDS = (UUID(int=7), UUID(int=8))
URLS = [f"https://example.com/{number}" for number in range(12)]


async def _fill(database: Database) -> list[FeedId]:
    feeds = await add_feeds(database, 3)
    for number, url in enumerate(URLS):
        at = NOW - timedelta(minutes=number)
        await collect(database, feeds[number % 3], listed(url, published_at=at))

    def change(connection: Connection) -> None:
        for number, url in enumerate(URLS):
            its = update(items).where(items.c.url == url)
            connection.execute(its.values(score=number / 12, created_at=NOW + timedelta(minutes=number)))

    await database.write(change)
    for number in (1, 4, 7):
        await database.write(
            save_marks_of,
            FIRST_PERSON,
            URLS[number : number + 1],
            {"read": True},
            NOW + timedelta(hours=number),
        )
    return [feed.id for feed in feeds]


async def test_filters_of_one_shape_find_their_own_items_one_after_the_other(database: Database) -> None:
    feed_ids = await _fill(database)
    runs = list(dict.fromkeys(item.run_id for item in await database.read(list_items, ItemFilter())))
    minutes = [timedelta(minutes=number) for number in (3, 8)]
    values: dict[str, list[Any]] = {
        "feed_id": feed_ids[:2],
        "run_id": runs[:2],
        "added_since": [NOW + age for age in minutes],
        "unread_at": [NOW + timedelta(hours=number) for number in (2, 5)],
        "since": [NOW - age for age in minutes],
        "until": [NOW - age for age in minutes],
        "max_score": [0.2, 0.7],
        "min_score": [0.2, 0.7],
        "below_score": [0.25, 0.75],
        "person_id": [FIRST_PERSON, None],
    }
    assert values.keys() == item_filter._BLANKS.keys()
    for name, different in values.items():
        seen = []
        for value in different:
            wanted = ItemFilter(**{"person_id": FIRST_PERSON, "unread": True, name: value})
            page = await database.read(load_item_page, wanted)
            assert [one.url for one in page.items] == [
                one.url for one in await database.read(list_items, wanted)
            ], (name, value)
            seen.append([one.url for one in page.items])
        assert seen[0] != seen[1], name


def test_a_statement_is_built_once_for_each_shape() -> None:
    built: list[ItemFilter] = []

    @for_each_shape
    def build(wanted: ItemFilter, *, has_place: bool) -> Any:
        built.append(wanted)
        return (select_items(), has_place)

    one, two = ItemFilter(max_score=0.1, query=""), ItemFilter(max_score=0.9)
    assert build(one, has_place=True) is build(two, has_place=True)
    assert len(built) == 1
    assert built[0].max_score not in {0.1, 0.9}
    build(one, has_place=False)
    build(ItemFilter(min_score=0.1), has_place=False)
    assert len(built) == 3


@pytest.mark.parametrize("given", [{"sources": ("a",)}, {"topics": ("a",)}, {"query": "harbour"}])
async def test_words_and_names_have_no_shape(database: Database, given: dict[str, Any]) -> None:
    wanted = await database.read(with_known_names, ItemFilter(**given))
    assert shape_of(wanted) is None


def test_the_feeds_that_a_person_hides_are_values() -> None:
    one, two = (ItemFilter(hidden=(FeedId(number),)) for number in FEED_IDS)
    assert shape_of(one) == shape_of(two) != shape_of(ItemFilter())
    assert values_of(one) != values_of(two)
