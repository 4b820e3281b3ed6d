"""Rounds of harm: at a random moment something is done to a worker or to what it stands on, and the rest goes on.

The moments are counted in what is seen of a worker, its requests and its lines, not in time: a seed names them,
and nothing waits for a clock. Leases do not run out by waiting either; they are set into the past.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TypeVar
from urllib.parse import urlsplit

from sqlalchemy import Connection, select, update

from inforadar.errors import StoreError
from inforadar.store.database import Database, open_database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.types import db_later
from tests.chaos.audit import compare_articles, find_half_written, find_violations, install_audit
from tests.chaos.mix import MIX_ENVIRONMENT, MIX_STAGES, Mix, ask_for_looks, expire_other_leases, open_mix
from tests.chaos.mix_audit import count_mix, list_mix_violations
from tests.chaos.site import NumberedFeed, NumberedSite
from tests.chaos.workers import PROGRAM, Setup, WorkerProcess, start_worker, work_once
from tests.support.site import Site

T = TypeVar("T")

FEEDS = 12
BATCH = 5
WORKERS = 3
MOMENTS = 30
"""A worker is let alone for up to so many requests and lines."""
PROMPT = {"kill", "freeze", "terminate"}
"""Harms after which everything is due at once."""
ATTEMPTS = 8
"""Rows of the queues wait for each other: a text for its page, a story for its text, a message for its story."""
AWAY_S = 60.0
"""So long the database may be gone before the rounds give up."""


@dataclass(slots=True)
class Tally:
    """What was done, and what came of it."""

    harms: Counter[str] = field(default_factory=Counter)
    requests: int = 0
    articles: int = 0
    leases_lost: int = 0
    """Jobs that workers threw away because their lease had gone to another."""
    seconds: float = 0.0
    violations: list[str] = field(default_factory=list)
    mixed: dict[str, int] = field(default_factory=dict)
    """How much of everything else there was."""
    killed_at: list[tuple[int, float]] = field(default_factory=list)
    """Requests and seconds of CPU of each worker that was killed: one that did nothing proves nothing."""

    def count_killed(self) -> dict[str, int]:
        """How many workers had made a request when they were killed, and what all of them had done."""
        return {
            "killed at work": sum(requests > 0 for requests, _ in self.killed_at),
            "requests of the killed": sum(requests for requests, _ in self.killed_at),
            "ms of CPU of the killed": round(sum(cpu_s for _, cpu_s in self.killed_at) * 1000),
        }

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
        for url in [*(numbered.url for numbered in site.feeds), *site.hostile_urls]:
            feed, _ = insert_feed(connection, url, enabled=True, polling=True)
            request_feed(connection, feed.id)

    await database.write(insert)


class Chaos:
    """A site, a database, and workers at it."""

    def __init__(
        self,
        setup: Setup,
        database: Database,
        site: NumberedSite,
        random: Random,
        harms: Mapping[str, Harm],
        mix: Mix | None = None,
    ) -> None:
        self.mix = mix
        self.setup = setup
        self.database = database
        self.random = random
        self.workers: list[WorkerProcess] = []
        self.tally = Tally()
        self._site = site
        self._harms = harms
        self._started = 0

    @property
    def feeds(self) -> list[NumberedFeed]:
        return self._site.feeds

    def note_request(self, agent: str) -> None:
        self.tally.requests += 1
        for worker in self.workers:
            if worker.name == agent:
                worker.requests += 1
                worker.happened()

    async def run(self, plan: Mapping[str, int], seconds: float) -> Tally:
        """So many rounds of each harm, in an order that the seed decides, or as many as the time allows."""
        rounds = [name for name, times in plan.items() for _ in range(times)]
        self.random.shuffle(rounds)
        began = time.monotonic()
        try:
            for _ in range(WORKERS if rounds else 0):
                await self.start()
            for name in rounds:
                if time.monotonic() - began > seconds:
                    break
                await self._round(name)
        finally:
            await asyncio.gather(*(self.remove(worker) for worker in tuple(self.workers)))
        await self._settle()
        self.tally.seconds = time.monotonic() - began
        return self.tally

    async def start(self, *, program: tuple[str, ...] | None = None, **environment: str) -> WorkerProcess:
        """Another worker, of another program if one is given: that is started from nothing."""
        self._started += 1
        name = f"worker-{self._started}"
        setup = replace(self.setup, forked=False, program=program) if program else self.setup
        if self.mix and self._started % WORKERS:
            # One of them fetches articles, which takes processes of its own.
            setup = replace(setup, stages="collect,group")
        worker = await start_worker(setup, name, FETCHER_BATCH_SIZE=str(BATCH), **environment)
        self.workers.append(worker)
        return worker

    async def remove(self, worker: WorkerProcess) -> None:
        await worker.kill()
        self.workers.remove(worker)
        self.tally.leases_lost += len(worker.logged("feed.lease_lost"))

    def note_end(self, worker: WorkerProcess) -> None:
        """Note what a worker has done that is killed now."""
        self.tally.killed_at.append((worker.requests, worker.cpu_s()))

    async def replace(self, worker: WorkerProcess) -> None:
        """Another one comes; what the old one held runs out."""
        await self.remove(worker)
        await self.start()
        await self.patiently(self.expire_leases)

    async def expire_leases(self, *, wait: bool = False) -> None:
        """As if the time of all leases were over."""
        await self.database.write(expire_leases, wait=wait)
        if self.mix:
            await self.database.write(expire_other_leases, wait=wait)

    async def patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        """The answer of a database that may be away for a while."""
        async with asyncio.timeout(AWAY_S):
            while True:
                try:
                    return await ask()
                except StoreError:
                    await asyncio.sleep(0.1)

    def others(self, victim: WorkerProcess) -> list[WorkerProcess]:
        """Those that are at work."""
        return [worker for worker in self.workers if worker is not victim and worker.happenings]

    async def _round(self, name: str) -> None:
        victim = self.random.choice(self.workers)
        await victim.said("worker.started")
        await victim.after(self.random.randint(0, MOMENTS))
        for worker in self.workers:
            if worker.has_ended:
                self.tally.violations.append(f"ended by itself: {worker.name}: {worker.report()}")
        await self._harms[name](self, victim)
        self.tally.harms[name] += 1
        # What could not be saved is tried again in a minute, and SQLite has no other clock than that of a process:
        # after harm to either, feeds are due later than anyone here wants to wait.
        asked = self._site.ask_for_hostile if name in PROMPT else self._site.ask_for_all
        await self.patiently(lambda: self.database.write(asked))
        if self.mix:
            self.mix.pages.edit()
            await self.patiently(lambda: self.database.write(ask_for_looks))
        self.tally.violations += await self.patiently(lambda: self.database.read(find_half_written))

    async def _settle(self) -> None:
        """Nobody is left; whoever comes next must find everything."""
        self._site.is_growing = False
        if self.mix:
            await self.mix.close()
        for _ in range(ATTEMPTS if self.mix else 3):
            await self.patiently(lambda: self.expire_leases(wait=True))
            await self.database.write(self._site.ask_for_all)
            await work_once(self.setup, may_fail=bool(self._site.hostile_urls))
            if not await self.database.read(compare_articles, self._site.feeds) and not await self._mixed():
                break
        self.tally.violations += await find_violations(self.database, self._site.feeds)
        self.tally.violations += await self._mixed()
        if self.mix:
            self.tally.mixed = await self.database.read(count_mix, self.mix)
        self.tally.articles = sum(feed.version for feed in self._site.feeds)

    async def _mixed(self) -> list[str]:
        return await self.database.read(list_mix_violations, self.mix) if self.mix else []


Harm = Callable[[Chaos, WorkerProcess], Awaitable[None]]
"""What is done to a worker, or to the world around it; afterwards there are as many workers as before."""


@asynccontextmanager
async def open_chaos(
    database_url: str,
    home: Path,
    *,
    seed: int,
    harms: Mapping[str, Harm],
    program: tuple[str, ...] = PROGRAM,
    forked: bool = False,
    hostile: bool = False,
    mixed: bool = False,
    extra: Mapping[str, str] | None = None,
) -> AsyncIterator[Chaos]:
    """On a database that is migrated and empty. With `hostile`, a fifth of all feeds is there to do harm.

    With `mixed`, there are also articles that change, stories, a rule with a webhook, and people who read.
    """
    random = Random(seed)
    async with (
        Site() as site,
        open_database(database_url, lock_timeout_s=5.0) as database,
        AsyncExitStack() as stack,
    ):
        numbered = NumberedSite(site, FEEDS, random, hostile=FEEDS // 4 if hostile else 0)
        await database.write(install_audit)
        await subscribe(database, numbered)
        setup = Setup(
            home=home,
            database_url=database_url,
            site=site,
            program=program,
            forked=forked,
            extra={**(extra or {}), **(MIX_ENVIRONMENT if mixed else {})},
            stages=MIX_STAGES if mixed else "collect",
        )
        mix = None
        if mixed:
            mix = await stack.enter_async_context(
                open_mix(database, setup.environment("reader"), site, Random(seed + 1))
            )
            numbered.on_growth = mix.pages.publish
            # The webhook is on a port of its own.
            allowed = ",".join([*site.endpoints, urlsplit(mix.hook.url).netloc])
            setup = replace(setup, extra={**setup.extra, "FETCHER_ALLOWED_NETWORKS": allowed})
        chaos = Chaos(setup, database, numbered, random, harms, mix)
        numbered.on_request = chaos.note_request
        yield chaos
