"""From one item to the next, in each kind of list."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inforadar.model.person import FIRST_PERSON
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.items import neighbours as item_neighbours
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.neighbours import load_neighbours
from inforadar.store.items.pages import load_item_page
from inforadar.store.people.save_marks import save_marks_of
from tests.store.making import NOW, add_feed, collect, listed

URLS = [f"https://example.com/{number}" for number in range(9)]


async def fill(database: Database) -> None:
    """Nine items, one of which both feeds list; two of the same time."""
    one = await add_feed(database, "https://one.example/", source="one", topic="сеть")
    two = await add_feed(database, "https://two.example/", source="two", topic="world")
    entries = [
        listed(url, title=f"ferry {number}", published_at=NOW - timedelta(minutes=min(number, 7)))
        for number, url in enumerate(URLS)
    ]
    await collect(database, one, *entries[:5])
    await collect(database, two, *entries[4:])
    await database.write(save_marks_of, FIRST_PERSON, URLS[::2], {"starred": True}, NOW)
    await database.write(save_marks_of, FIRST_PERSON, URLS[3:5], {"read": True}, NOW)
    await SearchIndexer(database=database).run_once()


@pytest.mark.parametrize(
    "wanted",
    [
        {},
        {"sources": ("one",)},
        {"topics": ("world", "СЕТЬ")},
        {"starred": True},
        {"unread": True},
        {"query": "ferry"},
        {"query": "ferr*", "sources": ("two",)},
    ],
    ids=str,
)
async def test_walking_from_neighbour_to_neighbour_gives_the_list_both_ways(
    database: Database, wanted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(database)
    # Also where the words are not among the nearest items.
    monkeypatch.setattr(item_neighbours, "SCAN_ITEMS", 1)
    asked = ItemFilter(person_id=FIRST_PERSON, **wanted)
    page = await database.read(load_item_page, asked, limit=20)
    ids = [item.id for item in page.items]
    assert len(ids) > 2
    for place, item in enumerate(page.items):
        found = await database.read(load_neighbours, asked, item)
        assert found.previous == (ids[place - 1] if place else None)
        assert found.next == (ids[place + 1] if place + 1 < len(ids) else None)


async def test_an_item_that_left_the_list_still_has_its_place(database: Database) -> None:
    await fill(database)
    asked = ItemFilter(person_id=FIRST_PERSON, unread=True)
    before = (await database.read(load_item_page, asked, limit=20)).items
    await database.write(save_marks_of, FIRST_PERSON, [before[1].url], {"read": True}, NOW)
    found = await database.read(load_neighbours, asked, before[1])
    assert (found.previous, found.next) == (before[0].id, before[2].id)


async def test_an_item_without_search_words_has_no_neighbours_in_a_search(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(URLS[0]))
    (item,) = (await database.read(load_item_page, ItemFilter(), limit=1)).items
    found = await database.read(load_neighbours, ItemFilter(query="ferry"), item)
    assert (found.previous, found.next) == (None, None)
