"""What became of fetches is counted as they are saved: by feed and day, and over all."""

from __future__ import annotations

from datetime import timedelta

from inforadar.model.http import Outcome
from inforadar.model.schedule import NextRun
from inforadar.store.database import Database
from inforadar.store.feeds.delete_feeds import purge_feeds
from inforadar.store.feeds.history import (
    FeedDay,
    load_changed_outcomes,
    load_feed_days,
    load_fetch_totals,
    load_outcomes_by_day,
    load_slowest_hosts,
)
from inforadar.store.schema.history import feed_days
from tests.store.making import NOW, add_feed, claim, collect, collected, count, listed, rows, save, start_run

FAILED = {"outcome": Outcome.TEMPORARY_ERROR, "next_run": NextRun(after_s=60.0, failures=1, error="x")}
TODAY, DAY = NOW.date(), timedelta(days=1)


async def test_a_feeds_days_tell_its_fetches_failures_and_new_items(database: Database) -> None:
    feed, quiet = await add_feed(database), await add_feed(database, "https://quiet.example/feed")
    await collect(database, feed, listed("https://example.com/0"), at=NOW - DAY)
    await collect(database, feed, listed("https://example.com/1"), listed("https://example.com/2"))
    await collect(database, feed, listed("https://example.com/1"))
    await collect(database, feed, **FAILED)
    days = await database.read(load_feed_days, [feed.id, quiet.id], TODAY - DAY)
    assert days == {
        feed.id: [
            FeedDay(day=TODAY - DAY, fetches=1, failures=0, added=1),
            FeedDay(day=TODAY, fetches=3, failures=1, added=2, failed={Outcome.TEMPORARY_ERROR: 1}),
        ],
        quiet.id: [],
    }
    assert [day.day for day in (await database.read(load_feed_days, [feed.id], TODAY))[feed.id]] == [TODAY]


async def test_a_feeds_outcome_is_recorded_when_it_changes(database: Database) -> None:
    feed, quiet = await add_feed(database), await add_feed(database, "https://quiet.example/feed")
    minute = timedelta(minutes=1)
    other = {**FAILED, "next_run": NextRun(after_s=60.0, failures=2, error="y")}
    for number, ending in enumerate(({}, {}, FAILED, FAILED, other, {}, {})):
        await collect(database, feed, at=NOW + number * minute, **ending)
    assert await database.read(load_changed_outcomes, quiet.id, limit=9) == []
    changes = await database.read(load_changed_outcomes, feed.id, limit=9)
    assert [(one.at - NOW, one.outcome, one.message) for one in changes] == [
        (5 * minute, Outcome.SUCCESS, None),
        (4 * minute, Outcome.TEMPORARY_ERROR, "y"),
        (2 * minute, Outcome.TEMPORARY_ERROR, "x"),
        (0 * minute, Outcome.SUCCESS, None),
    ]
    assert await database.read(load_changed_outcomes, feed.id, limit=1) == changes[:1]


async def test_fetches_of_all_feeds_are_counted_by_outcome_and_stay_counted(database: Database) -> None:
    one, two = await add_feed(database), await add_feed(database, "https://two.example/feed")
    run_id = await start_run(database)
    jobs = [
        collected(await claim(database, one), run_id, listed(), spent_s=0.25),
        collected(await claim(database, two), run_id, spent_s=0.5, **FAILED),
    ]
    await save(database, jobs)
    await collect(database, one, spent_s=0.25)
    await database.write(purge_feeds, [two.id])
    assert await count(database, feed_days) == 1
    assert await database.read(load_fetch_totals) == [
        ("success", 2, 0.5),
        ("temporary_error", 1, 0.5),
        ("permanent_error", 0, 0.0),
        ("unauthorized", 0, 0.0),
    ]
    assert await database.read(load_outcomes_by_day, TODAY) == [
        {"day": "2026-03-14", "outcome": "success", "fetches": 2},
        {"day": "2026-03-14", "outcome": "temporary_error", "fetches": 1},
    ]


async def test_a_job_that_lost_its_lease_counts_for_nothing(database: Database) -> None:
    feed = await add_feed(database)
    job = collected(await claim(database, feed), await start_run(database), listed())
    await save(database, [job])
    assert await save(database, [job]) == {feed.id: None}
    (day,) = await rows(database, feed_days)
    assert (day.success, day.added) == (1, 1)


async def test_hosts_are_told_by_how_long_they_take(database: Database) -> None:
    for url, spent_s in (
        ("https://fast.example/a", 0.1),
        ("https://slow.example/a", 3.0),
        ("https://slow.example/b", 1.0),
    ):
        await collect(database, await add_feed(database, url), spent_s=spent_s)
    assert await database.read(load_slowest_hosts, TODAY) == [
        {"host": "slow.example:443", "fetches": 2, "mean_s": 2.0},
        {"host": "fast.example:443", "fetches": 1, "mean_s": 0.1},
    ]
    assert len(await database.read(load_slowest_hosts, TODAY, limit=1)) == 1
