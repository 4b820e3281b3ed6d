"""The worker: collects, canonicalizes, analyzes and builds, each at its own pace in one process.

    due feeds | collect cycle | canonical once | analyze | build

The stages are tasks of their own that wake each other, because a slow model or a slow site must not hold
up collecting (ruling 3). Nor may a walk of many pages: what takes long has a lane of its own, and loops
that are not held up by each other. Cycles of one loop never overlap.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import structlog

from inforadar.errors import InfoRadarError
from inforadar.fetch.pace import HostPacer
from inforadar.model.feed import FeedKind
from inforadar.model.ids import RunId
from inforadar.model.progress import Listener
from inforadar.model.run import Report
from inforadar.model.schedule import LANES, Lane, Lease
from inforadar.pipeline.analyze.items import AnalysisStage
from inforadar.pipeline.articles import Canonicalizer
from inforadar.pipeline.build import Builder
from inforadar.pipeline.collect.jobs import Collector, WalkLimits
from inforadar.pipeline.runs.collect_run import CollectRun
from inforadar.pipeline.runs.cycle import Cycle, CycleResult, log_progress
from inforadar.pipeline.runs.fetch_run import (
    ALL_FEEDS,
    TO_THE_CUTOFF,
    FetchFilter,
    FetchRun,
    parse_fetch_details,
)
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.leases import claim_due_feeds, release_leases, seconds_to_next_request
from inforadar.store.runs.fetch_runs import claim_fetch_run, close_dead_runs
from inforadar.store.runs.queries import has_fetch_work
from inforadar.store.writer import Writer

if TYPE_CHECKING:
    from inforadar.store.redis.projection import RedisProjection

REQUEST_POLL_S = 1.0
"""How often an idle worker looks whether someone asked for a feed."""
AFTER_FAULT_S = 5.0
WALK_LOOPS = 4
"""So many cycles of walks go on side by side, each with its share of the workers: one may last half an hour."""
CANCEL_RETRY_S = 2.0
"""So long what is told to stop may take to leave everything in order."""
PATIENCE = 30
"""How often a worker looks again for a feed whose host's turn has come."""
INDEX_S = 3.0
"""So long after a change search finds it."""
PUBLISH_S = 5.0

log = structlog.get_logger()


class Stage(StrEnum):
    COLLECT = "collect"
    CANONICAL = "canonical"
    ANALYZE = "analyze"


ALL_STAGES = frozenset(Stage)


@dataclass(slots=True)
class WorkReport:
    """What `worker --once` did."""

    collected: CycleResult = field(default_factory=CycleResult)
    articles: Counter[str] = field(default_factory=Counter)
    analyses: Counter[str] = field(default_factory=Counter)
    built: int = 0
    run_id: RunId | None = None
    fetches: list[Report] = field(default_factory=list)
    """Fetch runs that someone asked for."""


@dataclass(slots=True, kw_only=True)
class Worker:
    """All stages over one database."""

    database: Database
    collectors: Mapping[FeedKind, Collector]
    writer: Writer
    pacer: HostPacer
    canonicalizer: Canonicalizer
    analysis: AnalysisStage
    builder: Builder
    indexer: SearchIndexer
    interval_s: float
    batch_size: int
    workers: int
    now: Callable[[], datetime]
    stages: frozenset[Stage] = ALL_STAGES
    projection: RedisProjection | None = None
    """Redis, if it is configured."""
    publish_s: float = PUBLISH_S
    """How often what Redis missed while it was away is tried again."""
    _wake_articles: asyncio.Event = field(default_factory=asyncio.Event)
    _wake_analyses: asyncio.Event = field(default_factory=asyncio.Event)
    _wake_builder: asyncio.Event = field(default_factory=asyncio.Event)
    _wake_projection: asyncio.Event = field(default_factory=asyncio.Event)
    _has_followed_address: bool = False
    _owed: list[Lease] = field(default_factory=list)
    """Leases of cycles that failed; the database may not have been there to take them back."""

    async def run_once(self) -> WorkReport:
        """One cycle over what is due or asked for, then each stage once."""
        report = WorkReport()
        if Stage.COLLECT in self.stages:
            while (fetched := await self._fetch_wanted()) is not None:
                report.fetches.append(fetched)
            report.collected, report.run_id = await self.collect_cycle()
            await self.publish()
        if Stage.CANONICAL in self.stages:
            report.articles = await self.canonicalizer.run_once()
        if Stage.ANALYZE in self.stages:
            report.analyses = await self.analysis.run_once()
        report.built = await self._build_once()
        await self.indexer.run_once()
        return report

    def fetch_run(
        self,
        listener: Listener,
        *,
        wanted: FetchFilter = ALL_FEEDS,
        reach: WalkLimits = TO_THE_CUTOFF,
        run_id: RunId | None = None,
    ) -> FetchRun:
        """The fetch command with this worker's parts."""
        return FetchRun(
            database=self.database,
            collectors=self.collectors,
            writer=self.writer,
            pacer=self.pacer,
            workers=self.workers,
            now=self.now,
            listener=listener,
            wanted=wanted,
            reach=reach,
            run_id=run_id,
        )

    async def _fetch_wanted(self) -> Report | None:
        """Executes a run that another process asked for, if there is one."""
        if not await self.database.read(has_fetch_work):
            return None
        await self.database.write(close_dead_runs)
        if (claimed := await self.database.write(claim_fetch_run)) is None:
            return None
        run_id, details = claimed
        wanted, reach = parse_fetch_details(details)
        return await self.fetch_run(log_progress, wanted=wanted, reach=reach, run_id=run_id).run()

    async def collect_cycle(
        self, lanes: Collection[Lane] = LANES, *, limit: int | None = None, run: CollectRun | None = None
    ) -> tuple[CycleResult, RunId | None]:
        """Claims what is due in these lanes, at most a batch, and collects it; as a part of `run`, if one goes on."""
        await self._give_back()
        await self.pacer.refresh()
        leases = await self._claim(lanes, limit or self.batch_size)
        return await self.collect(leases, run) if leases else (CycleResult(), None)

    async def _claim(self, lanes: Collection[Lane], limit: int) -> list[Lease]:
        """A stop in the middle of it does not lose sight of what was claimed."""
        claiming = asyncio.ensure_future(self.database.write(claim_due_feeds, limit, lanes=lanes))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            self._owed += await claiming
            raise

    async def _give_back(self) -> None:
        """What was saved or given back before is not touched: its token is gone."""
        owed, self._owed = self._owed, []
        try:
            if owed:
                await self.database.write(release_leases, owed)
        except BaseException:
            self._owed += owed
            raise

    async def collect(self, leases: list[Lease], run: CollectRun | None = None) -> tuple[CycleResult, RunId]:
        """Collects feeds that were claimed, and writes the report of it."""
        try:
            return await self._collect(leases, run or CollectRun())
        except BaseException:
            self._owed += leases
            raise

    async def _collect(self, leases: list[Lease], run: CollectRun) -> tuple[CycleResult, RunId]:
        started_at = self.now()
        run_id = await run.begin(self.database, started_at)
        log.info("batch.started", feeds=len(leases), run_id=str(run_id))
        credentials = await self.database.read(load_credentials)
        cycle = Cycle(
            database=self.database,
            collectors=self.collectors,
            credentials=credentials,
            writer=self.writer,
            pacer=self.pacer,
            workers=self.workers,
            now=self.now,
        )
        interrupted = True
        try:
            result = await cycle.run(leases, run_id)
            interrupted = False
        finally:
            # A stop ends the report too: what was saved until then is what the run did.
            run.add(cycle.result, interrupted=interrupted)
            await asyncio.shield(run.report(self.database, self.now()))
        log.info(
            "batch.finished",
            run_id=str(run_id),
            feeds=result.fetched,
            added=result.added,
            updated=result.updated,
            errors=len(result.errors),
            postponed=result.postponed,
            seconds=round((self.now() - started_at).total_seconds(), 3),
        )
        return result, run_id

    async def run(self, stop: asyncio.Event) -> None:
        """Works until `stop` is set; then cancels what is in flight and leaves nothing half-written."""
        log.info("worker.started", stages=sorted(self.stages), interval_s=self.interval_s)
        loops: list[Awaitable[None]] = [
            self._stage_loop("build", self._build, self._wake_builder),
            self._stage_loop("index", self._index, asyncio.Event()),
        ]
        if Stage.COLLECT in self.stages:
            loops.append(self._collect_loop(Lane.FEEDS, self.batch_size))
            share = max(self.workers // WALK_LOOPS, 1)
            loops += [self._collect_loop(Lane.WALKS, share) for _ in range(WALK_LOOPS)]
            loops.append(self._fetch_loop())
        if Stage.CANONICAL in self.stages:
            loops.append(self._stage_loop("canonical", self._articles, self._wake_articles))
        if Stage.ANALYZE in self.stages:
            loops.append(self._stage_loop("analyze", self._analyses, self._wake_analyses))
        if self.projection:
            loops.append(self._stage_loop("publish", self.publish, self._wake_projection))
        tasks = [asyncio.ensure_future(loop) for loop in loops]
        stopped = asyncio.create_task(stop.wait())
        try:
            done, _ = await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {stopped}:
                task.result()
        finally:
            await _end([stopped, *tasks])
            with suppress(InfoRadarError):
                await self._give_back()
            log.info("worker.stopped")

    async def _collect_loop(self, lane: Lane, limit: int) -> None:
        clock = asyncio.get_running_loop().time
        turns: set[float] = set()
        patience = 0
        run, run_until = CollectRun(), 0.0
        while not _is_cancelled():
            wait_s, began = self.interval_s, clock()
            if not (turns or patience) or began >= run_until:
                # A crowded host's turns are cycles of one run: with one each, the list of runs would show little else.
                run, run_until = CollectRun(), began + self.interval_s
            try:
                result, _ = await self.collect_cycle([lane], limit=limit, run=run)
            except Exception as fault:
                _say_fault("batch", fault, lane=lane.value)
                wait_s = min(self.interval_s, AFTER_FAULT_S)
            else:
                if result.added or result.updated:
                    self._wake_stages()
                turns |= {clock() + turn_s for turn_s in result.turns_s}
                if result.postponed:
                    patience = PATIENCE
                elif patience and not result.fetched:
                    # Woken a moment before the database's clock had it due: look again soon, not in an interval.
                    patience -= 1
                    wait_s = min(wait_s, REQUEST_POLL_S)
            if _is_cancelled():
                return
            # A crowded host has more: go on at each of its turns, not only at the next interval.
            # A turn that came while the cycle ran may have come after its claim.
            turns = {turn for turn in turns if turn > began}
            await self._idle(lane, min([wait_s, *(turn - clock() for turn in turns)]))

    def _wake_stages(self) -> None:
        for wake in (self._wake_articles, self._wake_analyses, self._wake_builder, self._wake_projection):
            wake.set()

    async def _fetch_loop(self) -> None:
        """Fetch runs that someone asked for, one after the other."""
        while True:
            report = None
            try:
                report = await self._fetch_wanted()
            except Exception as fault:
                _say_fault("fetch", fault)
            if _is_cancelled():
                return
            if report is None:
                await asyncio.sleep(REQUEST_POLL_S)
            elif report.added_count or report.updated_count:
                self._wake_stages()

    async def _idle(self, lane: Lane, seconds: float) -> None:
        """Waits for the next cycle, or until someone asks for a feed."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while (left := until - loop.time()) > 0 and not _is_cancelled():
            await asyncio.sleep(min(left, REQUEST_POLL_S))
            with suppress(InfoRadarError):
                asked_s = await self.database.read(seconds_to_next_request, [lane])
                if asked_s is not None and asked_s <= 0:
                    return

    async def _stage_loop(
        self, name: str, work: Callable[[], Awaitable[float | None]], wake: asyncio.Event
    ) -> None:
        """Runs a stage when it is woken, and now and then, or when it asked to, for what became due by itself."""
        while True:
            wake.clear()
            asked_s: float | None = None
            try:
                asked_s = await work()
            except Exception as fault:
                _say_fault("stage", fault, stage=name)
            if _is_cancelled():
                return
            wait_s = max(min(self.interval_s, 60.0), 1.0)
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s if asked_s is None else min(wait_s, max(asked_s, 0.1))):
                    await wake.wait()

    async def _articles(self) -> float | None:
        if await self.canonicalizer.run_once():
            self._wake_analyses.set()
        # A crowded host's next article is not kept waiting for the interval.
        return await self.canonicalizer.next_turn_s()

    async def _analyses(self) -> None:
        if await self.analysis.run_once():
            self._wake_builder.set()

    async def _build(self) -> None:
        await self._build_once()

    async def _build_once(self) -> int:
        if not self._has_followed_address:
            await self.builder.follow_address()
            self._has_followed_address = True
        return await self.builder.run_once()

    async def _index(self) -> float:
        await self.indexer.run_once()
        return INDEX_S

    async def publish(self) -> float | None:
        """Tells Redis, if there is one, what it has not heard yet."""
        if self.projection is None:
            return None
        await self.projection.publish()
        return self.publish_s


async def _end(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancels them, and again those that go on as if nobody had: a library may have swallowed the word (see below)."""
    going_on = set(tasks)
    while going_on:
        for task in going_on:
            task.cancel()
        _, going_on = await asyncio.wait(going_on, timeout=CANCEL_RETRY_S)


def _say_fault(what: str, fault: Exception, **fields: str) -> None:
    """A loop goes on, whatever happened to it: one fault must not stop all the other work of the process."""
    if isinstance(fault, InfoRadarError):
        log.error(f"{what}.failed", error=str(fault), **fields)
    else:
        log.error(f"{what}.crashed", exc_info=fault, **fields)


def _is_cancelled() -> bool:
    """Whether someone wants this task to end, even if a library has swallowed the exception that said so.

    `asyncio.wait_for` of Python 3.11 does that when its result arrives in the same moment, and Redis's client uses it.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
