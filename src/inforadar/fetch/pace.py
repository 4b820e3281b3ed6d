"""Pacing: when a host may be asked again, so that nobody waits while holding a worker.

Between two requests to a host (hostname and port) lies at least its delay, counted from the end of the
first to the start of the second: servers see every gap, however slow the network was. The state is shared
through the functions that `SharedPacer` is handed: the table `hosts` for all processes on one database, or
Redis (`pace_redis`) for all machines.

A slot is asked for many hosts at once and given back without a query of its own; hosts without a delay
cost nothing at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from datetime import datetime
from typing import Protocol

from inforadar.errors import InfoRadarError
from inforadar.urls import is_long_host

Reserve = Callable[[Sequence[str], float], Awaitable[Mapping[str, tuple[float, float]]]]
"""Takes the slots that are free, held for so many seconds: (0, 0), or the seconds until slot and pause end."""
Free = Callable[[Mapping[str, float]], Awaitable[None]]
"""Frees hosts after so many seconds each."""
Pause = Callable[[str, float, str], Awaitable[None]]

FLUSH_AFTER_S = 0.25
ASK_AGAIN_S = 1.0
"""While another process has its request to a host under way, we ask for the slot no more often than this."""
PATIENCE_S = 30.0
"""A job in the middle of its work waits no longer than this for a host's turn: no cycle ends before its last job."""
LONGEST_PATIENCE_S = 300.0
"""It waits for as long as this where the host's own delay is so long: else a site that asks for a minute between two
requests could not be walked, nor a redirect on it be followed."""


class HostPacer(Protocol):
    """Who may ask which host when."""

    def delay_of(self, host: str) -> float:
        """The least time between two requests to this host, in seconds; 0: as many at once as one likes."""
        ...

    async def reserve(self, hosts: Sequence[str]) -> Mapping[str, float]:
        """Seconds until each host is free; 0 means the slot is yours: call `done` when the request ended."""
        ...

    def done(self, host: str) -> None:
        """The request ended: from now its delay runs."""
        ...

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        """The host asked for quiet."""
        ...

    async def refresh(self) -> None:
        """Looks at what others learned: pauses and crawl delays. Called once a cycle."""
        ...

    async def close(self) -> None:
        """Gives back what is still held."""
        ...


class Unpaced:
    """Every host is always free: for what never leaves the process."""

    def delay_of(self, host: str) -> float:
        return 0.0

    async def reserve(self, hosts: Sequence[str]) -> Mapping[str, float]:
        return dict.fromkeys(hosts, 0.0)

    def done(self, host: str) -> None:
        return

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        return

    async def refresh(self) -> None:
        return

    async def close(self) -> None:
        return


class SharedPacer:
    """Keeps the slots where others see them too, reached through the functions it is handed."""

    def __init__(
        self,
        *,
        delay_s: float,
        hold_s: float,
        unpaced: frozenset[str],
        reserve: Reserve,
        free: Free,
        pause: Pause,
        load: Callable[[], Awaitable[tuple[Mapping[str, datetime], Mapping[str, float]]]],
        now: Callable[[], datetime],
    ) -> None:
        self._delay_s = delay_s
        self._hold_s = hold_s
        self._unpaced = unpaced
        self._reserve = reserve
        self._free = free
        self._pause = pause
        self._load = load
        self._now = now
        self._pauses: Mapping[str, datetime] = {}
        self._crawl_delays: Mapping[str, float] = {}
        self._taken: dict[str, datetime] = {}
        """Slots that are ours, and since when."""
        self._ended: dict[str, tuple[datetime, datetime]] = {}
        """Slots to give back: since when they are ours, and when the request ended."""
        self._flusher: asyncio.TimerHandle | None = None
        self._flushes: set[asyncio.Task[None]] = set()

    def delay_of(self, host: str) -> float:
        # Nobody asks a host that cannot be, and its name may be no key of the table.
        if host in self._unpaced or is_long_host(host):
            return 0.0
        return max(self._delay_s, self._crawl_delays.get(host, 0.0))

    async def reserve(self, hosts: Sequence[str]) -> Mapping[str, float]:
        waits: dict[str, float] = {}
        shared = []
        for host in hosts:
            pause = self._pauses.get(host)
            paused_s = (pause - self._now()).total_seconds() if pause else 0.0
            if paused_s > 0:
                waits[host] = paused_s
            elif self.delay_of(host):
                shared.append(host)
            else:
                waits[host] = 0.0
        if shared:
            await self._flush()
            now = self._now()
            for host, (slot_s, pause_s) in (await self._reserve(shared, self._hold_s)).items():
                waits[host] = max(self._until_free(host, slot_s), pause_s)
                if not waits[host]:
                    self._taken[host] = now
        return waits

    def _until_free(self, host: str, slot_s: float) -> float:
        """A slot longer than the delay is held by a request under way, which hardly ever takes all of its time."""
        delay_s = self.delay_of(host)
        return slot_s if slot_s <= delay_s else min(slot_s, max(delay_s, ASK_AGAIN_S))

    def done(self, host: str) -> None:
        # A redirect gives the first host's slot back before the job does; someone else may have it by then.
        if (taken_at := self._taken.pop(host, None)) is None:
            return
        self._ended[host] = (taken_at, self._now())
        if self._flusher is None:
            self._flusher = asyncio.get_running_loop().call_later(FLUSH_AFTER_S, self._flush_soon)

    def _flush_soon(self) -> None:
        self._flusher = None
        task = asyncio.create_task(self._flush_or_leave())
        self._flushes.add(task)
        task.add_done_callback(self._flushes.discard)

    async def _flush(self) -> None:
        if self._flusher:
            self._flusher.cancel()
            self._flusher = None
        if not self._ended:
            return
        ended, self._ended = self._ended, {}
        now = self._now()
        delays = {
            host: max(self.delay_of(host) - (now - ended_at).total_seconds(), 0.0)
            for host, (taken_at, ended_at) in ended.items()
            # A slot that was not given back in time went to someone else.
            if (now - taken_at).total_seconds() < self._hold_s
        }
        try:
            if delays:
                await self._free(delays)
        except InfoRadarError:
            self._ended = ended | self._ended
            raise

    async def _flush_or_leave(self) -> None:
        """What cannot be freed now is freed with the next ones; until then the host counts as busy."""
        with suppress(InfoRadarError):
            await self._flush()

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        await self._pause(host, seconds, reason)
        await self.refresh()

    async def refresh(self) -> None:
        self._pauses, self._crawl_delays = await self._load()

    async def close(self) -> None:
        if self._flushes:
            await asyncio.wait(self._flushes)
        await self._flush_or_leave()


StepAside = Callable[[], AbstractContextManager[None]]


@contextmanager
def _stay() -> Iterator[None]:
    yield


step_aside: ContextVar[StepAside] = ContextVar("step_aside", default=_stay)
"""`with step_aside.get()():` lets another job use this one's worker while it waits."""


async def wait_for_turn(
    pacer: HostPacer, host: str, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> float:
    """Waits until the host's slot is ours, without holding a worker; 0 then.

    A turn that is too far away is not waited for: the seconds until it comes, and nothing is ours.
    """
    with step_aside.get()():
        while wait_s := (await pacer.reserve([host]))[host]:
            if wait_s > max(PATIENCE_S, min(pacer.delay_of(host), LONGEST_PATIENCE_S)):
                return wait_s
            await sleep(wait_s)
    return 0.0
