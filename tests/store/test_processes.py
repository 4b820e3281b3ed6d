"""Several processes on one database: no feed is claimed twice, and a killed one leaves nothing half-done."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from inforadar.model.feed import Feed
from inforadar.store.database import Database
from inforadar.store.leases import claim_due_feeds
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import items
from tests.store import saving_process
from tests.store.making import add_feeds, collect, count, expire_lease, listed, reload, rows

PROCESSES = 3
WORKERS = 8
FEEDS = 600


@contextmanager
def started(module: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    paths = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(
        [sys.executable, "-m", f"tests.store.{module}", *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def test_workers_of_several_processes_never_claim_the_same_feed(
    database: Database, database_url: str
) -> None:
    made = await add_feeds(database, FEEDS, due_s=-60)
    start = [started("claiming_process", database_url, str(WORKERS)) for _ in range(PROCESSES)]
    with start[0] as one, start[1] as two, start[2] as three:
        processes = (one, two, three)
        assert [line(process) for process in processes] == ["ready"] * PROCESSES
        for process in processes:
            assert process.stdin is not None
            print("go", file=process.stdin, flush=True)
        got = [json.loads(line(process)) for process in processes]
    times = Counter(feed_id for workers in got for mine in workers for feed_id in mine)
    assert times == {str(feed.id): 1 for feed in made}


async def test_workers_of_one_process_never_claim_the_same_feed(database: Database) -> None:
    made = await add_feeds(database, 100, due_s=-60)
    got = await asyncio.gather(*(database.write(claim_due_feeds, 13) for _ in range(WORKERS)))
    times = Counter(lease.feed.id for leases in got for lease in leases)
    assert times == {feed.id: 1 for feed in made}


async def is_saved(database: Database, feed: Feed) -> bool:
    """All of the job or nothing of it: anything between fails."""
    found = [row for row in await rows(database, items) if row.feed_id == feed.id]
    now = await reload(database, feed)
    if not found:
        assert (now.last_fetched_at, now.last_fetch_status) == (None, None)
        assert now.locked_until is not None
        return False
    assert len(found) == saving_process.ITEMS
    assert now.last_fetched_at is not None
    assert now.locked_until is None
    return True


@pytest.mark.parametrize("moment", ["2", "4", "before the commit", "committed"])
async def test_a_process_killed_while_saving_leaves_all_or_nothing(
    database: Database, database_url: str, moment: str
) -> None:
    (feed,) = await add_feeds(database, 1)
    with started("saving_process", database_url, moment, str(feed.id)) as process:
        assert line(process) == "here"
        process.kill()
    assert await is_saved(database, feed) is (moment == "committed")
    assert await count(database, articles) == (saving_process.ITEMS if moment == "committed" else 0)

    await expire_lease(database, feed)
    saved = await collect(database, feed, *(listed(f"{feed.url}/{n}") for n in range(saving_process.ITEMS)))
    assert len(saved.added) == (0 if moment == "committed" else saving_process.ITEMS)
    assert await count(database, items) == saving_process.ITEMS


@pytest.mark.parametrize("after", [1, 7])
async def test_a_process_killed_at_any_moment_leaves_all_or_nothing_of_each_feed(
    database: Database, database_url: str, after: int
) -> None:
    made = await add_feeds(database, 40)
    with started("saving_process", database_url, "never", *(str(feed.id) for feed in made)) as process:
        said = {line(process) for _ in range(after)}
        process.kill()
    saved = {str(feed.id) for feed in made if await is_saved(database, feed)}
    assert said <= saved
