"""Dispatch: runs jobs host by host, so that a host that must wait never occupies a worker (ruling 10).

Each host has a queue of jobs. A free host passes one job to a free worker; a busy host is put off until its next
slot. When nothing runs and every host with jobs left must wait, the dispatch ends and returns those jobs with the
time until each one's turn, so that one crowded host does not delay the others.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Generic, TypeVar

from inforadar.fetch.pace import HostPacer, held_turns, step_aside

J = TypeVar("J")


class Ending(Enum):
    """How a job's turn ended."""

    DONE = "done"
    RETRY = "retry"
    """The turn was used for something else, such as robots.txt: the same job is next on its host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover(Generic[J]):
    """A job whose host must wait, with the waiting time."""

    job: J
    wait_s: float


@dataclass(slots=True)
class _Line(Generic[J]):
    host: str
    jobs: deque[J] = field(default_factory=deque)
    is_queued: bool = False
    """It is ready or put off. It is never both: its host would be asked twice at once."""


class Dispatch(Generic[J]):
    """One pass over a set of jobs."""

    def __init__(
        self,
        *,
        pacer: HostPacer,
        workers: int,
        host_of: Callable[[J], str],
        work: Callable[[J], Awaitable[Ending]],
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._pacer = pacer
        self._workers = workers
        self._host_of = host_of
        self._work = work
        self._clock = clock or asyncio.get_running_loop().time
        self._running = 0
        self._under_way = 0
        """Number of started jobs, including those that wait for a host's turn in the middle of their work."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: set[asyncio.Task[None]] = set()
        """Jobs that wait for a host's turn in the middle of their work."""
        self._changed = asyncio.Event()
        self._ready: deque[_Line[J]] = deque()
        self._later: list[tuple[float, int, _Line[J]]] = []
        self._order = itertools.count()
        self._stopped = False
        self._fault: BaseException | None = None

    def stop(self) -> None:
        """Start no more jobs. Running jobs finish; jobs that wait for a host's turn are cancelled."""
        self._stopped = True
        for task in self._waiting:
            task.cancel()
        self._changed.set()

    def cancel_running(self) -> None:
        """Cancel the running jobs too, after a stop: nobody waits for servers that do not answer."""
        for task in self._tasks:
            task.cancel()

    async def run(self, jobs: Iterable[J]) -> list[Leftover[J]]:
        """Run jobs until only waiting hosts are left; return the jobs that were not started."""
        lines: dict[str, _Line[J]] = {}
        for job in jobs:
            host = self._host_of(job)
            if host not in lines:
                lines[host] = _Line(host)
            lines[host].jobs.append(job)
        for line in lines.values():
            self._queue(line)
        try:
            while not self._stopped and self._fault is None:
                self._changed.clear()
                self._wake_lines()
                await self._start_ready()
                if not self._under_way and not self._ready:
                    break
                await self._wait()
            while self._tasks:
                await asyncio.wait(self._tasks)
        except BaseException:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            raise
        if self._fault:
            raise self._fault
        return list(self._leftovers(lines.values()))

    def _wake_lines(self) -> None:
        now = self._clock()
        while self._later and self._later[0][0] <= now:
            self._ready.append(heapq.heappop(self._later)[2])

    async def _start_ready(self) -> None:
        free = self._workers - self._running
        if free <= 0 or not self._ready:
            return
        chosen = [self._ready.popleft() for _ in range(min(free, len(self._ready)))]
        # Asked before: a delay that is learned meanwhile was not taken into account.
        with_slot = {line.host for line in chosen if self._pacer.delay_of(line.host)}
        waits = await self._pacer.reserve([line.host for line in chosen])
        for line in chosen:
            line.is_queued = False
            if wait_s := waits[line.host]:
                self._queue(line, wait_s)
            else:
                self._start(line, has_slot=line.host in with_slot)

    def _queue(self, line: _Line[J], wait_s: float = 0.0) -> None:
        """Have the line's next job started as soon as its host is free, at the earliest after `wait_s`."""
        if line.is_queued:
            return
        line.is_queued = True
        if not wait_s:
            self._ready.append(line)
            return
        heapq.heappush(self._later, (self._clock() + wait_s, next(self._order), line))

    def _start(self, line: _Line[J], *, has_slot: bool) -> None:
        job = line.jobs.popleft()
        self._running += 1
        self._under_way += 1
        task = asyncio.create_task(self._turn(line, job, has_slot=has_slot))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if line.jobs and not self._pacer.delay_of(line.host):
            self._queue(line)

    async def _turn(self, line: _Line[J], job: J, *, has_slot: bool) -> None:
        step_aside.set(self._aside)
        held = {line.host} if has_slot else set()
        held_turns.set(held)
        ending = Ending.DONE
        try:
            ending = await self._work(job)
        except Exception as fault:
            # `work` reports expected failures itself; an exception that gets here ends the dispatch.
            self._fault = self._fault or fault
        finally:
            for host in held:
                self._pacer.done(host)
            self._running -= 1
            self._under_way -= 1
            if ending is Ending.RETRY:
                line.jobs.appendleft(job)
            if line.jobs:
                self._queue(line, self._pacer.delay_of(line.host))
            self._changed.set()

    @contextmanager
    def _aside(self) -> Iterator[None]:
        task = asyncio.current_task()
        if self._stopped or task is None:
            raise asyncio.CancelledError
        self._running -= 1
        self._waiting.add(task)
        self._changed.set()
        try:
            yield
        finally:
            self._waiting.discard(task)
            self._running += 1

    async def _wait(self) -> None:
        """Wait until a job ends, or until the first waiting host's turn."""
        if self._ready and self._running < self._workers:
            return
        if not self._later:
            await self._changed.wait()
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(max(self._later[0][0] - self._clock(), 0.0)):
                await self._changed.wait()

    def _leftovers(self, lines: Iterable[_Line[J]]) -> Iterator[Leftover[J]]:
        now = self._clock()
        first = {line.host: max(at - now, 0.0) for at, _, line in self._later}
        for line in lines:
            start, spacing = first.get(line.host, 0.0), self._pacer.delay_of(line.host)
            for turn, job in enumerate(line.jobs):
                yield Leftover(job=job, wait_s=start + turn * spacing)
