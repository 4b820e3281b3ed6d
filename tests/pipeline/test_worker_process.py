"""Workers as processes: frozen past a lease, stopped in the middle of requests."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import select

from inforadar.store.database import Database
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from tests.chaos.audit import find_half_written
from tests.chaos.frozen import FEEDS, overtaken_worker
from tests.chaos.rounds import subscribe
from tests.chaos.site import NumberedSite
from tests.chaos.workers import Setup, work_once, worker
from tests.store.making import rows
from tests.support.site import Site

STOP_S = 5.0


async def everything(database: Database) -> list[Any]:
    """All rows that a feed's job writes."""
    return [sorted(await rows(database, table)) for table in (feeds, feed_schedules, items)]


async def test_a_worker_that_slept_through_its_lease_commits_nothing(
    site: Site, database: Database, database_url: str, tmp_path: Path
) -> None:
    async with overtaken_worker(site, database, database_url, tmp_path) as overtaken:
        before = await everything(database)
        overtaken.sleeper.signal(signal.SIGCONT)
        await overtaken.sleeper.said("batch.finished")
        assert len(overtaken.sleeper.logged("feed.lease_lost")) == FEEDS
        assert await everything(database) == before
        assert await overtaken.violations() == []


async def schedules(database: Database) -> set[tuple[Any, ...]]:
    s = feed_schedules.c
    query = select(
        s.id, s.next_run_at, s.requested_at, s.locked_until, s.lease_token, s.failures, s.last_error
    )
    return {tuple(row) for row in await database.read(lambda c: c.execute(query).all())}


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["--once"], 130)])
async def test_a_stop_in_the_middle_of_requests_is_quick_and_leaves_everything_as_it_was(
    site: Site, database: Database, database_url: str, tmp_path: Path, arguments: list[str], code: int
) -> None:
    numbered = NumberedSite(site, 4, Random(1))
    numbered.is_growing = False
    await subscribe(database, numbered)
    before = await schedules(database)
    setup = Setup(home=tmp_path, database_url=database_url, site=site)
    held = numbered.hold("slow", 4)
    async with worker(setup, "slow", *arguments) as slow:
        await held.all_asked()
        slow.signal(signal.SIGTERM)
        async with asyncio.timeout(STOP_S):
            assert await slow.ended() == code, slow.report()
    assert await schedules(database) == before
    assert await rows(database, items) == []

    # Nobody has to wait for a lease to run out.
    await work_once(setup, "next")
    assert len(await rows(database, items)) == 4
    assert await database.read(find_half_written) == []
