"""The loops of a worker: they run each stage repeatedly, wake it, let it idle and stop it.

A loop survives every failure of its stage and ends only when it is cancelled. Cycles of one loop never overlap.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import structlog

from inforadar.errors import InfoRadarError
from inforadar.model.ids import FeedId
from inforadar.model.schedule import Lane
from inforadar.pipeline.collect_stage import CollectStage
from inforadar.pipeline.runs.collect_run import CollectRun
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.store.leases import seconds_to_next_request

REQUEST_POLL_S = 1.0
"""How often an idle worker checks for requested feeds."""
FAULT_RETRY_S = 5.0
"""How soon a failed cycle is retried."""
MAX_EARLY_LOOKS = 30
"""How many times a loop checks for a postponed feed before it waits for its next interval."""
STAGE_POLL_S = 60.0
"""How often a stage checks for work if nothing wakes it."""
CANCEL_RETRY_S = 2.0
"""How long a cancelled task may take to end before it is cancelled again."""

log = structlog.get_logger()

Loop = Coroutine[Any, Any, None]


async def run_loops(loops: Iterable[Loop], stop: asyncio.Event) -> None:
    """Run the loops concurrently until `stop` is set or one of them fails; then cancel them all."""
    tasks = [asyncio.ensure_future(loop) for loop in loops]
    stopped = asyncio.create_task(stop.wait())
    try:
        done, _ = await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in done - {stopped}:
            task.result()
    finally:
        await _cancel_all([stopped, *tasks])


@dataclass(frozen=True, slots=True)
class Wakes:
    """Events by which one stage tells the next that it has work."""

    canonical: asyncio.Event = field(default_factory=asyncio.Event)
    group: asyncio.Event = field(default_factory=asyncio.Event)
    analyze: asyncio.Event = field(default_factory=asyncio.Event)
    build: asyncio.Event = field(default_factory=asyncio.Event)
    publish: asyncio.Event = field(default_factory=asyncio.Event)

    def wake_all(self) -> None:
        """Wake every stage: collecting changed something."""
        for event in (self.canonical, self.group, self.analyze, self.build, self.publish):
            event.set()


@dataclass(slots=True, kw_only=True)
class CollectLoop:
    """Collects the due feeds of one lane, cycle after cycle."""

    stage: CollectStage
    lane: Lane
    limit: int
    """Maximum number of feeds in one cycle."""
    interval_s: float
    wakes: Wakes
    _turns: set[float] = field(default_factory=set)
    """When postponed feeds can be retried, by the event loop's clock."""
    _collected: set[FeedId] = field(default_factory=set)
    """The feeds of the batches that followed each other without a pause."""
    _early_looks: int = 0
    """Checks for postponed feeds that are left before the loop waits for a whole interval."""

    async def run(self) -> None:
        clock = asyncio.get_running_loop().time
        run, run_until = CollectRun(), 0.0
        while not is_cancelled():
            began = clock()
            goes_on = self._turns or self._early_looks or (self._collected and self.lane is Lane.WALKS)
            if not goes_on or began >= run_until:
                # The turns of a crowded host, and walks that follow each other in pairs, are cycles of one run;
                # otherwise they would fill the list of runs.
                run, run_until = CollectRun(), began + self.interval_s
            wait_s = await self._run_cycle(run)
            if is_cancelled():
                return
            # A crowded host has more feeds: go on at each of its turns, not only at the next interval.
            # A turn that came during the cycle is kept, because the cycle may have claimed its feeds before it.
            self._turns = {turn for turn in self._turns if turn > began}
            await self._idle(min([wait_s, *(turn - clock() for turn in self._turns)]))

    async def _run_cycle(self, run: CollectRun) -> float:
        """Run one cycle; return the seconds until the next, not counting the turns of crowded hosts."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            result, _ = await self.stage.claim_and_collect([self.lane], limit=self.limit, run=run)
        except Exception as fault:
            log_fault("batch", fault, lane=self.lane.value)
            return min(self.interval_s, FAULT_RETRY_S)
        wait_s = self._after_cycle(result)
        return 0.0 if self._may_have_more(result, clock() - began) else wait_s

    def _may_have_more(self, result: CycleResult, took_s: float) -> bool:
        """Whether more feeds may be due: the batch was full or took long, and none of its feeds is due again."""
        is_likely = result.claimed >= self.limit or (result.claimed and took_s >= self.interval_s)
        goes_on = bool(is_likely) and self._collected.isdisjoint(result.collected)
        self._collected = self._collected | result.collected if goes_on else set()
        return goes_on

    def _after_cycle(self, result: CycleResult) -> float:
        if result.added or result.updated:
            self.wakes.wake_all()
        now = asyncio.get_running_loop().time()
        self._turns |= {now + turn_s for turn_s in result.turns_s}
        if result.postponed:
            self._early_looks = MAX_EARLY_LOOKS
        elif self._early_looks and not result.fetched:
            # The feed was not quite due by the database's clock: check again soon, not after a whole interval.
            self._early_looks -= 1
            return min(self.interval_s, REQUEST_POLL_S)
        return self.interval_s

    async def _idle(self, seconds: float) -> None:
        """Wait for the next cycle, or until a feed is requested."""
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        while (left := until - clock()) > 0 and not is_cancelled():
            await asyncio.sleep(min(left, REQUEST_POLL_S))
            with suppress(InfoRadarError):
                asked_s = await self.stage.database.read(seconds_to_next_request, [self.lane])
                if asked_s is not None and asked_s <= 0:
                    return


async def run_fetch_loop(stage: CollectStage, wakes: Wakes) -> None:
    """Execute requested fetch runs, one after the other."""
    while True:
        report = None
        try:
            report = await stage.fetch_requested()
        except Exception as fault:
            log_fault("fetch", fault)
        if is_cancelled():
            return
        if report is None:
            await asyncio.sleep(REQUEST_POLL_S)
        elif report.added_count or report.updated_count:
            wakes.wake_all()


async def run_stage_loop(
    name: str, work: Callable[[], Awaitable[float | None]], wake: asyncio.Event, *, interval_s: float
) -> None:
    """Run a stage when it is woken, after the seconds that its `work` returned, and at regular intervals."""
    poll_s = max(min(interval_s, STAGE_POLL_S), 1.0)
    while True:
        wake.clear()
        asked_s: float | None = None
        try:
            asked_s = await work()
        except Exception as fault:
            log_fault("stage", fault, stage=name)
        if is_cancelled():
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(poll_s if asked_s is None else min(poll_s, max(asked_s, 0.1))):
                await wake.wait()


async def _cancel_all(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel the tasks, repeatedly if one swallows the cancellation (see `is_cancelled`)."""
    pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=CANCEL_RETRY_S)


def log_fault(what: str, fault: Exception, **fields: str) -> None:
    """Log why a loop's work failed. The loop goes on: one failure must not stop the other work of the process."""
    if isinstance(fault, InfoRadarError):
        log.error(f"{what}.failed", error=str(fault), **fields)
    else:
        log.error(f"{what}.crashed", exc_info=fault, **fields)


def is_cancelled() -> bool:
    """True if this task was cancelled, even if a library swallowed the `CancelledError`.

    `asyncio.wait_for` of Python 3.11 does that if its result arrives at the same moment, and the Redis client uses it.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
