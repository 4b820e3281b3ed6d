"""The fetch run that a person starts and watches, from the command line, the terminal app or the page (A1-A12).

    leases | count: walk, store what was found on disk | process: feed by feed, compare and save | report

The first phase finds everything, host by host at the polite pace, and saves no items. The second phase processes what
was found in the order of the feeds; each part is removed from disk in the transaction that saves it. So no page is
fetched twice, a stop takes effect between two items, and the next run continues a killed one: what that found less than
an hour ago is processed without asking the site again, and its walks continue after their last page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import msgspec
import structlog

from inforadar.errors import InfoRadarError, LeaseLostError
from inforadar.fetch.pace import HostPacer
from inforadar.model.feed import FeedKind
from inforadar.model.ids import FeedId, RunId
from inforadar.model.progress import Listener, ProgressKind
from inforadar.model.run import FeedTally, Report, RunDetails, RunKind, RunNumbers
from inforadar.model.schedule import FinishedJob, Lease
from inforadar.pipeline.collect.jobs import Collector, WalkLimits
from inforadar.pipeline.heartbeat import keep_leases
from inforadar.pipeline.runs.events import RunRecorder
from inforadar.pipeline.runs.fetch_discover import LEASE_S, Finder
from inforadar.pipeline.runs.progress import FeedProgress, RunProgress, feed_label
from inforadar.stages.discover.pages.walk import Depth
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.leases import extend_leases, release_leases
from inforadar.store.runs.fetch_runs import close_dead_runs
from inforadar.store.runs.queries import load_report
from inforadar.store.runs.save import finish_run, insert_run
from inforadar.store.runs.spool_queries import load_next_found
from inforadar.store.writer import Writer
from inforadar.texts import counted

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchFilter:
    """Which feeds to fetch; all enabled ones if nothing is named."""

    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    feed_ids: tuple[FeedId, ...] = ()


ALL_FEEDS = FetchFilter()
TO_THE_CUTOFF = WalkLimits(depth=Depth.CUTOFF)
SAVE_COUNTED_S = 0.4
"""How long a run that is stopped while counting goes on to save feeds that were counted to their end, or failed."""


class FetchRun:
    """One run: `await run()` once; `stop` or `abort` end it early."""

    def __init__(
        self,
        *,
        database: Database,
        collectors: Mapping[FeedKind, Collector],
        writer: Writer,
        pacer: HostPacer,
        workers: int,
        now: Callable[[], datetime],
        listener: Listener,
        wanted: FetchFilter = ALL_FEEDS,
        limits: WalkLimits = TO_THE_CUTOFF,
        run_id: RunId | None = None,
    ) -> None:
        """`run_id` is a requested run that was claimed (`store/runs/fetch_runs.py`); without it a new run starts."""
        self._database = database
        self._collectors = collectors
        self._writer = writer
        self._pacer = pacer
        self._workers = workers
        self._now = now
        self._listener = listener
        self._wanted = wanted
        self._limits = limits
        self._run_id = run_id
        self._details = fetch_details(wanted, limits)
        self._finder: Finder | None = None
        self._work: asyncio.Task[None] | None = None
        self._tally: dict[str, FeedTally] = {}
        """Results by feed URL."""
        self._is_stopping = False
        self._is_aborted = False
        self._save_until: float | None = None
        """Set by a stop while counting: until when counted feeds are still saved."""
        self._is_complete = False
        """Everything was processed, whether or not a stop was requested meanwhile."""

    def stop(self) -> None:
        """Stop between two items, also while counting, within a second even if a server does not answer.

        Feeds that were counted to their end or failed are saved, as far as there is time. The rest of what was found
        stays on disk for the next run.
        """
        self._is_stopping = True
        if self._finder:
            self._finder.stop()

    def abort(self) -> None:
        """Cancel what is in flight. What was saved until then stays."""
        self._is_aborted = self._is_stopping = True
        if self._finder:
            self._finder.abort()
        if self._work:
            self._work.cancel()

    async def run(self) -> Report:
        """Run both phases and return the report; that of a stopped or aborted run says so."""
        await self._database.write(close_dead_runs)
        run_id = self._run_id
        if run_id is None:
            run_id = await self._database.write(insert_run, RunKind.FETCH, self._now(), self._details)
        recorder = RunRecorder(
            self._database, run_id, self._details, listener=self._listener, on_stop=self.stop
        )
        progress = RunProgress(run_id, recorder.hear, self._now)
        async with recorder:
            self._work = asyncio.ensure_future(self._phases(progress))
            try:
                await self._work
            except asyncio.CancelledError:
                if not self._is_aborted:
                    raise
            finally:
                await asyncio.shield(self._finish(progress))
        return await self._database.read(load_report, run_id)

    async def _phases(self, progress: RunProgress) -> None:
        feeds = await self._database.read(
            load_feeds,
            sources=self._wanted.sources,
            topics=self._wanted.topics,
            ids=self._wanted.feed_ids,
            only_enabled=True,
        )
        self._details.feeds = len(feeds)
        if not feeds:
            progress.line("No enabled feed matches. `inforadar feed list` shows all feeds.")
        await self._pacer.refresh()
        self._finder = finder = Finder(
            database=self._database,
            collectors=self._collectors,
            pacer=self._pacer,
            workers=self._workers,
            limits=self._limits,
            credentials=await self._database.read(load_credentials),
            progress=progress,
        )
        if self._is_stopping:
            return
        release = partial(release_leases, stopped=finder.stopped)
        async with keep_leases(
            self._database, finder.held, extend=extend_leases, release=release, lease_s=LEASE_S
        ):
            await finder.find_all(feeds)
            is_counted = not self._is_stopping
            if is_counted:
                progress.tell(ProgressKind.FOUND)
            else:
                self._save_until = asyncio.get_running_loop().time() + SAVE_COUNTED_S
                # Failures first: they are told quickly, and the feed should say why it has nothing.
                feeds.sort(key=lambda feed: feed.url not in finder.errors)
            for feed in feeds:
                if feed.id in finder.complete and self._may_save:
                    await self._process(finder.held[feed.id], finder, progress)
            self._is_complete = is_counted and not finder.held.keys() & finder.complete
            await self._database.write(release, list(finder.held.values()))

    @property
    def _may_save(self) -> bool:
        if not self._is_stopping:
            return True
        return self._save_until is not None and asyncio.get_running_loop().time() < self._save_until

    async def _process(self, lease: Lease, finder: Finder, progress: RunProgress) -> None:
        """Save what was found of one feed, part by part, until its job is complete."""
        from inforadar.views.run_log import saved_lines  # noqa: PLC0415 - 4 MB that workers need for requested fetches only

        feed = lease.feed
        told = progress.of(feed)
        tally = self._tally[feed.url] = FeedTally(feed=feed_label(feed))
        while self._may_save:
            step = await self._database.read(load_next_found, lease, progress.run_id)
            if step is None:
                return
            try:
                if isinstance(step, FinishedJob):
                    saved = await self._writer.save_alone(step)
                    del finder.held[feed.id]
                    self._tell_warnings(step, told)
                else:
                    saved = await self._writer.save_part(step)
            except LeaseLostError:
                finder.lose(feed)
                return
            for line in saved_lines(step.listed, saved):
                told.line(line)
            tally.items += len(step.listed)
            tally.added += len(saved.added)
            tally.updated += len(saved.changed)
            if step.listed:
                told.processed(len(step.listed))

    def _tell_warnings(self, job: FinishedJob, told: FeedProgress) -> None:
        if job.warnings:
            self._details.dropped += job.dropped
            self._details.warnings[job.lease.feed.url] = [warning.text for warning in job.warnings]
            for warning in job.warnings:
                told.line(f"! {warning.text}")

    async def _finish(self, progress: RunProgress) -> None:
        """Write the report of what was saved so far, whatever ended the run."""
        interrupted = not self._is_complete
        errors = self._finder.errors if self._finder else {}
        # A copy: the recorder goes on writing numbers into the run's own until it has ended.
        details = msgspec.structs.replace(
            self._details,
            errors=errors,
            by_feed=self._tally,
            progress=RunNumbers(found=progress.found, done=progress.done, pages=progress.pages),
        )
        try:
            await self._database.write(
                finish_run,
                progress.run_id,
                self._now(),
                errors=len(errors),
                interrupted=interrupted,
                details=details,
            )
            report = await self._database.read(load_report, progress.run_id)
        except InfoRadarError as fault:
            log.warning("run.not_finished", run_id=str(progress.run_id), error=str(fault))
            return
        progress.line(
            f"{report.added_count} added, {report.updated_count} updated, "
            f"{counted(report.errors_count, 'error')}"
        )
        if interrupted:
            waits = " The next fetch processes what was already found."
            progress.line("Interrupted." + (waits if progress.done < progress.found else ""))
        progress.tell(ProgressKind.FINISHED)


def fetch_details(wanted: FetchFilter, limits: WalkLimits) -> RunDetails:
    """A run's filter and limits as stored in its row; the argument of `request_fetch_run`."""
    return RunDetails(
        sources=wanted.sources,
        topics=wanted.topics,
        feed_ids=wanted.feed_ids,
        cutoff=limits.cutoff,
        window_days=limits.window_days,
        depth=limits.depth.value if limits.depth else None,
    )


def parse_fetch_details(details: RunDetails) -> tuple[FetchFilter, WalkLimits]:
    """The filter and limits that a run was requested with."""
    return (
        FetchFilter(
            sources=details.sources,
            topics=details.topics,
            feed_ids=tuple(FeedId(one) for one in details.feed_ids),
        ),
        WalkLimits(
            cutoff=details.cutoff,
            window_days=details.window_days,
            depth=Depth(details.depth or Depth.CUTOFF),
        ),
    )
