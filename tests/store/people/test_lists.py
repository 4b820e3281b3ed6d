"""Marking a whole list as read, and what stands beside the list."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from inforadar.actions.mark import mark_list, undo_mark_list
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter, ListPlace
from inforadar.store.items.one_row import count_some
from inforadar.store.items.pages import load_item_page
from inforadar.store.people import save_lists
from inforadar.store.people.save_marks import save_marks_of
from inforadar.store.people.save_people import hide_feeds
from inforadar.store.people.sidebar import Totals, load_side_feeds, load_totals
from tests.store.making import NOW, add_feed, add_feeds, collect, listed, set_feed

URLS = [f"https://example.com/{number}" for number in range(7)]
ALL = ItemFilter(person_id=FIRST_PERSON)
UNREAD = ItemFilter(person_id=FIRST_PERSON, unread=True)


async def unread_urls(database: Database) -> list[str]:
    return [item.url for item in (await database.read(load_item_page, UNREAD, limit=20)).items]


@pytest.mark.parametrize("rows", [2, 2000])
async def test_a_list_is_marked_from_a_place_on_and_taken_back(
    database: Database, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(save_lists, "ROWS_PER_STATEMENT", rows)
    feed = await add_feed(database)
    await collect(
        database, feed, *(listed(url, published_at=NOW - timedelta(minutes=n)) for n, url in enumerate(URLS))
    )
    await database.write(save_marks_of, FIRST_PERSON, [URLS[4]], {"read": True}, NOW)
    third = (await database.read(load_item_page, ALL, limit=20)).items[2]
    at = datetime.now(UTC)
    place = ListPlace(published_at=third.published_at, item_id=third.id)
    assert await mark_list(database, ALL, place, at + timedelta(hours=1), at) == 4
    assert await unread_urls(database) == URLS[:2]
    assert await undo_mark_list(database, FIRST_PERSON, at) == 4
    # What was read before stays read.
    assert await unread_urls(database) == [*URLS[:4], *URLS[5:]]


async def test_what_came_after_the_list_was_seen_is_not_marked(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, *(listed(url, published_at=NOW) for url in URLS))
    first = (await database.read(load_item_page, ALL, limit=1)).items[0]
    place = ListPlace(published_at=first.published_at, item_id=first.id)
    seen = first.created_at - timedelta(days=1)
    assert await mark_list(database, ALL, place, seen, datetime.now(UTC)) == 0
    assert len(await unread_urls(database)) == 7


async def test_the_sidebar_counts_what_a_person_has_not_read(database: Database) -> None:
    one, two = await add_feeds(database, 2)
    await collect(database, one, *(listed(url) for url in URLS[:4]))
    await collect(database, two, *(listed(url) for url in URLS[4:]))
    await database.write(save_marks_of, FIRST_PERSON, URLS[:3], {"read": True, "starred": True}, NOW)
    await database.write(save_marks_of, FIRST_PERSON, URLS[6:], {"archived": True}, NOW)
    totals = await database.read(load_totals, FIRST_PERSON)
    assert totals == Totals(all=7, unread=4, starred=3, archived=1)
    feeds = await database.read(load_side_feeds, FIRST_PERSON)
    assert {feed.id: feed.unread for feed in feeds} == {one.id: 1, two.id: 3}
    assert {feed.state for feed in feeds} == {"success"}
    assert [feed.unread for feed in await database.read(load_side_feeds, None)] == [0, 0]
    await database.write(hide_feeds, FIRST_PERSON, [two.id])
    assert [feed.id for feed in await database.read(load_side_feeds, FIRST_PERSON)] == [one.id]
    assert (await database.read(load_totals, FIRST_PERSON)).unread == 1


async def test_the_sidebar_calls_a_feed_by_the_title_that_a_person_gave_it(database: Database) -> None:
    one, two = await add_feeds(database, 2)
    await set_feed(database, one, title="The document's", options={"title": "Mine"})
    await set_feed(database, two, title="The document's")
    feeds = {feed.id: feed for feed in await database.read(load_side_feeds, FIRST_PERSON)}
    assert (feeds[one.id].name, feeds[one.id].own_title) == ("Mine", "Mine")
    assert (feeds[two.id].name, feeds[two.id].own_title) == ("The document's", None)


async def test_some_are_counted_and_those_that_were_added_later(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, *(listed(url) for url in URLS[:3]))
    newest = max(item.id for item in (await database.read(load_item_page, ALL, limit=9)).items)
    assert await database.read(count_some, ALL, 2) == 2
    assert await database.read(count_some, ALL, 9) == 3
    assert await database.read(count_some, ALL, 9, after=newest) == 0
    await collect(database, feed, *(listed(url) for url in URLS[:5]))
    assert await database.read(count_some, ALL, 9, after=newest) == 2
