"""Saving finished jobs: all or nothing, none without its lease, a poisoned one alone."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inforadar.errors import LeaseLostError, StoreError
from inforadar.model.feed import FeedKind
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import RunId, UrlHash, new_uuid
from inforadar.model.item import Diff, KnownItem, Listed
from inforadar.model.schedule import NextRun
from inforadar.stages.diff import diff
from inforadar.store import writer as writer_module
from inforadar.store.database import Database, open_database
from inforadar.store.feeds.changes import request_feed, sync_feed, update_feed
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.feeds.queries import find_feed_by_url, load_former_urls
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.leases import claim_due_feeds, claim_feeds
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import item_changes, items
from inforadar.store.writer import Writer, save_collected
from tests.store.making import (
    NOW,
    add_feed,
    add_feeds,
    claim,
    collect,
    collected,
    count,
    expire_lease,
    listed,
    reload,
    rows,
    save,
    set_feed,
    set_schedule,
    start_run,
)

ICON = "https://example.com/图.png"
VALIDATORS = Validators(
    etag='W/"a"', last_modified="Sat, 14 Mar 2026 15:09:26 GMT", url="https://example.com/feed"
)


async def state(database: Database) -> list[list[Any]]:
    return [await rows(database, table) for table in (feeds, feed_schedules, items, articles, item_changes)]


async def test_a_job_stores_items_validators_status_and_schedule(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(request_feed, feed.id)
    saved = await collect(
        database,
        feed,
        listed("https://example.com/1", title="Заголовок 🗞️", views=0),
        listed("https://example.com/2"),
        validators=VALIDATORS,
        kind=FeedKind.FEED,
        channel={"title": "例", "site_url": "https://example.com/", "language": "zh", "icon": ICON},
    )
    assert [new.listed.url for new in saved.added] == ["https://example.com/1", "https://example.com/2"]
    now = await reload(database, feed)
    assert (now.kind, now.title, now.language, now.icon) == (FeedKind.FEED, "例", "zh", ICON)
    assert now.validators == VALIDATORS
    assert (now.last_fetch_status, now.last_fetched_at) == (Outcome.SUCCESS, NOW)
    assert (now.locked_until, now.requested_at, now.last_error, now.failures) == (None, None, None, 0)
    assert now.next_run_at is not None
    assert abs(now.next_run_at - datetime.now(UTC) - timedelta(hours=1)) < timedelta(seconds=60)
    stored = {row.url: row for row in await rows(database, items)}
    assert stored["https://example.com/1"].title == "Заголовок 🗞️"
    assert stored["https://example.com/1"].views == 0
    assert stored["https://example.com/1"].analyzer_result == {}
    assert {row.status for row in await rows(database, articles)} == {"not_fetched"}


async def test_saving_the_same_listing_again_changes_nothing(database: Database) -> None:
    feed = await add_feed(database)
    entries = [listed(f"https://example.com/{n}", tags=("a", "b"), rating=0.0) for n in range(3)]
    await collect(database, feed, *entries)
    before = (await rows(database, items), await rows(database, articles))
    again = await collect(database, feed, *entries)
    assert (again.added, again.changed) == ((), ())
    assert (await rows(database, items), await rows(database, articles)) == before


async def test_a_failed_fetch_keeps_items_and_validators_and_leaves_the_schedule(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(), validators=VALIDATORS)
    failed = NextRun(after_s=None, failures=3, error="410 Gone. It will not come back.")
    await collect(database, feed, outcome=Outcome.PERMANENT_ERROR, next_run=failed)
    now = await reload(database, feed)
    assert now.next_run_at is None
    assert (now.last_error, now.failures) == ("410 Gone. It will not come back.", 3)
    assert now.validators == VALIDATORS
    assert await count(database, items) == 1


async def test_validators_can_be_taken_back(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, validators=VALIDATORS)
    await collect(database, feed, validators=Validators())
    assert not (await reload(database, feed)).validators


async def test_a_lost_lease_writes_nothing_at_all(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(views=1), validators=VALIDATORS)
    stale = await claim(database, feed)
    await expire_lease(database, feed)
    await claim(database, feed)
    run = await start_run(database)
    before = await state(database)
    job = collected(
        stale,
        run,
        listed(views=2),
        listed("https://example.com/new"),
        validators=Validators(etag="x"),
        moved_to="https://elsewhere.example/feed",
        outcome=Outcome.PERMANENT_ERROR,
        next_run=NextRun(after_s=None, error="no"),
    )
    assert await save(database, [job]) == {feed.id: None}
    assert await state(database) == before


async def test_a_lease_that_a_person_broke_with_sync_cannot_commit(database: Database) -> None:
    feed = await add_feed(database)
    stale = await claim(database, feed)
    await database.write(sync_feed, feed.id)
    assert await save(database, [collected(stale, await start_run(database), listed())]) == {feed.id: None}
    assert await count(database, items) == 0


async def test_a_job_cannot_be_saved_twice(database: Database) -> None:
    feed = await add_feed(database)
    job = collected(await claim(database, feed), await start_run(database), listed())
    assert (await save(database, [job]))[feed.id]
    assert await save(database, [job]) == {feed.id: None}


async def test_of_a_batch_with_one_lost_lease_the_others_commit(database: Database) -> None:
    made = await add_feeds(database, 3)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    await expire_lease(database, leases[1].feed)
    await claim(database, leases[1].feed)
    run = await start_run(database)
    saved = await save(database, [collected(lease, run, listed(lease.feed.url + "/1")) for lease in leases])
    assert [bool(saved[lease.feed.id]) for lease in leases] == [True, False, True]
    assert {row.feed_id for row in await rows(database, items)} == {leases[0].feed.id, leases[2].feed.id}


def poisoned(entries: Sequence[Listed], known: Mapping[UrlHash, KnownItem]) -> Diff:
    """The second feed of `add_feeds` cannot be compared."""
    if any("site-1." in entry.url for entry in entries):
        raise ArithmeticError("poison")
    return diff(entries, known)


async def test_a_fault_in_the_middle_rolls_the_whole_batch_back(database: Database) -> None:
    made = await add_feeds(database, 2)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    run = await start_run(database)
    before = await state(database)
    jobs = [collected(lease, run, listed(lease.feed.url + "/1")) for lease in leases]
    with pytest.raises(ArithmeticError):
        await database.write(save_collected, jobs, poisoned)
    assert await state(database) == before


async def test_a_constraint_that_does_not_hold_rolls_the_job_back(database: Database) -> None:
    feed = await add_feed(database)
    lease = await claim(database, feed)
    run = await start_run(database)
    before = await state(database)
    with pytest.raises(StoreError, match=r"(?i)foreign key"):
        await save(database, [collected(lease, RunId(new_uuid()), listed())])
    assert await state(database) == before
    assert (await save(database, [collected(lease, run, listed())]))[feed.id]


async def test_through_the_writer_a_poisoned_job_fails_alone(database: Database) -> None:
    made = await add_feeds(database, 5)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    run = await start_run(database)
    async with Writer(database, poisoned) as writer:
        ended = await asyncio.gather(
            *(writer.submit(collected(lease, run, listed(lease.feed.url + "/1"))) for lease in leases),
            return_exceptions=True,
        )
    bad = [lease.feed.url for lease, end in zip(leases, ended, strict=True) if isinstance(end, Exception)]
    assert bad == ["https://site-1.example/feed"]
    assert await count(database, items) == 4
    assert (await reload(database, next(f for f in made if "site-1." in f.url))).locked_until is not None


async def test_the_writer_says_that_a_lease_was_lost(database: Database) -> None:
    feed = await add_feed(database)
    stale = await claim(database, feed)
    await expire_lease(database, feed)
    await claim(database, feed)
    async with Writer(database, diff) as writer:
        with pytest.raises(LeaseLostError, match="went to another worker"):
            await writer.submit(collected(stale, await start_run(database), listed()))


async def test_the_writer_saves_what_waits_before_it_ends_and_nothing_after(database: Database) -> None:
    made = await add_feeds(database, 300)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    run = await start_run(database)
    async with Writer(database, diff) as writer:
        waiting = [writer.submit(collected(lease, run, listed(lease.feed.url + "/1"))) for lease in leases]
        await asyncio.sleep(0)
    assert all(saved.added for saved in await asyncio.gather(*waiting))
    assert await count(database, items) == 300
    with pytest.raises(StoreError, match="the worker is stopping"):
        await writer.submit(collected(leases[0], run))


async def test_jobs_wait_for_no_others_once_it_is_said_that_none_come(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.store.writer.GATHER_S", 3600.0)
    feed = await add_feed(database)
    job = collected(await claim(database, feed), await start_run(database), listed())
    async with Writer(database, diff) as writer:
        saving = writer.submit(job)
        writer.flush_soon()
        async with asyncio.timeout(30):
            assert (await saving).added


async def test_a_caller_that_is_cancelled_disturbs_nobody(database: Database) -> None:
    made = await add_feeds(database, 2)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    run = await start_run(database)
    async with Writer(database, diff) as writer:
        first, second = (
            writer.submit(collected(lease, run, listed(lease.feed.url + "/1"))) for lease in leases
        )
        await asyncio.sleep(0)
        first.cancel()
        assert (await second).added
    assert first.cancelled()
    assert await count(database, items) == 2


async def test_a_database_in_trouble_fails_the_whole_batch_at_once(database: Database) -> None:
    """Each job on its own would wait for the lock again: minutes, with the worker standing still."""
    if not database.path:
        return
    made = await add_feeds(database, 20)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    run = await start_run(database)
    locked = asyncio.Event()
    release = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hold(connection: object) -> None:
        loop.call_soon_threadsafe(locked.set)
        asyncio.run_coroutine_threadsafe(release.wait(), loop).result()

    async with open_database(f"sqlite:///{database.path}", lock_timeout_s=0.5) as other:
        holding = asyncio.create_task(database.write(hold))
        await locked.wait()
        async with Writer(other, diff) as writer, asyncio.timeout(8):
            ended = await asyncio.gather(
                *(writer.submit(collected(lease, run)) for lease in leases), return_exceptions=True
            )
        release.set()
        await holding
    assert all("locked by another program" in str(end) for end in ended)


async def test_what_was_asked_for_while_the_job_ran_is_still_owed(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(request_feed, feed.id)
    (lease,) = await database.write(claim_due_feeds, 1)
    await set_schedule(database, feed, requested_at=lease.claimed_at + timedelta(milliseconds=1))
    await save(database, [collected(lease, await start_run(database))])
    assert (await reload(database, feed)).requested_at is not None
    assert len(await database.write(claim_due_feeds, 1)) == 1


async def test_an_edit_while_the_job_ran_is_not_undone(database: Database) -> None:
    feed = await add_feed(database)
    lease = await claim(database, feed)
    await database.write(
        update_feed, feed.id, {"title": "Edited", "topic": "new", "language": "uk", "kind": "sitemap"}
    )
    await save(
        database,
        [
            collected(
                lease, await start_run(database), kind=FeedKind.FEED, channel={"title": "", "site_url": "s"}
            )
        ],
    )
    now = await reload(database, feed)
    assert (now.title, now.topic, now.language, now.kind) == ("Edited", "new", "uk", FeedKind.SITEMAP)
    assert now.site_url == "s"


async def test_a_feed_that_moved_is_found_by_both_urls(database: Database) -> None:
    feed = await add_feed(database)
    saved = await collect(database, feed, moved_to="https://new.example/feed?a=1#top")
    assert saved.duplicate_of is None
    now = await reload(database, feed)
    assert now.url == "https://new.example/feed?a=1"
    for url in ("https://new.example/feed?a=1", "https://example.com/feed"):
        found = await database.read(find_feed_by_url, url)
        assert found is not None
        assert found.id == feed.id
    assert await database.read(load_former_urls, feed.id) == [("https://example.com/feed", NOW)]


@pytest.mark.parametrize(
    ("given", "moved_to", "kept"),
    [
        ("https://example.com/feed", "https://elsewhere.example/feed", False),
        ("https://example.com/feed", "https://example.com:8443/feed", False),
        ("https://example.com/feed", "http://example.com/feed", False),
        ("https://example.com/feed", "https://example.com/new", True),
        ("http://example.com/feed", "https://example.com/feed", True),
    ],
)
async def test_a_feed_with_credentials_does_not_leave_their_origin(
    database: Database, given: str, moved_to: str, kept: bool
) -> None:
    feed = await add_feed(database, given)
    await database.write(save_credentials, feed.id, {"Authorization": "x"})
    saved = await collect(database, feed, listed(), moved_to=moved_to)
    assert len(saved.added) == 1
    assert (await reload(database, feed)).url == (moved_to if kept else given)
    assert await database.read(load_credentials) == {feed.id: {"Authorization": "x"}}


async def test_a_feed_whose_credentials_were_forgotten_moves(database: Database) -> None:
    feed = await add_feed(database)
    await database.write(save_credentials, feed.id, {"Authorization": "x"})
    await collect(database, feed, moved_to="https://new.example/feed")
    await database.write(save_credentials, feed.id, {})
    await collect(database, feed, moved_to="https://new.example/feed")
    assert (await reload(database, feed)).url == "https://new.example/feed"


async def test_a_feed_that_moves_back_has_no_former_url_that_is_its_own(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, moved_to="https://new.example/feed")
    await collect(database, feed, moved_to="https://example.com/feed")
    assert (await reload(database, feed)).url == "https://example.com/feed"
    assert [url for url, _ in await database.read(load_former_urls, feed.id)] == ["https://new.example/feed"]


async def test_a_feed_that_moved_to_another_ones_url_keeps_its_own_and_says_whose_it_is(
    database: Database,
) -> None:
    feed = await add_feed(database)
    other = await add_feed(database, "https://new.example/feed")
    saved = await collect(database, feed, listed(), moved_to="https://new.example/feed")
    assert saved.duplicate_of == other.id
    assert len(saved.added) == 1
    assert (await reload(database, feed)).url == "https://example.com/feed"


async def test_two_feeds_that_move_to_one_url_in_one_batch(database: Database) -> None:
    made = await add_feeds(database, 2)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    run = await start_run(database)
    moved = [collected(lease, run, moved_to="https://one.example/feed") for lease in leases]
    saved = await save(database, moved)
    first, second = (saved[lease.feed.id] for lease in leases)
    assert first is not None
    assert second is not None
    assert (first.duplicate_of, second.duplicate_of) == (None, leases[0].feed.id)


async def test_text_that_no_database_stores_is_stored_without_it(database: Database) -> None:
    feed = await add_feed(database)
    hostile = "a\x00b\ud83dc"
    await collect(database, feed, listed(title=hostile, content=hostile, tags=(hostile,), author="\x00"))
    await collect(database, feed, listed(title="other"), channel={"title": hostile})
    (row,) = await rows(database, items)
    assert (row.content, row.tags, row.author) == ("ab?c", ["ab?c"], "")
    (change,) = await rows(database, item_changes)
    assert change.fields == {"title": ["ab?c", "other"]}
    assert (await reload(database, feed)).title == "ab?c"


async def test_counters_beyond_32_bits_are_stored(database: Database) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed(views=8_000_000_000))
    assert (await rows(database, items))[0].views == 8_000_000_000


async def test_workers_that_bring_in_the_same_articles_do_not_wait_for_each_other(
    database: Database, database_url: str
) -> None:
    made = await add_feeds(database, 24)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    run = await start_run(database)
    urls = [f"https://shared.example/{n}" for n in range(60)]

    async def work(mine: list[Any], step: int) -> None:
        async with open_database(database_url) as own:
            for lease in mine:
                await save(own, [collected(lease, run, *(listed(url) for url in urls[::step]))])

    await asyncio.gather(work(leases[:8], 1), work(leases[8:16], -1), work(leases[16:], 1))
    assert await count(database, items) == 24 * 60
    assert await count(database, articles) == 60


async def test_a_batch_is_bounded_by_what_it_lists_and_whoever_collects_waits_for_room(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer_module, "MAX_BATCH_WEIGHT", 20)
    monkeypatch.setattr(writer_module, "MAX_UNSAVED_WEIGHT", 40)
    batches: list[int] = []

    def noted(connection: Any, jobs: Any, *args: Any, **kwargs: Any) -> Any:
        batches.append(len(jobs))
        return save_collected(connection, jobs, *args, **kwargs)

    monkeypatch.setattr(writer_module, "save_collected", noted)
    made = await add_feeds(database, 5)
    leases = await database.write(claim_feeds, [feed.id for feed in made])
    run = await start_run(database)
    # 7 for a job with an entry, 36 for one with thirty.
    sizes = [1, 1, 30, 1, 1]
    async with Writer(database, diff) as writer:
        assert await asyncio.wait_for(writer.wait_for_capacity(), 5) is None
        saving = [
            writer.submit(collected(lease, run, *(listed(f"{lease.feed.url}/{n}") for n in range(size))))
            for lease, size in zip(leases, sizes, strict=True)
        ]
        waiting = asyncio.create_task(writer.wait_for_capacity())
        await asyncio.sleep(0)
        assert not waiting.done()
        await asyncio.gather(*saving)
        await asyncio.wait_for(waiting, 5)
    assert batches == [2, 1, 2]
    assert await count(database, items) == sum(sizes)


async def test_of_two_jobs_of_one_feed_the_one_that_lost_its_lease_is_told_so(database: Database) -> None:
    feed = await add_feed(database)
    run = await start_run(database)
    lost = await claim(database, feed)
    await expire_lease(database, feed)
    held = await claim(database, feed)
    async with Writer(database, diff) as writer:
        old = writer.submit(collected(lost, run, listed("https://example.com/старое")))
        new = writer.submit(collected(held, run, listed("https://example.com/новое")))
        writer.flush_soon()
        assert [item.listed.url for item in (await new).added] == ["https://example.com/новое"]
        with pytest.raises(LeaseLostError):
            await old
    assert [row.url for row in await rows(database, items)] == ["https://example.com/новое"]


async def test_a_feed_that_moved_to_a_deleted_feeds_url_is_no_duplicate(database: Database) -> None:
    feed = await add_feed(database)
    other = await add_feed(database, "https://new.example/feed")
    await set_feed(database, other, deleted_at=NOW, enabled=False)
    saved = await collect(database, feed, listed(), moved_to="https://new.example/feed")
    assert (saved.duplicate_of, len(saved.added)) == (None, 1)
    stored = await reload(database, feed)
    assert (stored.duplicate_of, stored.url) == (None, "https://example.com/feed")
    await set_feed(database, other, deleted_at=None)
    saved = await collect(database, feed, listed(), moved_to="https://new.example/feed")
    assert saved.duplicate_of == other.id
