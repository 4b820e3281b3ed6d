"""A feed that a person hides is in none of their lists, and in everybody else's."""

from __future__ import annotations

import pytest

from inforadar.model.feed import Feed
from inforadar.model.person import FIRST_PERSON, PersonId, Role
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.feeds.labels import load_unread_labels
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.one_row import count_items
from inforadar.store.items.pages import load_item_page
from inforadar.store.people.save_marks import set_marks
from inforadar.store.people.save_people import hide_feeds, insert_person, show_feeds
from tests.support.faces.newsroom import Newsroom

SHARED = "https://one.example/shared"


async def listed(database: Database, person_id: PersonId | None, **wanted: object) -> list[str]:
    given = ItemFilter(person_id=person_id, **wanted)  # type: ignore[arg-type]
    page = await database.read(load_item_page, given)
    assert await database.read(count_items, given) == len(page.items)
    return sorted(item.url.rpartition("/")[2] for item in page.items)


@pytest.fixture
async def feeds(database: Database) -> tuple[Feed, Feed]:
    newsroom = Newsroom(database=database)
    one = await newsroom.add_feed("https://one.example/feed", source="One", topic="a")
    two = await newsroom.add_feed("https://two.example/feed", source="Two", topic="a")
    await newsroom.add_item(two, SHARED, title="Gulls")
    await newsroom.add_item(one, SHARED, title="Gulls")
    await newsroom.add_item(one, "https://one.example/gone", title="Gulls")
    await newsroom.add_item(two, "https://two.example/kept", title="Gulls")
    await SearchIndexer(database=database).run_once()
    return one, two


async def test_a_hidden_feed_is_in_no_list_of_the_person(
    database: Database, feeds: tuple[Feed, Feed]
) -> None:
    one, _ = feeds
    ida = (await database.write(insert_person, "Ida", Role.READER)).id
    await database.write(
        set_marks, ida, ["https://one.example/gone", SHARED], {"starred": True}, one.created_at
    )
    await database.write(hide_feeds, ida, [one.id])
    all_three, visible = ["gone", "kept", "shared"], ["kept", "shared"]
    # The shared item's newest row is in the hidden feed; it stays, by the other one.
    assert await listed(database, ida) == visible
    assert await listed(database, ida, topics=("a",)) == visible
    assert await listed(database, ida, query="gulls") == visible
    assert await listed(database, ida, starred=True) == ["shared"]
    assert await listed(database, ida, sources=("One",)) == []
    assert await listed(database, ida, feed_id=one.id) == ["gone", "shared"], "asked for by name"
    assert await database.read(load_unread_labels, ida) == {("Two", "a"): 2}
    assert await listed(database, FIRST_PERSON) == await listed(database, None) == all_three
    assert await database.read(load_unread_labels, FIRST_PERSON) == {("One", "a"): 2, ("Two", "a"): 2}
    await database.write(show_feeds, ida, [one.id])
    assert await listed(database, ida) == all_three
