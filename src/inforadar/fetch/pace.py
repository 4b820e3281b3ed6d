"""Pacing: when a host may be asked again, without blocking a worker while waiting.

Two requests to a host (hostname and port) are at least its delay apart, counted from the end of the first to
the start of the second, so that servers see the full gap however slow the network was. The state is shared
through the functions passed to `SharedPacer`: the table `hosts` for all processes on one database, or Redis
(`pace_redis`) for all machines.

Slots are requested for many hosts at once and released in batches. Hosts without a delay cost no query.
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
"""Take the free slots among these hosts for the given seconds.

Returns for each host the seconds until its slot and its pause end; (0, 0) means the slot was taken.
"""
Free = Callable[[Mapping[str, float]], Awaitable[None]]
"""Free each host after its number of seconds."""
Pause = Callable[[str, float, str], Awaitable[None]]
"""Pause a host for the given seconds, with the reason."""

FLUSH_AFTER_S = 0.25
SLOT_POLL_S = 1.0
"""How often to ask for a slot while another process's request to that host is in progress."""
MAX_TURN_WAIT_S = 30.0
"""Maximum wait for a host's turn in the middle of a job: a cycle cannot end before its last job."""
MAX_LONG_DELAY_WAIT_S = 300.0
"""Maximum wait where the host's own delay is longer than `MAX_TURN_WAIT_S`. Otherwise a site that asks for a minute
between two requests could not be walked, and no redirect on it could be followed."""


class HostPacer(Protocol):
    """Decides when each host may be asked."""

    def delay_of(self, host: str) -> float:
        """Minimum seconds between two requests to this host; 0 means any number at once."""
        ...

    async def reserve(self, hosts: Sequence[str]) -> Mapping[str, float]:
        """Return the seconds until each host is free; 0 means the slot is yours: call `done` after the request."""
        ...

    def done(self, host: str) -> None:
        """Say that the request ended: the host's delay starts now."""
        ...

    async def pause(self, host: str, seconds: float, reason: str) -> None:
        """Stop asking the host for this long, because it asked for that."""
        ...

    async def refresh(self) -> None:
        """Load the pauses and crawl delays that other processes learned. Called once a cycle."""
        ...

    async def close(self) -> None:
        """Release the slots that are still held."""
        ...


class Unpaced:
    """A pacer for fetches that never leave the process: every host is always free."""

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
    """Keeps the slots in a store shared with other processes, through the functions passed in."""

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
        key_of: Callable[[str], str] = str,
    ) -> None:
        """`key_of` maps a host to what shares its slot: itself, or its registrable domain."""
        self._key_of = key_of
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
        """Our slots, and since when we have them."""
        self._holders: dict[str, str] = {}
        """The host that has or had the slot last: its delay counts, as its robots.txt says in the meantime."""
        self._ended: dict[str, tuple[datetime, datetime]] = {}
        """Slots to release: since when we have them, and when the request ended."""
        self._flusher: asyncio.TimerHandle | None = None
        self._flushes: set[asyncio.Task[None]] = set()

    def delay_of(self, host: str) -> float:
        # A host name that is too long cannot exist and is never asked; it may not fit the table's key either.
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
            by_key: dict[str, str] = {}
            for host in shared:
                first = by_key.setdefault(self._key_of(host), host)
                if first != host:
                    # Another host of its domain goes first.
                    waits[host] = self.delay_of(host)
            for key, (slot_s, pause_s) in (await self._reserve(list(by_key), self._hold_s)).items():
                host = by_key[key]
                waits[host] = max(self._retry_in_s(host, slot_s), pause_s)
                if not waits[host]:
                    self._taken[key] = now
                    self._holders[key] = host
        return waits

    def _retry_in_s(self, host: str, slot_s: float) -> float:
        """Seconds until the slot is worth asking for again.

        A slot longer than the delay belongs to a request in progress, which rarely uses all of its time.
        """
        delay_s = self.delay_of(host)
        return slot_s if slot_s <= delay_s else min(slot_s, max(delay_s, SLOT_POLL_S))

    def done(self, host: str) -> None:
        key = self._key_of(host)
        if (taken_at := self._taken.pop(key, None)) is None:
            return
        self._ended[key] = (taken_at, self._now())
        if self._flusher is None:
            self._flusher = asyncio.get_running_loop().call_later(FLUSH_AFTER_S, self._flush_soon)

    def _flush_soon(self) -> None:
        self._flusher = None
        task = asyncio.create_task(self._try_flush())
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
            key: max(self.delay_of(self._holders[key]) - (now - ended_at).total_seconds(), 0.0)
            for key, (taken_at, ended_at) in ended.items()
            # A slot that was not released in time belongs to someone else now.
            if (now - taken_at).total_seconds() < self._hold_s
        }
        try:
            if delays:
                await self._free(delays)
        except InfoRadarError:
            self._ended = ended | self._ended
            raise
        for key in ended.keys() - self._taken.keys() - self._ended.keys():
            self._holders.pop(key, None)

    async def _try_flush(self) -> None:
        """Flush; on a failure the slots are released with the next ones, and until then the hosts count as busy."""
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
        await self._try_flush()


StepAside = Callable[[], AbstractContextManager[None]]
"""Returns a context in which the job does not occupy its worker."""


@contextmanager
def keep_worker() -> Iterator[None]:
    """Occupy the worker: nothing else can use it."""
    yield


step_aside: ContextVar[StepAside] = ContextVar("step_aside", default=keep_worker)
"""`with step_aside.get()():` lets another job use this job's worker while it waits."""


held_turns: ContextVar[set[str] | None] = ContextVar("held_turns", default=None)
"""The hosts whose slot the current job holds. A redirect releases the first host's slot before the job ends, and by
then another job of this process may hold it: only who has a slot may give it back. A turn at a host without a delay
takes no slot: when its robots.txt turns out to ask for a delay, the job needs one."""


def needs_slot(pacer: HostPacer, host: str) -> bool:
    """Whether the current job's turn at a host was given before the host's delay was known."""
    held = held_turns.get()
    return held is not None and host not in held and pacer.delay_of(host) > 0


def give_turn_back(pacer: HostPacer, host: str) -> None:
    """Say that the request ended, unless this job gave its turn back already."""
    held = held_turns.get()
    if held is None or host in held:
        pacer.done(host)
    if held is not None:
        held.discard(host)


async def wait_for_turn(
    pacer: HostPacer, host: str, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> float:
    """Wait until the host's slot is ours, without occupying a worker, and return 0.

    If the turn is too far away, do not wait: return the seconds until it comes. The slot is not ours then.
    """
    with step_aside.get()():
        has_slot = pacer.delay_of(host) > 0
        while wait_s := (await pacer.reserve([host]))[host]:
            if wait_s > max(MAX_TURN_WAIT_S, min(pacer.delay_of(host), MAX_LONG_DELAY_WAIT_S)):
                return wait_s
            await sleep(wait_s)
            has_slot = pacer.delay_of(host) > 0
    held = held_turns.get()
    if held is None:
        held_turns.set({host} if has_slot else set())
    elif has_slot:
        held.add(host)
    return 0.0
