"""Feeds a page at a time, and what a run did to items, on both databases."""

from __future__ import annotations

from datetime import timedelta

from inforadar.model.http import Outcome
from inforadar.model.run import RunDetails
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.feeds.pages import FeedFilter, count_feeds_by_state, load_deleted_feeds, load_feed_page
from inforadar.store.runs.fetch_runs import claim_fetch_run, request_fetch_run, request_stop
from inforadar.store.runs.items import load_run_added, load_run_changed
from inforadar.store.runs.queries import load_open_fetch_runs, load_run
from tests.store.making import NOW, add_feed, claim, collected, listed, save, set_feed, start_run


async def test_a_filter_is_followed_to_the_last_feed(database: Database) -> None:
    for number in range(7):
        name = "Новости" if number % 3 == 0 else "other"
        await database.write(
            insert_feed, f"https://news.example/{number}", title=f"100%_{number}", source=name
        )
    found, before = [], None
    while True:
        wanted = FeedFilter(source="Новости", text="0%_")
        page = await database.read(load_feed_page, wanted, limit=2, before=before, max_scanned=2)
        found += page.feeds
        if (before := page.next) is None:
            break
    assert [feed.url[-1] for feed in found] == ["6", "3", "0"]
    everything = await database.read(load_feed_page, FeedFilter(), limit=5)
    assert (len(everything.feeds), everything.is_partial) == (5, False)


async def test_a_feed_is_found_by_the_title_that_a_person_gave_it(database: Database) -> None:
    feed = await add_feed(database)
    await set_feed(database, feed, title="The document's", options={"title": "Morgenlektüre"})
    for text, number in (("genlek", 1), ("document's", 1), ("evening", 0)):
        assert len((await database.read(load_feed_page, FeedFilter(text=text), limit=5)).feeds) == number


async def test_feeds_are_counted_by_the_state_they_are_in(database: Database) -> None:
    feeds = [
        (await database.write(insert_feed, f"https://news.example/{number}", enabled=number > 0))[0]
        for number in range(3)
    ]
    await database.write(update_feed, feeds[1].id, {"last_fetch_status": Outcome.UNAUTHORIZED})
    assert await database.read(count_feeds_by_state) == {"disabled": 1, "suspended": 1, "new": 1}
    page = await database.read(load_feed_page, FeedFilter(state="suspended"), limit=5)
    assert [feed.id for feed in page.feeds] == [feeds[1].id]


async def test_what_a_run_did_comes_with_titles_and_from_the_first_to_the_last_value(
    database: Database,
) -> None:
    feed = await add_feed(database)
    run = await start_run(database)
    for views in (1, 2, 5):
        item = listed("https://example.com/1", views=views)
        await save(database, [collected(await claim(database, feed), run, item)])
    (added,) = await database.read(load_run_added, run, limit=5)
    (changed,) = await database.read(load_run_changed, run, limit=5)
    assert (added.url, added.source) == ("https://example.com/1", feed.source)
    assert changed.fields == {"views": (1, 5)}
    assert (await database.read(load_run, run)).added_articles == ()


async def test_a_fetch_is_open_until_it_has_ended(database: Database) -> None:
    run = await database.write(request_fetch_run, RunDetails())
    assert await database.read(load_open_fetch_runs) == [run]
    await database.write(claim_fetch_run)
    assert await database.read(load_open_fetch_runs) == [run]
    waiting = await database.write(request_fetch_run, RunDetails())
    await database.write(request_stop, waiting)
    assert await database.read(load_open_fetch_runs) == [run]


async def test_deleted_feeds_are_listed_page_by_page_those_deleted_last_first(database: Database) -> None:
    feeds = [await add_feed(database, f"https://news.example/{number}") for number in range(5)]
    # The last two at the same moment.
    for place, seconds in ((3, 0), (0, 1), (4, 2), (1, 2)):
        await database.write(delete_feed, feeds[place].id, NOW + timedelta(seconds=seconds))
    first = await database.read(load_deleted_feeds, limit=2)
    second = await database.read(load_deleted_feeds, limit=2, before=first.next)
    assert second.next is None
    assert [feed.url[-1] for feed in (*first.feeds, *second.feeds)] == ["4", "1", "0", "3"]
