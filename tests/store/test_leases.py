"""Leases: who may work on which feed, in which order, until when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from inforadar.model.feed_options import FeedOptions
from inforadar.model.ids import new_uuid
from inforadar.model.schedule import Lease
from inforadar.store.database import Database
from inforadar.store.feeds.changes import request_feed, update_feed
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.leases import claim_due_feeds, claim_feeds, extend_leases, release_leases
from inforadar.store.schema.feeds import feeds
from inforadar.store.types import db_later
from tests.store.making import (
    NOW,
    add_feed,
    add_feeds,
    claim,
    count_leases,
    expire_lease,
    reload,
    set_due,
    set_schedule,
)


def ids(leases: list[Lease]) -> list[object]:
    return [lease.feed.id for lease in leases]


async def test_a_claim_takes_asked_for_then_never_fetched_then_longest_ago(database: Database) -> None:
    made = await add_feeds(database, 6, due_s=-60)
    asked_late, asked_early, never, long_ago, lately, not_due = made
    await set_schedule(database, long_ago, fetched_at=NOW - timedelta(days=9))
    await set_schedule(database, lately, fetched_at=NOW)
    for feed in (asked_late, asked_early):
        await set_schedule(database, feed, fetched_at=NOW)
    await set_schedule(database, asked_late, requested_at=db_later(-5), next_run_at=None)
    await set_schedule(database, asked_early, requested_at=db_later(-9), next_run_at=db_later(999))
    await set_due(database, not_due, 60)

    claimed = await database.write(claim_due_feeds, 10)
    assert set(ids(claimed[:2])) == {asked_early.id, asked_late.id}
    assert ids(claimed[2:]) == [never.id, long_ago.id, lately.id]


async def test_a_claim_takes_no_more_than_it_is_told_and_the_next_one_the_rest(database: Database) -> None:
    made = await add_feeds(database, 5, due_s=-1)
    first = await database.write(claim_due_feeds, 3)
    second = await database.write(claim_due_feeds, 3)
    third = await database.write(claim_due_feeds, 3)
    assert (len(first), len(second), len(third)) == (3, 2, 0)
    assert {*ids(first), *ids(second)} == {feed.id for feed in made}
    assert await count_leases(database) == 5


async def test_disabled_and_deleted_feeds_are_never_claimed(database: Database) -> None:
    disabled, deleted, good = await add_feeds(database, 3, due_s=-1)
    await database.write(update_feed, disabled.id, {"enabled": False})
    await database.write(delete_feed, deleted.id, NOW)
    for feed in (disabled, deleted):
        await database.write(request_feed, feed.id)
    assert await database.write(claim_feeds, [disabled.id, deleted.id]) == []
    assert ids(await database.write(claim_due_feeds, 10)) == [good.id]


async def test_requests_for_disabled_feeds_do_not_crowd_out_the_others(database: Database) -> None:
    made = await add_feeds(database, 4)
    for feed in made[:3]:
        await database.write(request_feed, feed.id)
        await database.write(update_feed, feed.id, {"enabled": False})
    await database.write(request_feed, made[3].id)
    assert ids(await database.write(claim_due_feeds, 1)) == [made[3].id]


async def test_a_leased_feed_is_nobody_elses_even_if_asked_for(database: Database) -> None:
    feed = await add_feed(database)
    await claim(database, feed)
    await database.write(request_feed, feed.id)
    await set_due(database, feed)
    assert await database.write(claim_due_feeds, 10) == []
    assert await database.write(claim_feeds, [feed.id]) == []


async def test_a_feed_out_of_the_schedule_is_not_due(database: Database) -> None:
    await add_feed(database)
    assert await database.write(claim_due_feeds, 10) == []


async def test_a_claim_pushes_the_due_time_to_the_end_of_the_lease(database: Database) -> None:
    feed = await add_feed(database)
    await set_due(database, feed)
    (lease,) = await database.write(claim_due_feeds, 10, lease_s=600.0)
    now = await reload(database, feed)
    assert now.next_run_at == now.locked_until == lease.locked_until
    assert lease.locked_until - lease.claimed_at == pytest.approx(
        timedelta(seconds=600), abs=timedelta(seconds=1)
    )
    assert abs(lease.claimed_at - datetime.now(UTC)) < timedelta(seconds=60)


async def test_what_a_wrong_clock_wrote_does_not_silence_a_feed_for_years(database: Database) -> None:
    """A machine that starts in 2036 until somebody tells it the time."""
    scheduled, leased, next_year = await add_feeds(database, 3)
    years = db_later(10 * 365 * 86400.0)
    await set_schedule(database, scheduled, next_run_at=years)
    await set_schedule(database, leased, next_run_at=years, locked_until=years, lease_token="a" * 32)
    await set_schedule(database, next_year, next_run_at=db_later(365 * 86400.0))
    assert set(ids(await database.write(claim_due_feeds, 10))) == {scheduled.id, leased.id}
    assert await database.write(claim_due_feeds, 10) == []


async def test_a_lease_that_ran_out_is_claimed_again_with_another_token(database: Database) -> None:
    feed = await add_feed(database)
    old = await claim(database, feed)
    await expire_lease(database, feed)
    (new,) = await database.write(claim_due_feeds, 10)
    assert new.feed.id == feed.id
    assert new.token != old.token


async def test_feeds_that_are_not_due_can_be_claimed_by_id(database: Database) -> None:
    feed = await add_feed(database)
    await set_due(database, feed, 9999)
    (lease,) = await database.write(claim_feeds, [feed.id])
    assert lease.feed.next_run_at is not None


async def test_more_feeds_can_be_claimed_by_id_than_a_statement_has_parameters(database: Database) -> None:
    feed = await add_feed(database)
    wanted = [feed.id, *(new_uuid() for _ in range(40_000))]
    assert ids(await database.write(claim_feeds, wanted)) == [feed.id]


async def test_the_heartbeat_keeps_what_is_ours_and_tells_what_is_lost(database: Database) -> None:
    made = await add_feeds(database, 3)
    leases = await database.write(claim_feeds, [feed.id for feed in made], lease_s=1.0)
    other = await claim(database, await add_feed(database, "https://other.example/"))
    lost = leases[1].feed
    await expire_lease(database, lost)
    await claim(database, lost)

    kept = await database.write(extend_leases, [*leases, other], lease_s=600.0)
    assert kept == {leases[0].feed.id, leases[2].feed.id, other.feed.id}
    now = await reload(database, leases[0].feed)
    assert now.locked_until == now.next_run_at
    assert now.locked_until is not None
    assert now.locked_until > leases[0].locked_until + timedelta(seconds=500)


async def test_extending_nothing_is_nothing(database: Database) -> None:
    assert await database.write(extend_leases, []) == frozenset()
    await database.write(release_leases, [])


@pytest.mark.parametrize("due_s", [None, -30.0, 30.0])
async def test_a_released_feed_is_as_due_as_before_and_keeps_its_request(
    database: Database, due_s: float | None
) -> None:
    feed = await add_feed(database)
    if due_s is not None:
        await set_due(database, feed, due_s)
    await database.write(request_feed, feed.id)
    before = await reload(database, feed)
    await database.write(release_leases, [await claim(database, feed)])
    after = await reload(database, feed)
    assert after == before
    assert after.requested_at is not None
    assert after.locked_until is None


async def test_releasing_a_lost_lease_leaves_the_new_one_alone(database: Database) -> None:
    feed = await add_feed(database)
    lost = await claim(database, feed)
    await expire_lease(database, feed)
    new = await claim(database, feed)
    await database.write(release_leases, [lost])
    assert (await reload(database, feed)).locked_until == new.locked_until


async def test_a_claim_hands_over_the_whole_feed(database: Database) -> None:
    feed = await add_feed(
        database,
        "https://пример.рф/лента?a=1&utm_source=x",
        topic="мир 🌍",
        options=FeedOptions(prompt="中文"),
    )
    (lease,) = await database.write(claim_feeds, [feed.id])
    assert lease.feed == feed
    assert lease.feed.url == "https://xn--e1afmkfd.xn--p1ai/%D0%BB%D0%B5%D0%BD%D1%82%D0%B0?a=1&utm_source=x"
    assert lease.feed.options.prompt == "中文"


async def test_options_of_another_shape_keep_no_feed_from_being_claimed(database: Database) -> None:
    made = await add_feeds(database, 2, due_s=-1.0)
    odd = update(feeds).where(feeds.c.id == made[0].id).values(options=["by hand"])
    await database.write(lambda connection: connection.execute(odd))
    leases = await database.write(claim_due_feeds, 10)
    assert {lease.feed.id: lease.feed.options for lease in leases} == {
        feed.id: FeedOptions() for feed in made
    }
