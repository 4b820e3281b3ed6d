"""The worker: collects, canonicalizes, analyzes and builds, each at its own pace in one process.

    due feeds | collect cycle | canonical once | analyze | build

The stages are tasks of their own that wake each other, because a slow model or a slow site must not hold
up collecting (ruling 3). Cycles of one stage never overlap.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

import structlog

from inforadar.errors import InfoRadarError
from inforadar.fetch.pace import HostPacer
from inforadar.model.ids import RunId
from inforadar.model.run import RunKind
from inforadar.model.schedule import Lease
from inforadar.pipeline.analyses import AnalysisStage
from inforadar.pipeline.articles import Canonicalizer
from inforadar.pipeline.build import Builder
from inforadar.pipeline.collect import Collector
from inforadar.pipeline.cycle import Cycle, CycleResult
from inforadar.store.credentials import load_credentials
from inforadar.store.engine import Database
from inforadar.store.leases import claim_due_feeds, release_leases, seconds_to_next_request
from inforadar.store.runs import finish_run, insert_run
from inforadar.store.writer import Writer

if TYPE_CHECKING:
    from inforadar.store.redis_projection import RedisProjection

LISTEN_S = 1.0
"""How often an idle worker looks whether someone asked for a feed."""
AFTER_FAULT_S = 5.0
PATIENCE = 30
"""How often a worker looks again for a feed whose host's turn has come."""
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


@dataclass(slots=True, kw_only=True)
class Worker:
    """All stages over one database."""

    database: Database
    collector: Collector
    writer: Writer
    pacer: HostPacer
    canonicalizer: Canonicalizer
    analysis: AnalysisStage
    builder: Builder
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
    _owed: list[Lease] = field(default_factory=list)
    """Leases of cycles that failed; the database may not have been there to take them back."""

    async def run_once(self) -> WorkReport:
        """One cycle over what is due or asked for, then each stage once."""
        report = WorkReport()
        if Stage.COLLECT in self.stages:
            report.collected, report.run_id = await self.collect_cycle()
            await self._publish()
        if Stage.CANONICAL in self.stages:
            report.articles = await self.canonicalizer.run_once()
        if Stage.ANALYZE in self.stages:
            report.analyses = await self.analysis.run_once()
        report.built = await self.builder.run_once()
        return report

    async def collect_cycle(self) -> tuple[CycleResult, RunId | None]:
        """Claims what is due, at most a batch, and collects it."""
        await self._give_back()
        await self.pacer.refresh()
        leases = await self._claim()
        return await self.collect(leases) if leases else (CycleResult(), None)

    async def _claim(self) -> list[Lease]:
        """A stop in the middle of it does not lose sight of what was claimed."""
        claiming = asyncio.ensure_future(self.database.write(claim_due_feeds, self.batch_size))
        try:
            return await asyncio.shield(claiming)
        except asyncio.CancelledError:
            self._owed += await claiming
            raise

    async def _give_back(self) -> None:
        """What was saved or given back before is not touched: its token is gone."""
        if owed := tuple(self._owed):
            await self.database.write(release_leases, owed)
            del self._owed[: len(owed)]

    async def collect(self, leases: list[Lease]) -> tuple[CycleResult, RunId]:
        """Collects feeds that were claimed, and writes the report of it."""
        try:
            return await self._collect(leases)
        except BaseException:
            self._owed += leases
            raise

    async def _collect(self, leases: list[Lease]) -> tuple[CycleResult, RunId]:
        started_at = self.now()
        run_id = await self.database.write(insert_run, RunKind.COLLECT, started_at)
        log.info("batch.started", feeds=len(leases), run_id=str(run_id))
        credentials = await self.database.read(load_credentials)
        cycle = Cycle(
            database=self.database,
            collector=replace(self.collector, credentials=credentials),
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
            await asyncio.shield(self._report(run_id, cycle.result, interrupted=interrupted))
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

    async def _report(self, run_id: RunId, result: CycleResult, *, interrupted: bool) -> None:
        details = {"feeds": result.fetched, "dropped": result.dropped, "errors": result.errors}
        try:
            await self.database.write(
                finish_run,
                run_id,
                self.now(),
                errors=len(result.errors),
                interrupted=interrupted,
                details=details,
            )
        except InfoRadarError as fault:
            log.warning("run.not_finished", run_id=str(run_id), error=str(fault))

    async def run(self, stop: asyncio.Event) -> None:
        """Works until `stop` is set; then cancels what is in flight and leaves nothing half-written."""
        log.info("worker.started", stages=sorted(self.stages), interval_s=self.interval_s)
        loops: list[Awaitable[None]] = [self._stage_loop("build", self._build, self._wake_builder)]
        if Stage.COLLECT in self.stages:
            loops.append(self._collect_loop())
        if Stage.CANONICAL in self.stages:
            loops.append(self._stage_loop("canonical", self._articles, self._wake_articles))
        if Stage.ANALYZE in self.stages:
            loops.append(self._stage_loop("analyze", self._analyses, self._wake_analyses))
        if self.projection:
            loops.append(self._stage_loop("publish", self._publish, self._wake_projection))
        tasks = [asyncio.ensure_future(loop) for loop in loops]
        stopped = asyncio.create_task(stop.wait())
        try:
            done, _ = await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {stopped}:
                task.result()
        finally:
            for task in (stopped, *tasks):
                task.cancel()
            await asyncio.gather(stopped, *tasks, return_exceptions=True)
            with suppress(InfoRadarError):
                await self._give_back()
            log.info("worker.stopped")

    async def _collect_loop(self) -> None:
        clock = asyncio.get_running_loop().time
        turns: set[float] = set()
        patience = 0
        while True:
            wait_s = self.interval_s
            try:
                result, _ = await self.collect_cycle()
            except InfoRadarError as fault:
                log.error("batch.failed", error=str(fault))
                wait_s = min(self.interval_s, AFTER_FAULT_S)
            else:
                if result.added or result.updated:
                    self._wake_articles.set()
                    self._wake_analyses.set()
                    self._wake_builder.set()
                    self._wake_projection.set()
                turns |= {clock() + turn_s for turn_s in result.turns_s}
                if result.postponed:
                    patience = PATIENCE
                elif patience and not result.fetched:
                    # Woken a moment before the database's clock had it due: look again soon, not in an interval.
                    patience -= 1
                    wait_s = min(wait_s, LISTEN_S)
            if _is_cancelled():
                return
            # A crowded host has more: go on at each of its turns, not only at the next interval.
            turns = {turn for turn in turns if turn > clock()}
            await self._idle(min([wait_s, *(turn - clock() for turn in turns)]))

    async def _idle(self, seconds: float) -> None:
        """Waits for the next cycle, or until someone asks for a feed."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while (left := until - loop.time()) > 0:
            await asyncio.sleep(min(left, LISTEN_S))
            with suppress(InfoRadarError):
                asked_s = await self.database.read(seconds_to_next_request)
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
            except InfoRadarError as fault:
                log.error("stage.failed", stage=name, error=str(fault))
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
        await self.builder.run_once()

    async def _publish(self) -> float | None:
        if self.projection is None:
            return None
        await self.projection.publish()
        return self.publish_s


def _is_cancelled() -> bool:
    """Whether someone wants this task to end, even if a library has swallowed the exception that said so.

    `asyncio.wait_for` of Python 3.11 does that when its result arrives in the same moment, and Redis's client uses it.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
