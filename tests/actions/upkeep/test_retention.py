"""Retention: what goes, what stays, and that nothing that went comes back as new."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Table, delete, insert, update

from inforadar.actions.upkeep.retention import Retention
from inforadar.config import RetentionSettings
from inforadar.model.feed import Feed
from inforadar.model.ids import RunId
from inforadar.store.database import Database
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.items.known import load_known_hashes
from inforadar.store.items.queries import load_item_changes
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.history import feed_days
from inforadar.store.schema.hosts import hosts
from inforadar.store.schema.items import forgotten_items, item_changes, items
from inforadar.store.schema.people import marks
from inforadar.store.schema.runs import runs
from inforadar.store.types import db_later
from inforadar.store.upkeep.checks import load_size
from inforadar.store.upkeep.delete_surplus import delete_history, delete_orphans
from inforadar.urls import url_hash
from tests.store.making import NOW, add_feed, claim, collect, collected, count, listed, rows, save, start_run

DAY_S = 86400.0


RECENT = datetime.now(UTC).replace(microsecond=0)


def urls(number: int) -> list[str]:
    return [f"https://example.com/{n}" for n in range(number)]


async def a_feed_with(database: Database, number: int, **options: Any) -> Feed:
    """Its items were published an hour apart, the first one last."""
    feed = await add_feed(database)
    entries = [listed(url, published_at=NOW - timedelta(hours=n)) for n, url in enumerate(urls(number))]
    await collect(database, feed, *entries)
    await database.write(lambda c: c.execute(update(items).values(created_at=db_later(0.0))))
    if options:
        await database.write(update_feed_options, feed.id, options)
    return feed


async def make_old(database: Database, *chosen: str, days: float) -> None:
    at = db_later(-days * DAY_S)
    await database.write(
        lambda c: c.execute(update(items).where(items.c.url.in_(chosen)).values(created_at=at))
    )
    await database.write(
        lambda c: c.execute(
            update(articles)
            .where(articles.c.url.in_(chosen))
            .values(attempted_at=at, next_attempt_at=None, fetched_at=at)
        )
    )


async def set_all(database: Database, table: Table, **columns: Any) -> None:
    await database.write(lambda c: c.execute(update(table).values(**columns)))


def retention(database: Database, *, published: int = 1, **limits: int) -> Retention:
    return Retention(database=database, settings=RetentionSettings(**limits), published=published)


async def kept(database: Database) -> set[str]:
    return {row.url for row in await rows(database, items)}


async def test_without_limits_nothing_is_deleted(database: Database) -> None:
    await a_feed_with(database, 3)
    await make_old(database, *urls(3), days=4000)
    assert not await retention(database).apply()
    assert await count(database, items) == 3


async def test_what_is_too_old_goes_and_a_plan_says_so_before(database: Database) -> None:
    await a_feed_with(database, 4)
    old = urls(4)[:3]
    await make_old(database, *old, days=61)
    plan = await retention(database, max_age_days=60).plan()
    assert (plan.items, await count(database, items)) == (3, 4)

    done = await retention(database, max_age_days=60).apply()
    assert (done.items, done.articles) == (3, 3)
    assert await kept(database) == {urls(4)[3]}
    assert {row.url for row in await rows(database, articles)} == {urls(4)[3]}
    assert {row.hash for row in await rows(database, forgotten_items)} == {url_hash(url) for url in old}
    assert not await retention(database, max_age_days=60).apply()


async def test_an_article_outlives_its_items_until_its_30_days_are_over(database: Database) -> None:
    await a_feed_with(database, 2)
    await make_old(database, *urls(2), days=10)
    done = await retention(database, max_age_days=7).apply()
    assert (done.items, done.articles) == (2, 0)
    assert await count(database, articles) == 2


async def test_each_article_is_looked_at_once_however_many_batches_there_are(database: Database) -> None:
    await a_feed_with(database, 5)
    await make_old(database, *urls(5), days=100)
    await database.write(lambda c: c.execute(delete(items)))
    uids = sorted(row.uid for row in await rows(database, articles))
    assert await database.write(delete_orphans, RECENT, uids[0], 2) == (2, uids[2])
    assert await database.write(delete_orphans, RECENT, uids[2], 2) == (2, uids[4])
    assert await database.write(delete_orphans, RECENT, uids[4], 2) == (0, None)
    assert [row.uid for row in await rows(database, articles)] == uids[:1]
    assert (await retention(database, max_age_days=60).apply()).articles == 1


async def test_only_the_newest_stay_and_never_fewer_than_are_published(database: Database) -> None:
    await a_feed_with(database, 6)
    assert (await retention(database, max_items=2, published=4).apply()).items == 2
    assert await kept(database) == set(urls(4))
    assert (await retention(database, max_items=2).apply()).items == 2
    assert await kept(database) == set(urls(2))


async def test_a_starred_item_stays(database: Database) -> None:
    await a_feed_with(database, 3)
    starred, read = urls(3)[2], urls(3)[1]
    await database.write(
        lambda c: c.execute(
            insert(marks),
            [
                {"hash": url_hash(starred), "url": starred, "starred_at": NOW, "read_at": None},
                {"hash": url_hash(read), "url": read, "starred_at": None, "read_at": NOW},
            ],
        )
    )
    await retention(database, max_items=1).apply()
    assert await kept(database) == {urls(3)[0], starred}
    assert [row.url for row in await rows(database, marks)] == [starred]


async def test_a_feed_may_have_limits_of_its_own(database: Database) -> None:
    await a_feed_with(database, 4, keep_items=3)
    assert (await retention(database).plan()).items == 1
    assert (await retention(database, max_items=1).apply()).items == 1
    assert await count(database, items) == 3


async def test_what_was_forgotten_never_comes_back_as_new_nor_as_changed(database: Database) -> None:
    feed = await a_feed_with(database, 3)
    await retention(database, max_items=1).apply()
    lease, run_id = await claim(database, feed), await start_run(database)
    again = [listed(url, title="Another title") for url in (*urls(3), "https://example.com/new")]
    saved = (await save(database, [collected(lease, run_id, *again)]))[feed.id]
    assert saved is not None
    assert [new.listed.url for new in saved.added] == ["https://example.com/new"]
    assert [change.url for change in saved.changed] == [urls(3)[0]]
    assert await kept(database) == {urls(3)[0], "https://example.com/new"}
    hashes = [url_hash(url) for url in (*urls(3), "https://example.com/other")]
    assert await database.read(load_known_hashes, feed.id, hashes) == set(hashes[:3])


async def test_another_feed_that_lists_the_url_keeps_it(database: Database) -> None:
    await a_feed_with(database, 2, keep_items=1)
    other = await add_feed(database, "https://other.example/feed")
    await collect(database, other, listed(urls(2)[1]))
    await make_old(database, *urls(2), days=100)
    done = await retention(database).apply()
    assert (done.items, done.articles) == (1, 0)
    assert await count(database, articles) == 2


async def test_a_feed_that_lost_items_is_built_anew(database: Database) -> None:
    await a_feed_with(database, 3)
    await database.write(lambda c: c.execute(update(feed_schedules).values(build_at=None)))
    await retention(database, max_items=1).apply()
    assert [row.build_at is not None for row in await rows(database, feed_schedules)] == [True]


async def test_old_reports_go_and_the_items_they_added_stay(database: Database) -> None:
    await a_feed_with(database, 1)
    await set_all(database, runs, started_at=NOW, finished_at=NOW)
    surplus = retention(database, history_days=30)
    assert (await surplus.plan()).history == 3, "the report, the feed's numbers of that day and its outcome"
    assert (await surplus.apply()).history == 3
    assert (await count(database, runs), await count(database, items)) == (0, 1)


async def test_the_run_of_a_killed_worker_goes_and_one_that_goes_on_stays(database: Database) -> None:
    _killed, dead, alive, requested, recent = [await start_run(database) for _ in range(5)]

    async def set_run(run_id: RunId, **columns: Any) -> None:
        await database.write(lambda c: c.execute(update(runs).where(runs.c.id == run_id).values(**columns)))

    await set_all(database, runs, started_at=NOW)
    await set_run(dead, alive_until=NOW)
    await set_run(alive, alive_until=db_later(20.0))
    await set_run(requested, started_at=db_later(-29 * DAY_S), wanted_at=db_later(-29 * DAY_S))
    await set_run(recent, started_at=db_later(-5 * DAY_S))
    assert (await retention(database, history_days=1).apply()).history == 2
    assert {row.id for row in await rows(database, runs)} == {alive, requested, recent}


async def test_the_daily_numbers_of_a_feed_go_with_the_history(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.store.upkeep.surplus.ROWS_PER_BATCH", 2)
    feeds = [await add_feed(database, f"https://{n}.example/feed") for n in range(3)]
    days = [(RECENT - timedelta(days=days)).date() for days in (0, 29, 31, 400, 401)]
    await database.write(
        lambda c: c.execute(
            insert(feed_days), [{"feed_id": feed.id, "day": day} for feed in feeds for day in days]
        )
    )
    assert (await retention(database, history_days=30).plan()).history == 9
    assert (await retention(database, history_days=30).apply()).history == 9
    assert sorted(row.day for row in await rows(database, feed_days)) == sorted(days[:2] * 3)


async def test_each_portion_of_the_history_begins_behind_the_one_before(database: Database) -> None:
    feeds = [await add_feed(database, f"https://{n}.example/feed") for n in range(2)]
    rows_of_days = [{"feed_id": feed.id, "day": NOW.date()} for feed in feeds]
    await database.write(lambda c: c.execute(insert(feed_days), rows_of_days))
    first, last = sorted(feed.id for feed in feeds)
    batch = await database.write(delete_history, RECENT + timedelta(days=1), feed_days, first)
    assert batch is not None
    assert (batch.deleted, batch.last) == (1, last)
    assert [row.feed_id for row in await rows(database, feed_days)] == [first]


async def test_old_reports_go_in_portions(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """No transaction rewrites more rows than a portion has, however much a run added."""
    monkeypatch.setattr("inforadar.store.upkeep.delete_surplus.ROWS_PER_BATCH", 2)
    monkeypatch.setattr("inforadar.store.upkeep.surplus.RUNS_PER_BATCH", 1)
    feed = await a_feed_with(database, 5)
    await collect(database, feed, *(listed(url, title="Another title") for url in urls(3)), at=RECENT)
    await set_all(database, runs, started_at=NOW, finished_at=NOW)
    steps = []
    after = None
    while batch := await database.write(delete_history, RECENT, runs, after):
        after = batch.last
        named = [row for table in (items, item_changes) for row in await rows(database, table) if row.run_id]
        steps.append((batch.deleted, len(named), await count(database, runs)))
    assert steps == [
        *[(0, 6, 2), (0, 4, 2), (0, 3, 2), (1, 3, 1)],  # the run that added five items
        *[(0, 1, 1), (0, 0, 1), (1, 0, 0)],  # the one that changed three
    ]
    assert (await count(database, items), await count(database, item_changes)) == (5, 3)


async def test_old_changes_go_and_the_item_stays_as_it_is(database: Database) -> None:
    feed = await a_feed_with(database, 1)
    await collect(database, feed, listed(urls(1)[0], title="Second title"), at=NOW)
    await collect(database, feed, listed(urls(1)[0], title="Third title"), at=RECENT)
    await set_all(database, runs, started_at=RECENT, finished_at=RECENT)
    surplus = retention(database, history_days=30)
    assert (await surplus.plan()).history == 3, "a change, the numbers of that day and the first outcome"
    assert (await surplus.apply()).history == 3
    (item,) = await rows(database, items)
    assert item.title == "Third title"
    assert await database.read(load_item_changes, item.id) == [
        (RECENT, {"title": ["Second title", "Third title"]})
    ]


async def test_a_host_that_nobody_asks_is_forgotten(database: Database) -> None:
    old, ahead = db_later(-91 * DAY_S), db_later(60.0)
    for name, columns in {
        "idle": {"next_free_at": old, "paused_until": old},
        "known by its robots.txt": {},
        "paused": {"paused_until": ahead},
        "with a turn ahead": {"next_free_at": ahead},
        "asked lately": {"updated_at": db_later(-89 * DAY_S)},
    }.items():
        await database.write(
            lambda c, v: c.execute(insert(hosts).values(v)), {"host": name, "updated_at": old} | columns
        )
    surplus = retention(database, history_days=1)
    assert (await surplus.plan()).history == 2
    assert (await surplus.apply()).history == 2
    assert {row.host for row in await rows(database, hosts)} == {
        "paused",
        "with a turn ahead",
        "asked lately",
    }


async def test_space_is_given_back(database: Database) -> None:
    await a_feed_with(database, 1)
    await database.write(lambda c: c.execute(update(items).values(content="слово " * 200_000)))
    await database.vacuum()
    before = await database.read(load_size)
    await retention(database, max_age_days=1).apply()
    await make_old(database, *urls(1), days=2)
    await retention(database, max_age_days=1).apply()
    await database.vacuum()
    assert await database.read(load_size) < before
