"""Rounds of harm: a worker is killed or frozen at a random moment, its leases run out, another takes over.

The moments are counted in what is seen of a worker, its requests and its lines, not in time: a seed names them,
and nothing waits for a clock. Leases do not run out by waiting either; they are set into the past.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from sqlalchemy import Connection, select, update

from inforadar.errors import StoreError
from inforadar.store.engine import Database, open_database
from inforadar.store.feeds import insert_feed, request_feed
from inforadar.store.schema import feed_schedules
from inforadar.store.types import db_later
from tests.chaos.audit import compare_articles, find_half_written, find_violations, install_audit
from tests.chaos.site import NumberedSite
from tests.chaos.workers import PROGRAM, Setup, WorkerProcess, start_worker, work_once
from tests.site import Site

FEEDS = 12
BATCH = 5
WORKERS = 3
MOMENTS = 30
"""A worker is let alone for up to so many requests and lines."""
FREEZES = 0.25
"""The share of rounds in which a worker is frozen instead of killed."""
STALLED_S = 2.0
"""A frozen worker may hold a lock that everyone waits for."""


@dataclass(slots=True)
class Tally:
    """What was done, and what came of it."""

    kills: int = 0
    freezes: int = 0
    requests: int = 0
    articles: int = 0
    leases_lost: int = 0
    """Jobs that workers threw away because their lease had gone to another."""
    seconds: float = 0.0
    violations: list[str] = field(default_factory=list)

    def count(self, kind: str) -> int:
        """Violations of one kind: what stands before the colon."""
        return Counter(violation.partition(":")[0] for violation in self.violations)[kind]


def expire_leases(connection: Connection, *, wait: bool = False) -> None:
    """As if the ten minutes were over. Rows that a transaction is busy with are left out unless one waits."""
    s = feed_schedules.c
    leased = select(s.id).where(s.lease_token.is_not(None)).order_by(s.id)
    ids = connection.execute(leased.with_for_update(skip_locked=not wait)).scalars().all()
    past = db_later(-1.0)
    connection.execute(
        update(feed_schedules).where(s.id.in_(ids)).values(locked_until=past, next_run_at=past)
    )


async def subscribe(database: Database, site: NumberedSite) -> None:
    def insert(connection: Connection) -> None:
        for numbered in site.feeds:
            feed, _ = insert_feed(connection, numbered.url, enabled=True, polling=True)
            request_feed(connection, feed.id)

    await database.write(insert)


class Chaos:
    """A site, a database, and workers at it."""

    def __init__(self, setup: Setup, database: Database, site: NumberedSite, random: Random) -> None:
        self._setup = setup
        self._database = database
        self._site = site
        self._random = random
        self._started = 0
        self._workers: list[WorkerProcess] = []
        self.tally = Tally()

    def note_request(self, agent: str) -> None:
        self.tally.requests += 1
        for worker in self._workers:
            if worker.name == agent:
                worker.happened()

    async def run(self, kills: int, seconds: float) -> Tally:
        began = time.monotonic()
        try:
            for _ in range(WORKERS):
                await self._start()
            while self.tally.kills < kills and time.monotonic() - began < seconds:
                await self._round()
        finally:
            await asyncio.gather(*(self._remove(worker) for worker in tuple(self._workers)))
        await self._settle()
        self.tally.seconds = time.monotonic() - began
        return self.tally

    async def _start(self) -> None:
        self._started += 1
        name = f"worker-{self._started}"
        self._workers.append(await start_worker(self._setup, name, FETCHER_BATCH_SIZE=str(BATCH)))

    async def _remove(self, worker: WorkerProcess) -> None:
        await worker.kill()
        self._workers.remove(worker)
        self.tally.leases_lost += len(worker.logged("feed.lease_lost"))

    async def _round(self) -> None:
        victim = self._random.choice(self._workers)
        await victim.said("worker.started")
        await victim.after(self._random.randint(0, MOMENTS))
        if victim.has_ended:
            self.tally.violations.append(f"ended by itself: {victim.name}: {victim.report()}")
        if self._random.random() < FREEZES:
            await self._freeze(victim)
        else:
            await self._remove(victim)
            self.tally.kills += 1
            await self._start()
            await self._database.write(expire_leases)
        self.tally.violations += await self._database.read(find_half_written)

    async def _freeze(self, victim: WorkerProcess) -> None:
        """Sleeps through its leases, sees what became of the world, and goes on."""
        victim.signal(signal.SIGSTOP)
        self.tally.freezes += 1
        others = [worker for worker in self._workers if worker is not victim and worker.happenings]
        try:
            # It may hold the lock of the whole database; then it is the others who wait, and nothing happens.
            with suppress(StoreError, TimeoutError):
                await self._database.write(expire_leases)
                async with asyncio.timeout(STALLED_S):
                    await asyncio.gather(*(worker.after(2 * FEEDS) for worker in others))
        finally:
            victim.signal(signal.SIGCONT)

    async def _settle(self) -> None:
        """Nobody is left; whoever comes next must find everything."""
        self._site.is_growing = False
        for _ in range(3):
            await self._database.write(expire_leases, wait=True)
            await work_once(self._setup)
            if not await self._database.read(compare_articles, self._site.feeds):
                break
        self.tally.violations += await find_violations(self._database, self._site.feeds)
        self.tally.articles = sum(feed.version for feed in self._site.feeds)


@asynccontextmanager
async def open_chaos(
    database_url: str, home: Path, *, seed: int, program: tuple[str, ...] = PROGRAM, forked: bool = False
) -> AsyncIterator[Chaos]:
    """On a database that is migrated and empty."""
    random = Random(seed)
    async with Site() as site, open_database(database_url, lock_timeout_s=5.0) as database:
        numbered = NumberedSite(site, FEEDS, random)
        await database.write(install_audit)
        await subscribe(database, numbered)
        setup = Setup(home=home, database_url=database_url, site=site, program=program, forked=forked)
        chaos = Chaos(setup, database, numbered, random)
        numbered.on_request = chaos.note_request
        yield chaos
