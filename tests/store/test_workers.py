"""Workers that are alive, and the leases of those that died."""

from __future__ import annotations

import os

import pytest
from sqlalchemy import update

from inforadar.app.worker import open_worker
from inforadar.config import Settings
from inforadar.store import lease_tokens
from inforadar.store.analyses.claims import claim_analyses
from inforadar.store.articles.claims import claim_articles
from inforadar.store.database import Database
from inforadar.store.leases import claim_due_feeds, holds_lease
from inforadar.store.schema.items import items
from inforadar.store.schema.workers import workers
from inforadar.store.stories.claims import claim_group_jobs
from inforadar.store.types import db_later, db_now
from inforadar.store.workers import remove_worker, renew_worker
from tests.store.making import add_feed, add_feeds, collect, listed, rows, set_due

CLAIMS = (claim_due_feeds, claim_articles, claim_analyses, claim_group_jobs)


@pytest.fixture(autouse=True)
def a_process_of_its_own() -> None:
    become_another_process()


def become_another_process() -> None:
    lease_tokens._key.cache_clear()


async def set_alive(database: Database, key: str, seconds: float) -> None:
    lapsed = update(workers).where(workers.c.id == key).values(alive_until=db_later(seconds))
    await database.write(lambda connection: connection.execute(lapsed))


async def test_a_dead_workers_leases_are_freed_in_all_queues_and_it_saves_nothing_more(
    database: Database,
) -> None:
    feed = await add_feed(database)
    await collect(database, feed, listed())
    await set_due(database, feed)
    analyzed = update(items).values(analyze_at=db_now())
    await database.write(lambda connection: connection.execute(analyzed))
    await database.write(renew_worker, "it will be killed")
    dead = lease_tokens.worker_key()
    held = [(await database.write(claim, 10))[0] for claim in CLAIMS]
    assert {job.token[:16] for job in held} == {dead}

    become_another_process()
    assert await database.write(renew_worker, "another") == 0
    assert [await database.write(claim, 10) for claim in CLAIMS] == [[], [], [], []]
    await set_alive(database, dead, -1)
    assert await database.write(renew_worker, "another") == len(CLAIMS)
    assert not await database.read(holds_lease, held[0])
    again = [(await database.write(claim, 10))[0] for claim in CLAIMS]
    assert {job.token[:16] for job in again} == {lease_tokens.worker_key()}
    assert await database.write(renew_worker, "another") == 0


async def test_the_leases_of_the_living_stay(database: Database) -> None:
    await add_feeds(database, 3, due_s=-1)
    await database.write(renew_worker, "alive")
    alive = lease_tokens.worker_key()
    leases = await database.write(claim_due_feeds, 3)
    become_another_process()
    await database.write(renew_worker, "dead")
    await set_alive(database, lease_tokens.worker_key(), -1)
    become_another_process()
    assert await database.write(renew_worker, "another") == 0
    assert all([await database.read(holds_lease, lease) for lease in leases])
    assert {row.id for row in await rows(database, workers)} == {alive, lease_tokens.worker_key()}


async def test_after_the_database_was_away_the_others_get_time_to_come_back(database: Database) -> None:
    await add_feeds(database, 1, due_s=-1)
    await database.write(renew_worker, "one")
    one = lease_tokens.worker_key()
    assert await database.write(claim_due_feeds, 1)
    become_another_process()
    await database.write(renew_worker, "two")
    for key in (one, lease_tokens.worker_key()):
        await set_alive(database, key, -1)
    assert await database.write(renew_worker, "two") == 0
    assert await database.write(renew_worker, "two") == 1


async def test_a_time_of_a_wrong_clock_keeps_nobody_alive(database: Database) -> None:
    await database.write(renew_worker, "years ahead")
    await set_alive(database, lease_tokens.worker_key(), 365 * 86400.0)
    become_another_process()
    await database.write(renew_worker, "another")
    assert [row.name for row in await rows(database, workers)] == ["another"]


async def test_a_worker_is_listed_while_it_is_open(database: Database, site_settings: Settings) -> None:
    async with open_worker(site_settings, database, stages=frozenset()):
        (row,) = await rows(database, workers)
        assert row.name.endswith(f" {os.getpid()}")
        assert row.alive_until > row.started_at
    assert await rows(database, workers) == []


async def test_a_worker_that_ends_in_order_is_gone(database: Database) -> None:
    await database.write(renew_worker, "one")
    await database.write(remove_worker)
    assert await rows(database, workers) == []


def test_a_forked_child_has_a_key_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = lease_tokens.worker_key()
    assert lease_tokens.worker_key() == ours
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert lease_tokens.worker_key() != ours
