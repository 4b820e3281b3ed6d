"""The counters agree with the tables they count, whatever is added, marked, deleted and moved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, delete, select

from inforadar.model.feed import Feed
from inforadar.model.item import Listed, NewItem
from inforadar.model.person import FIRST_PERSON, PersonId, Role
from inforadar.store.database import Database
from inforadar.store.items.save import FeedItems, insert_items
from inforadar.store.people.save_marks import save_marks_of, set_marks
from inforadar.store.people.save_people import delete_person, insert_person
from inforadar.store.people.unread import load_unread_feeds
from inforadar.store.schema.counters import feed_counts, person_feed_counts
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.upkeep.repair import count_anew
from inforadar.urls import url_hash
from tests.store.making import add_feed

AT = datetime(2026, 3, 14, tzinfo=UTC)


async def add(database: Database, feed: Feed, *urls: str) -> None:
    added = tuple(
        NewItem(url=url, hash=url_hash(url), listed=Listed(url=url, title="T", published_at=AT))
        for url in urls
    )
    batch = FeedItems(feed_id=feed.id, topic=feed.topic, run_id=None, at=AT, added=added)
    await database.write(insert_items, [batch])


async def unread(database: Database, person_id: PersonId = FIRST_PERSON) -> dict[Any, int]:
    return {one.feed_id: one.unread for one in await database.read(load_unread_feeds, person_id)}


def load_counters(connection: Connection) -> tuple[list[Any], list[Any]]:
    """The counters, without those that are zero: a count made anew has no rows for them."""
    of_feeds = connection.execute(select(feed_counts).where(feed_counts.c["items"] > 0)).all()
    of_people = connection.execute(select(person_feed_counts).where(person_feed_counts.c.read > 0)).all()
    return sorted(map(tuple, of_feeds)), sorted(map(tuple, of_people))


async def assert_counters_are_right(database: Database) -> None:
    kept = await database.read(load_counters)
    await database.write(count_anew)
    assert kept == await database.read(load_counters)


@pytest.fixture
async def feeds(database: Database) -> tuple[Feed, Feed]:
    """Two feeds that share a page."""
    one = await add_feed(database, "https://one.example/feed")
    two = await add_feed(database, "https://two.example/feed")
    await add(database, one, *(f"https://one.example/{number}" for number in range(4)))
    await add(database, two, "https://one.example/0", "https://two.example/0")
    return one, two


async def test_new_items_are_counted_once_and_known_ones_not_at_all(
    database: Database, feeds: tuple[Feed, Feed]
) -> None:
    one, two = feeds
    assert await unread(database) == {one.id: 4, two.id: 2}
    await add(database, one, "https://one.example/0", "https://one.example/new")
    assert await unread(database) == {one.id: 5, two.id: 2}
    await assert_counters_are_right(database)


async def test_an_item_that_was_read_in_another_feed_is_read_when_it_comes(
    database: Database, feeds: tuple[Feed, Feed]
) -> None:
    one, two = feeds
    await database.write(set_marks, FIRST_PERSON, ["https://one.example/1"], {"read": True}, AT)
    await add(database, two, "https://one.example/1", "https://one.example/2")
    assert await unread(database) == {one.id: 3, two.id: 3}
    await assert_counters_are_right(database)


async def test_marks_and_deletions_are_counted(database: Database, feeds: tuple[Feed, Feed]) -> None:
    one, two = feeds
    ida = (await database.write(insert_person, "Ida", Role.READER)).id
    both = ["https://one.example/0", "https://one.example/1"]
    await database.write(set_marks, FIRST_PERSON, both, {"read": True}, AT)
    await database.write(set_marks, ida, both[:1], {"starred": True}, AT)
    await database.write(set_marks, ida, both[:1], {"read": True}, AT)
    await database.write(set_marks, FIRST_PERSON, both, {"read": True}, AT)
    assert await unread(database) == {one.id: 2, two.id: 1}
    assert await unread(database, ida) == {one.id: 3, two.id: 1}
    await assert_counters_are_right(database)
    await database.write(lambda c: c.execute(delete(items).where(items.c.url == both[0])))
    assert await unread(database) == {one.id: 2, two.id: 1}
    assert await unread(database, ida) == {one.id: 3, two.id: 1}
    await database.write(save_marks_of, FIRST_PERSON, both, {"read": False}, AT)
    assert await unread(database) == {one.id: 3, two.id: 1}
    await database.write(set_marks, FIRST_PERSON, both[1:], {"read": True}, AT)
    await database.write(lambda c: c.execute(delete(marks).where(marks.c.person_id == FIRST_PERSON)))
    assert await unread(database) == {one.id: 3, two.id: 1}
    await assert_counters_are_right(database)
    await database.write(delete_person, ida)
    await assert_counters_are_right(database)
