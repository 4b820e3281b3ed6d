"""The worker: collects, canonicalizes, groups, analyzes and builds, each at its own pace in one process.

    due feeds | collect cycle | canonical once | group | analyze | build

The stages are separate tasks that wake each other, because a slow model or a slow site must not delay collecting
(ruling 3). Nor may a walk of many pages: long walks have their own lane and loops.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

import structlog

from inforadar.errors import InfoRadarError
from inforadar.model.ids import RunId
from inforadar.model.run import Report
from inforadar.model.schedule import Lane
from inforadar.pipeline.analyze.items import AnalysisStage
from inforadar.pipeline.articles import Canonicalizer
from inforadar.pipeline.build import Builder
from inforadar.pipeline.collect_stage import CollectStage
from inforadar.pipeline.group.stage import GroupStage
from inforadar.pipeline.loops import (
    FAULT_RETRY_S,
    CollectLoop,
    Loop,
    Wakes,
    is_cancelled,
    log_fault,
    run_fetch_loop,
    run_loops,
    run_stage_loop,
)
from inforadar.pipeline.notify.health import HealthWatch
from inforadar.pipeline.notify.stage import NotifyStage
from inforadar.pipeline.polling import PriceSteering
from inforadar.pipeline.push.stage import PushStage
from inforadar.pipeline.revise.stage import RevisionStage
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database

if TYPE_CHECKING:
    from inforadar.store.redis.projection import RedisProjection

WALK_LOOPS = 4
"""Number of concurrent loops for walks, each with its share of the workers: one cycle may last half an hour."""
INDEX_POLL_S = 3.0
"""How often new changes are indexed for search."""
PUBLISH_POLL_S = 5.0
NOTIFY_POLL_S = 2.0
"""How often rules are evaluated over new events, and due messages sent."""

log = structlog.get_logger()


class Stage(StrEnum):
    COLLECT = "collect"
    CANONICAL = "canonical"
    GROUP = "group"
    REVISE = "revise"
    ANALYZE = "analyze"


ALL_STAGES = frozenset(Stage)


@dataclass(slots=True)
class WorkReport:
    """The result of `worker --once`."""

    collected: CycleResult = field(default_factory=CycleResult)
    articles: Counter[str] = field(default_factory=Counter)
    grouped: int = 0
    looks: Counter[str] = field(default_factory=Counter)
    analyses: Counter[str] = field(default_factory=Counter)
    built: int = 0
    run_id: RunId | None = None
    fetches: list[Report] = field(default_factory=list)
    """Reports of the requested fetch runs."""


@dataclass(slots=True, kw_only=True)
class Worker:
    """All stages over one database."""

    database: Database
    collecting: CollectStage
    canonicalizer: Canonicalizer
    grouping: GroupStage
    revising: RevisionStage
    analysis: AnalysisStage
    builder: Builder
    indexer: SearchIndexer
    steering: PriceSteering
    notifier: NotifyStage
    health: HealthWatch
    push: PushStage
    interval_s: float
    stages: frozenset[Stage] = ALL_STAGES
    projection: RedisProjection | None = None
    """Redis, if it is configured."""
    publish_s: float = PUBLISH_POLL_S
    """How often changes that Redis missed while it was unreachable are sent again."""
    _wakes: Wakes = field(default_factory=Wakes)
    _has_checked_addresses: bool = False

    async def run_once(self) -> WorkReport:
        """Run one cycle over due and requested feeds, then each stage once."""
        report = WorkReport()
        if Stage.COLLECT in self.stages:
            await self.steering.run_once()
            while (fetched := await self.collecting.fetch_requested()) is not None:
                report.fetches.append(fetched)
            report.collected, report.run_id = await self.collecting.claim_and_collect()
            await self.publish()
        if Stage.CANONICAL in self.stages:
            report.articles = await self.canonicalizer.run_once()
        if Stage.GROUP in self.stages:
            report.grouped = await self.grouping.run_once()
        if Stage.REVISE in self.stages:
            report.looks = await self.revising.run_once()
        if Stage.ANALYZE in self.stages:
            report.analyses = await self.analysis.run_once()
        report.built = await self._build_once()
        await self.indexer.run_once()
        if Stage.COLLECT in self.stages:
            await self.push.run_once()
        await self.health.run_once()
        await self.notifier.run_once()
        return report

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; then cancel what is in flight and leave nothing half-written."""
        log.info("worker.started", stages=sorted(self.stages), interval_s=self.interval_s)
        try:
            await run_loops(self._loops(), stop)
        finally:
            with suppress(InfoRadarError):
                await self.collecting.owed.give_back()
            log.info("worker.stopped")

    def _loops(self) -> Iterator[Loop]:
        wakes, stage_loop = self._wakes, partial(run_stage_loop, interval_s=self.interval_s)
        yield stage_loop("build", self._build, wakes.build)
        yield stage_loop("index", self._index, asyncio.Event())
        yield stage_loop("notify", self._notify, asyncio.Event())
        yield self._watch_health()
        if Stage.COLLECT in self.stages:
            yield self._collect_loop(Lane.FEEDS, self.collecting.batch_size)
            share = max(self.collecting.workers // WALK_LOOPS, 1)
            for _ in range(WALK_LOOPS):
                yield self._collect_loop(Lane.WALKS, share)
            yield run_fetch_loop(self.collecting, wakes)
            yield stage_loop("steer", self.steering.run_once, asyncio.Event())
            if self.push.public_url:
                yield stage_loop("push", self._push, asyncio.Event())
        if Stage.CANONICAL in self.stages:
            yield stage_loop("canonical", self._canonicalize, wakes.canonical)
        if Stage.GROUP in self.stages:
            yield stage_loop("group", self._group, wakes.group)
        if Stage.REVISE in self.stages:
            yield stage_loop("revise", self._revise, asyncio.Event())
        if Stage.ANALYZE in self.stages:
            yield stage_loop("analyze", self._analyze, wakes.analyze)
        if self.projection:
            yield stage_loop("publish", self.publish, wakes.publish)

    def _collect_loop(self, lane: Lane, limit: int) -> Loop:
        return CollectLoop(
            stage=self.collecting,
            lane=lane,
            limit=limit,
            interval_s=self.interval_s,
            wakes=self._wakes,
        ).run()

    async def _canonicalize(self) -> float | None:
        if await self.canonicalizer.run_once():
            self._wakes.group.set()
            self._wakes.analyze.set()
            self._wakes.build.set()
        # The next article of a crowded host does not wait for the whole interval.
        return await self.canonicalizer.next_turn_s()

    async def _group(self) -> None:
        if await self.grouping.run_once():
            self._wakes.analyze.set()

    async def _revise(self) -> None:
        if (await self.revising.run_once())["changed"]:
            self._wakes.group.set()
            self._wakes.analyze.set()
            self._wakes.build.set()

    async def _analyze(self) -> None:
        if await self.analysis.run_once():
            self._wakes.build.set()

    async def _build(self) -> None:
        await self._build_once()

    async def _build_once(self) -> int:
        if not self._has_checked_addresses:
            await self.builder.queue_stale_addresses()
            self._has_checked_addresses = True
        return await self.builder.run_once()

    async def _index(self) -> float:
        await self.indexer.run_once()
        return INDEX_POLL_S

    async def _watch_health(self) -> None:
        """Look at the feeds' health at its own pace, which is slower than that of the stages."""
        while not is_cancelled():
            wait_s = FAULT_RETRY_S
            try:
                wait_s = await self.health.run_once()
            except InfoRadarError as fault:
                log_fault("stage", fault, stage="health")
            await asyncio.sleep(wait_s)

    async def _notify(self) -> float:
        await self.notifier.run_once()
        return NOTIFY_POLL_S

    async def _push(self) -> None:
        await self.push.run_once()

    async def publish(self) -> float | None:
        """Send pending changes to Redis, if it is configured."""
        if self.projection is None:
            return None
        await self.projection.publish()
        return self.publish_s
