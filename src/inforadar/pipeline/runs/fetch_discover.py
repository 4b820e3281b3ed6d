"""The first phase of a fetch: finds what the feeds list and stores it on disk (A3).

Several hosts are asked at a time, each at its polite pace. What a killed run already found is not fetched again.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from contextlib import aclosing, suppress

from inforadar.errors import LeaseLostError
from inforadar.fetch.pace import HostPacer
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.model.schedule import FinishedJob, Handover, Lane, Lease, ListingPart, lane_of
from inforadar.pipeline.collect.jobs import Collector, Job, WalkLimits
from inforadar.pipeline.dispatch import Dispatch, Ending, Leftover
from inforadar.pipeline.runs.progress import FeedProgress, RunProgress
from inforadar.store.database import Database
from inforadar.store.leases import claim_feeds
from inforadar.store.runs.spool_queries import load_feeds_with_found, load_found
from inforadar.store.runs.spool_save import delete_found, save_found
from inforadar.texts import counted
from inforadar.urls import host_key, hostname

LEASE_S = 30.0
"""Shorter than a worker's lease: a person who restarts a killed run should not have to wait long."""
BUSY_S = LEASE_S + 5.0
"""How long to wait for a feed that another process works on."""
LOOK_S = 1.0
"""How often to check whether such a feed is free."""
MAX_HOST_WAIT_S = 60.0
"""Maximum wait for a host's next turn; feeds on hosts that need longer are left out."""
STOP_GRACE_S = 0.25
"""How long a stop lets requests in flight end by themselves."""
SILENCE_S = 2.0
"""How long a host may take without a word; then the log says which one is waited for."""


class Finder:
    """Finds what feeds list. `held` are its leases; `complete` are the feeds whose whole job is on disk."""

    def __init__(
        self,
        *,
        database: Database,
        collectors: Mapping[FeedKind, Collector],
        pacer: HostPacer,
        workers: int,
        limits: WalkLimits,
        credentials: Mapping[FeedId, Mapping[str, str]],
        progress: RunProgress,
    ) -> None:
        self.held: dict[FeedId, Lease] = {}
        self.complete: set[FeedId] = set()
        self.errors: dict[str, str] = {}
        """{feed URL: sentence}."""
        self.stopped: dict[FeedId, str] = {}
        """Feeds whose server had not answered when a stop came, with a sentence that says so."""
        self._database = database
        self._collectors = collectors
        self._pacer = pacer
        self._workers = workers
        self._limits = limits
        self._credentials = credentials
        self._progress = progress
        self._begun: dict[FeedId, tuple[ListingPart, ...]] = {}
        """Parts that an interrupted run found, by feed."""
        self._stopping = asyncio.Event()
        self._told_turns: set[str] = set()
        """Hosts whose next turn the log has announced."""
        self._is_cut_off = False
        """A stop has cancelled the requests in flight."""
        self._dispatch: Dispatch[Lease] | None = None

    def stop(self) -> None:
        """Start no more requests. Waiting for a host's turn is cancelled, and soon requests in flight are, too."""
        self._stopping.set()
        if dispatch := self._dispatch:
            dispatch.stop()
            asyncio.get_running_loop().call_later(STOP_GRACE_S, self._cut_off, dispatch)

    def abort(self) -> None:
        """Stop. The caller cancels the requests in flight at once."""
        self._is_cut_off = True
        self.stop()

    def _cut_off(self, dispatch: Dispatch[Lease]) -> None:
        self._is_cut_off = True
        dispatch.cancel_running()

    @property
    def is_stopping(self) -> bool:
        return self._stopping.is_set()

    async def find_all(self, feeds: Sequence[Feed]) -> None:
        """Find what all feeds list. Feeds that another process works on come last, if they become free in time."""
        loop = asyncio.get_running_loop()
        until = loop.time() + BUSY_S
        busy = {feed.id: feed for feed in feeds}
        is_told = False
        while busy and not self.is_stopping:
            leases = await self._claim(list(busy))
            for lease in leases:
                del busy[lease.feed.id]
            await self._find_by_host([one for one in leases if one.feed.id not in self.complete])
            if busy and not leases and not self.is_stopping:
                if loop.time() > until:
                    break
                if not is_told:
                    is_told = True
                    for feed in busy.values():
                        self._progress.of(feed).line("another process is working on it: waiting")
                await self._pause(LOOK_S)
        if not self.is_stopping:
            for feed in busy.values():
                self._leave_out(feed, "another process is working on it")

    async def _claim(self, ids: Sequence[FeedId]) -> list[Lease]:
        """Claim the feeds that are free, and load what an interrupted run found of them."""
        leases = await self._database.write(claim_feeds, ids, lease_s=LEASE_S)
        self.held |= {lease.feed.id: lease for lease in leases}
        kept = await self._database.read(load_feeds_with_found, [lease.feed.id for lease in leases])
        stale: list[FeedId] = []
        for lease in leases:
            if lease.feed.id not in kept:
                continue
            found = await self._database.read(load_found, lease, self._progress.run_id)
            if not found:
                stale.append(lease.feed.id)
                continue
            told = self._progress.of(lease.feed)
            parts = tuple(step for step in found if isinstance(step, ListingPart))
            items = sum(len(step.listed) for step in found)
            told.counted(items, pages=len(parts))
            if isinstance(end := found[-1], FinishedJob):
                self.complete.add(lease.feed.id)
                told.line(f"found earlier and not processed: {counted(items, 'item')}")
                if end.outcome is not Outcome.SUCCESS:
                    self._tell_end(end)
            else:
                self._begun[lease.feed.id] = parts
                told.line(f"continues after {counted(len(parts), 'page')} found earlier")
        if stale:
            await self._database.write(delete_found, stale)
        return leases

    async def _find_by_host(self, leases: Sequence[Lease]) -> None:
        """Find what these feeds list, several hosts at a time, waiting for hosts that are busy."""
        pending = list(leases)
        while pending and not self.is_stopping:
            self._dispatch = Dispatch(
                pacer=self._pacer,
                workers=self._workers,
                host_of=lambda lease: host_key(lease.feed.url),
                work=self._run_job,
            )
            leftovers = await self._dispatch.run(pending)
            self._dispatch = None
            pending = self._worth_waiting_for(leftovers)
            if pending:
                self._tell_turns(leftovers)
                await self._pause(min(left.wait_s for left in leftovers))

    def _tell_turns(self, leftovers: Sequence[Leftover[Lease]]) -> None:
        """Say which hosts are waited for, if it takes long: once for each."""
        for left in sorted(leftovers, key=lambda left: left.wait_s):
            feed = left.job.feed
            host = host_key(feed.url)
            if left.wait_s >= SILENCE_S and host not in self._told_turns:
                self._told_turns.add(host)
                self._progress.of(feed).line(
                    f"waiting for the next turn of {hostname(feed.url)}, in {counted(math.ceil(left.wait_s), 'second')}"
                )

    def _worth_waiting_for(self, leftovers: Sequence[Leftover[Lease]]) -> list[Lease]:
        """The feeds whose host has its next turn soon, however long its queue; leave out the others."""
        next_s: dict[str, float] = {}
        for left in leftovers:
            host = host_key(left.job.feed.url)
            next_s[host] = min(next_s.get(host, left.wait_s), left.wait_s)
        pending: list[Lease] = []
        for left in leftovers:
            feed = left.job.feed
            wait_s = next_s[host_key(feed.url)]
            if wait_s <= MAX_HOST_WAIT_S or self.is_stopping:
                pending.append(left.job)
            else:
                minutes = math.ceil(wait_s / 60)
                self._leave_out(
                    feed,
                    f"{hostname(feed.url)} asked for no more requests for another {counted(minutes, 'minute')}",
                )
        return pending

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(max(seconds, 0.0)):
                await self._stopping.wait()

    def _leave_out(self, feed: Feed, why: str) -> None:
        self.errors[feed.url] = f"Left out: {why}."
        self._progress.of(feed).line(f"! left out: {why}")

    async def _run_job(self, lease: Lease) -> Ending:
        """Collect one feed in its host's turn, and store what it lists on disk step by step."""
        feed = lease.feed
        job = Job(
            lease=lease,
            run_id=self._progress.run_id,
            progress=self._progress.of(feed),
            headers=self._credentials.get(feed.id, {}),
            limits=self._limits,
            found=self._begun.get(feed.id, ()),
        )
        patience = Patience(self._progress.of(feed), hostname(feed.url))
        try:
            await self._collect_to_disk(job, patience)
        except LeaseLostError:
            self.lose(feed)
        except asyncio.CancelledError:
            if self._is_cut_off:
                self._note_stop(feed)
                self._progress.of(feed).line(f"! stopped while waiting for {hostname(feed.url)}")
            raise
        finally:
            patience.end()
        return Ending.DONE

    def _note_stop(self, feed: Feed) -> None:
        sentence = f"The last fetch was stopped while waiting for {hostname(feed.url)}."
        self.errors[feed.url] = self.stopped[feed.id] = sentence

    async def _collect_to_disk(self, job: Job, patience: Patience) -> None:
        """Store each step of the job. A collector with its own state notices a lost lease itself, and raises."""
        feed, position = job.feed, len(job.found)
        async with aclosing(self._collectors[feed.kind or FeedKind.FEED].collect(job)) as steps:
            async for step in steps:
                patience.renew()
                assert not isinstance(step, Handover), "a fetch walks whatever has to be walked"
                if not await self._database.write(save_found, step, position):
                    self.lose(feed)
                    break
                position += 1
                if isinstance(step, FinishedJob):
                    self.complete.add(feed.id)
                    self._tell_end(step)
                elif self.is_stopping:
                    break

    def _tell_end(self, job: FinishedJob) -> None:
        feed = job.lease.feed
        if job.outcome is not Outcome.SUCCESS:
            self.errors[feed.url] = error = job.next_run.error or job.outcome.value
            self._progress.of(feed).line(f"! {error}")
        elif lane_of(feed.kind) is Lane.FEEDS:
            said = counted(len(job.listed), "item") if job.kind else "not changed since the last fetch"
            self._progress.of(feed).line(said)

    def lose(self, feed: Feed) -> None:
        """Give up a feed whose lease another process took over."""
        self.held.pop(feed.id, None)
        self.complete.discard(feed.id)
        self._leave_out(feed, "another process took it over")


class Patience:
    """Says in the log which host is waited for, each time it has been silent for long."""

    def __init__(self, progress: FeedProgress, host: str) -> None:
        self._progress, self._host = progress, host
        self._loop = asyncio.get_running_loop()
        self._waited_s = 0.0
        self._timer = self._loop.call_later(SILENCE_S, self._tell)

    def renew(self) -> None:
        """The host has answered: wait again from now on."""
        self.end()
        self._waited_s = 0.0
        self._timer = self._loop.call_later(SILENCE_S, self._tell)

    def end(self) -> None:
        self._timer.cancel()

    def _tell(self) -> None:
        self._waited_s += SILENCE_S if not self._waited_s else self._waited_s
        self._progress.line(f"waiting for {self._host}, for {self._waited_s:.0f} seconds now")
        self._timer = self._loop.call_later(self._waited_s, self._tell)
