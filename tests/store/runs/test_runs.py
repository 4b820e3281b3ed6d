"""Runs: reports counted from what was stored, and bounded events."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from inforadar.errors import NotFoundError, UsageError
from inforadar.model.ids import RunId, new_uuid, short_id
from inforadar.model.progress import Progress, ProgressKind
from inforadar.model.run import RunDetails, RunKind
from inforadar.store.database import Database
from inforadar.store.runs.fetch_runs import claim_fetch_run, close_dead_runs, request_fetch_run
from inforadar.store.runs.queries import (
    MAX_EVENTS,
    find_run,
    has_fetch_work,
    load_open_fetch_runs,
    load_report,
    load_runs,
)
from inforadar.store.runs.save import finish_run, insert_run, save_events
from inforadar.store.schema.runs import run_events, runs
from inforadar.store.types import db_later
from tests.store.making import NOW, add_feed, claim, collected, listed, rows, save, start_run


async def test_a_report_says_what_was_added_and_what_changed_from_what_to_what(database: Database) -> None:
    feed = await add_feed(database)
    first = await start_run(database)
    one, two = listed("https://example.com/1", views=1, tags=("a",)), listed("https://example.com/2")
    await save(database, [collected(await claim(database, feed), first, one, two)])
    await database.write(finish_run, first, NOW + timedelta(minutes=1), details=RunDetails(dropped=3))
    done = await database.read(load_report, first)
    assert (done.added_count, done.updated_count, done.errors_count) == (2, 0, 0)
    assert done.added_articles == (one.url, two.url)
    assert done.details == RunDetails(dropped=3)

    second = await start_run(database)
    for views in (2, 3):
        changed = listed("https://example.com/1", views=views, tags=("b",))
        await save(database, [collected(await claim(database, feed), second, changed)])
    await database.write(finish_run, second, NOW, errors=1, interrupted=True)
    report = await database.read(load_report, second)
    assert (report.added_count, report.updated_count, report.errors_count) == (0, 1, 1)
    assert report.interrupted
    assert report.updated_articles == (one.url,)
    assert report.updated_fields_map == {one.url: {"views": (1, 3), "tags": (["a"], ["b"])}}


async def test_an_unfinished_run_has_no_end(database: Database) -> None:
    run = await database.write(insert_run, RunKind.FETCH, NOW, RunDetails(sources=("Хабр",)))
    report = await database.read(load_report, run)
    assert (report.finished_at, report.kind, report.details.sources) == (None, RunKind.FETCH, ("Хабр",))


async def test_runs_are_listed_newest_first(database: Database) -> None:
    made = [
        await database.write(insert_run, RunKind.COLLECT, NOW + timedelta(hours=hour))
        for hour in (2, 0, 1, 3)
    ]
    listed_runs = await database.read(load_runs, limit=3)
    assert [report.run_id for report in listed_runs] == [made[3], made[0], made[2]]


async def test_a_run_is_found_by_the_beginning_or_the_end_of_its_id(database: Database) -> None:
    first, second = [await start_run(database) for _ in range(2)]
    assert await database.read(find_run, str(second)) == second
    assert await database.read(find_run, short_id(first)) == first
    assert await database.read(find_run, f" {str(second)[-12:].upper()} ") == second
    with pytest.raises(UsageError, match="fits several runs"):
        await database.read(find_run, str(first)[:4])
    for wrong in ("", "zzzzzz", str(new_uuid())):
        with pytest.raises(NotFoundError, match="There is no run"):
            await database.read(find_run, wrong)


async def test_a_run_that_is_not_there_is_said_to_be_not_there(database: Database) -> None:
    with pytest.raises(NotFoundError, match="There is no run"):
        await database.read(load_report, RunId(new_uuid()))


def event(run: RunId, text: str) -> Progress:
    return Progress(
        run_id=run, at=NOW, kind=ProgressKind.LINE, label="habr/python", text=text, found=7, done=0
    )


async def test_events_are_stored_in_order_and_their_text_is_cut(database: Database) -> None:
    run = await start_run(database)
    await database.write(save_events, run, 0, [event(run, "первая"), event(run, "x" * 5000)])
    await database.write(save_events, run, 2, [event(run, "third\x00")])
    await database.write(save_events, run, 3, [])
    stored = sorted(await rows(database, run_events), key=lambda row: row.seq)
    assert [row.text for row in stored] == ["первая", "x" * 2000, "third"]
    assert (stored[0].label, stored[0].found, stored[0].kind) == ("habr/python", 7, "line")


async def test_the_events_of_a_run_are_bounded(database: Database) -> None:
    run = await start_run(database)
    await database.write(save_events, run, MAX_EVENTS - 2, [event(run, str(n)) for n in range(5)])
    await database.write(save_events, run, MAX_EVENTS + 3, [event(run, "more")])
    assert sorted(row.seq for row in await rows(database, run_events)) == [MAX_EVENTS - 2, MAX_EVENTS - 1]


async def test_a_run_whose_heartbeat_was_written_under_a_wrong_clock_is_closed(database: Database) -> None:
    run = await database.write(request_fetch_run, RunDetails())
    await database.write(claim_fetch_run)
    assert not await database.read(has_fetch_work)
    years = db_later(4 * 365 * 86400.0)
    await database.write(lambda c: c.execute(update(runs).values(alive_until=years)))
    assert await database.read(has_fetch_work)
    assert await database.read(load_open_fetch_runs) == []
    await database.write(close_dead_runs)
    report = await database.read(load_report, run)
    assert report.finished_at is not None
    assert report.interrupted
    assert report.finished_at - report.started_at < timedelta(hours=1)
