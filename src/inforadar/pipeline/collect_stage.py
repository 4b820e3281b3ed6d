"""The collect stage: claims due feeds, collects them in a cycle, and writes the run's report.

    claim_and_collect | collect_leases | Cycle.run | _run_job, one for each feed | Collector.collect | Writer

A fetch requested by a person is a separate run with the same collectors (`FetchRun`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from inforadar.fetch.pace import HostPacer
from inforadar.model.feed import FeedKind
from inforadar.model.ids import RunId
from inforadar.model.progress import Listener
from inforadar.model.run import Report
from inforadar.model.schedule import LANES, Lane, Lease
from inforadar.pipeline.collect.jobs import Collector, WalkLimits
from inforadar.pipeline.owed_leases import OwedLeases
from inforadar.pipeline.runs.collect_run import CollectRun
from inforadar.pipeline.runs.cycle import Cycle, log_progress
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.runs.fetch_run import (
    ALL_FEEDS,
    TO_THE_CUTOFF,
    FetchFilter,
    FetchRun,
    parse_fetch_details,
)
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.runs.fetch_runs import claim_fetch_run, close_dead_runs
from inforadar.store.runs.queries import has_fetch_work
from inforadar.store.writer import Writer

log = structlog.get_logger()


@dataclass(slots=True, kw_only=True)
class CollectStage:
    """Collects due feeds, and the feeds of requested fetch runs."""

    database: Database
    collectors: Mapping[FeedKind, Collector]
    writer: Writer
    pacer: HostPacer
    batch_size: int
    workers: int
    now: Callable[[], datetime]
    owed: OwedLeases = field(init=False)

    def __post_init__(self) -> None:
        self.owed = OwedLeases(self.database)

    async def claim_and_collect(
        self, lanes: Collection[Lane] = LANES, *, limit: int | None = None, run: CollectRun | None = None
    ) -> tuple[CycleResult, RunId | None]:
        """Claim up to one batch of due feeds in these lanes and collect them, as part of `run` if it is given."""
        await self.owed.give_back()
        await self.pacer.refresh()
        leases = await self.owed.claim(lanes, limit or self.batch_size)
        if not leases:
            return CycleResult(), None
        return await self.collect_leases(leases, run, may_walk=Lane.WALKS in lanes)

    async def collect_leases(
        self, leases: list[Lease], run: CollectRun | None = None, *, may_walk: bool = True
    ) -> tuple[CycleResult, RunId]:
        """Collect claimed feeds and write the report. Without `may_walk`, feeds that need a walk are handed over."""
        with self.owed.owed_on_fault(leases):
            return await self._run_cycle(leases, run or CollectRun(), may_walk)

    async def _run_cycle(
        self, leases: list[Lease], run: CollectRun, may_walk: bool
    ) -> tuple[CycleResult, RunId]:
        started_at = self.now()
        run_id = await run.begin(self.database, started_at)
        log.info("batch.started", feeds=len(leases), run_id=str(run_id))
        cycle = Cycle(
            database=self.database,
            collectors=self.collectors,
            credentials=await self.database.read(load_credentials),
            writer=self.writer,
            pacer=self.pacer,
            workers=self.workers,
            now=self.now,
            may_walk=may_walk,
        )
        interrupted = True
        try:
            result = await cycle.run(leases, run_id)
            interrupted = False
        finally:
            # The report is written even if the run was stopped; it covers what was saved until then.
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

    def fetch_run(
        self,
        listener: Listener,
        *,
        wanted: FetchFilter = ALL_FEEDS,
        limits: WalkLimits = TO_THE_CUTOFF,
        run_id: RunId | None = None,
    ) -> FetchRun:
        """Make a fetch run with this stage's collectors; `await run()` starts it."""
        return FetchRun(
            database=self.database,
            collectors=self.collectors,
            writer=self.writer,
            pacer=self.pacer,
            workers=self.workers,
            now=self.now,
            listener=listener,
            wanted=wanted,
            limits=limits,
            run_id=run_id,
        )

    async def fetch_requested(self) -> Report | None:
        """Execute a fetch run that another process requested; None if there is none."""
        if not await self.database.read(has_fetch_work):
            return None
        await self.database.write(close_dead_runs)
        if (claimed := await self.database.write(claim_fetch_run)) is None:
            return None
        run_id, details = claimed
        wanted, limits = parse_fetch_details(details)
        return await self.fetch_run(log_progress, wanted=wanted, limits=limits, run_id=run_id).run()
