"""A collect cycle: fetches the due feeds, each in its host's turn, and saves them as they finish (B2).

Cycles never overlap. A feed whose host must wait is released with `next_run_at` at that host's next free slot.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any

import structlog

from inforadar.errors import InfoRadarError, LeaseLostError
from inforadar.fetch.pace import HostPacer
from inforadar.model.feed import FeedKind
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId, RunId
from inforadar.model.progress import Listener, Progress, ProgressKind
from inforadar.model.schedule import FinishedJob, Handover, Lease, ListingPart, Saved
from inforadar.pipeline.collect.jobs import Collector, Job
from inforadar.pipeline.dispatch import Dispatch, Ending
from inforadar.pipeline.heartbeat import keep_leases
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.runs.progress import RunProgress
from inforadar.store.database import Database
from inforadar.store.feeds.changes import hand_over
from inforadar.store.leases import LEASE_S, extend_leases, postpone_leases, release_leases
from inforadar.store.writer import Writer
from inforadar.urls import host_key

RETRY_UNSAVED_S = 60.0
"""How long a feed whose job could not be saved waits for a retry: a disk may stay full for long."""

log = structlog.get_logger()


def log_progress(event: Progress) -> None:
    """Write the lines of a run to the worker's log."""
    if event.kind is ProgressKind.LINE:
        log.info("feed.walked", feed=event.label, line=event.text, run_id=str(event.run_id))


class Cycle:
    """One pass over claimed leases."""

    def __init__(
        self,
        *,
        database: Database,
        collectors: Mapping[FeedKind, Collector],
        writer: Writer,
        pacer: HostPacer,
        workers: int,
        now: Callable[[], datetime],
        credentials: Mapping[FeedId, Mapping[str, str]] = MappingProxyType({}),
        listener: Listener = log_progress,
        lease_s: float = LEASE_S,
        may_walk: bool = True,
    ) -> None:
        self._database = database
        self._collectors = collectors
        self._credentials = credentials
        self._listener = listener
        self._writer = writer
        self._now = now
        self._lease_s = lease_s
        self._may_walk = may_walk
        self._held: dict[FeedId, Lease] = {}
        self._saves: set[asyncio.Future[Saved]] = set()
        self._not_saved: list[Lease] = []
        self._progress: RunProgress | None = None
        self._log = log.bind()
        self.result = CycleResult()
        self._dispatch: Dispatch[Lease] = Dispatch(
            pacer=pacer,
            workers=workers,
            host_of=lambda lease: host_key(lease.feed.url),
            work=self._run_job,
        )

    async def run(self, leases: Sequence[Lease], run_id: RunId) -> CycleResult:
        """Collect all feeds, as far as their hosts allow; postpone the rest."""
        self._progress = RunProgress(run_id, self._listener, self._now)
        self.result.claimed = len(leases)
        self._held |= {lease.feed.id: lease for lease in leases}
        async with keep_leases(
            self._database, self._held, extend=extend_leases, release=release_leases, lease_s=self._lease_s
        ):
            try:
                leftovers = await self._dispatch.run(leases)
            finally:
                self._writer.flush_soon()
                # Save what was fetched, whatever stopped the rest.
                if self._saves:
                    await asyncio.wait(self._saves)
            waits = [(leftover.job, leftover.wait_s) for leftover in leftovers]
            waits += [(lease, RETRY_UNSAVED_S) for lease in self._not_saved]
            if waits:
                await self._database.write(postpone_leases, waits)
                self.result.postponed = len(leftovers)
                self.result.turns_s = [wait_s for _, wait_s in waits]
        return self.result

    def stop(self) -> None:
        """Start no further feed."""
        self._dispatch.stop()

    async def _run_job(self, lease: Lease) -> Ending:
        """Collect one feed in its host's turn."""
        assert self._progress is not None
        feed = lease.feed
        job = Job(
            lease=lease,
            run_id=self._progress.run_id,
            progress=self._progress.of(feed),
            headers=self._credentials.get(feed.id, {}),
            may_walk=self._may_walk,
        )
        try:
            await self._collect_and_save(job)
        except LeaseLostError as lost:
            # Raised by a collector whose own state is fenced by the lease: only this feed is affected.
            self._give_up(job, lost)
        return Ending.DONE

    async def _collect_and_save(self, job: Job) -> None:
        """Save each part as its collector yields it, and hand the end of the job to the writer."""
        kind = job.feed.kind or FeedKind.FEED
        async with aclosing(self._collectors[kind].collect(job)) as steps:
            async for step in steps:
                if isinstance(step, FinishedJob):
                    await self._writer.wait_for_capacity()
                    saving = self._writer.submit(step)
                    self._saves.add(saving)
                    saving.add_done_callback(partial(self._note, step))
                elif isinstance(step, Handover):
                    await self._hand_over(step)
                elif not await self._save_part(step):
                    break

    async def _hand_over(self, job: Handover) -> None:
        """Release the feed in the lane in which it is collected from now on."""
        if not await self._database.write(hand_over, job):
            raise LeaseLostError(f"The lease of {job.lease.feed.url} went to another worker.")
        self._held.pop(job.lease.feed.id, None)
        self._say(job, logging.INFO, "feed.handed_over", kind=job.kind.value)

    async def _save_part(self, part: ListingPart) -> bool:
        """Save a part; return True if the job may go on."""
        try:
            saved = await self._writer.save_part(part)
        except InfoRadarError as fault:
            self._give_up(part, fault)
            return False
        self.result.count(saved)
        return True

    def _give_up(self, job: FinishedJob | ListingPart | Job, fault: BaseException) -> None:
        """Count a job that could not be saved: nothing of it was written."""
        feed = job.lease.feed
        self._held.pop(feed.id, None)
        if isinstance(fault, LeaseLostError):
            self.result.lost += 1
            self._say(job, logging.WARNING, "feed.lease_lost")
            return
        self._not_saved.append(job.lease)
        self.result.errors[feed.url] = str(fault)
        self._say(job, logging.ERROR, "feed.not_saved", error=str(fault))

    def _note(self, job: FinishedJob, saving: asyncio.Future[Saved]) -> None:
        """Record how saving a job ended. A callback and not a task, because there are thousands of them."""
        self._saves.discard(saving)
        self._held.pop(job.lease.feed.id, None)
        if (fault := saving.exception()) is None:
            self._count(job, saving.result())
        else:
            self._give_up(job, fault)

    def _count(self, job: FinishedJob, saved: Saved) -> None:
        added, updated = len(saved.added), len(saved.changed)
        self.result.fetched += 1
        self.result.collected.add(job.lease.feed.id)
        self.result.count(saved)
        self.result.dropped += job.dropped
        if job.warnings:
            self.result.warnings[job.lease.feed.url] = [warning.text for warning in job.warnings]
        if job.outcome is Outcome.SUCCESS:
            self.result.succeeded.add(job.lease.feed.url)
            self._say(job, logging.INFO, "feed.fetched", added=added, updated=updated, dropped=job.dropped)
            for warning in job.warnings or ():
                level = logging.WARNING if warning.is_loss else logging.INFO
                self._say(job, level, "feed.left_out", what=warning.text)
        else:
            error = job.next_run.error
            self.result.errors[job.lease.feed.url] = error or job.outcome.value
            self._say(job, logging.WARNING, "feed.failed", outcome=job.outcome.value, error=error)

    def _say(
        self, job: FinishedJob | ListingPart | Handover | Job, level: int, event: str, **fields: Any
    ) -> None:
        # Building a log line that is not written would cost more than everything else here.
        if self._log.is_enabled_for(level):
            feed = job.lease.feed
            self._log.log(level, event, feed_id=str(feed.id), url=feed.url, run_id=str(job.run_id), **fields)
