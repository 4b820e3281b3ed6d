"""Real workers as child processes, and what they do as it can be seen from outside: requests and lines."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.chaos.forked import ForkedProcess, end_with_parent, fork_worker, limit_memory
from tests.support.site import Site

PROGRAM = ("-m", "inforadar")
UNFENCED = ("-m", "tests.chaos.unfenced")
MOVED_CLOCK = ("-m", "tests.chaos.moved_clock")
PATIENCE_S = 180.0
"""Only a bug makes anyone wait so long: on a machine with many more programs than cores, a start takes a minute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """How workers are started."""

    home: Path
    database_url: str
    site: Site
    program: tuple[str, ...] = PROGRAM
    forked: bool = False
    """From a process that has imported the program, instead of from nothing."""
    extra: Mapping[str, str] = field(default_factory=dict)
    stages: str = "collect"

    def environment(self, name: str, **more: str) -> dict[str, str]:
        """Everything is due at once, no host has to wait; `name` is what the site sees as User-Agent."""
        inherited = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("INFORADAR_", "FETCHER_", "DATABASE_", "REDIS_", "NOTIFY_", "CANONICAL_"))
        }
        return {
            **inherited,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "INFORADAR_HOME": str(self.home),
            "INFORADAR_LOG_FORMAT": "json",
            "DATABASE_URL": self.database_url,
            "FETCHER_ALLOWED_NETWORKS": ",".join(self.site.endpoints),
            "FETCHER_DOMAIN_DELAY": "0",
            "FETCHER_SUCCESS_INTERVAL": "0",
            "FETCHER_INTERVAL": "0.05",
            "FETCHER_USER_AGENT": name,
            **self.extra,
            **more,
        }


class WorkerProcess:
    """One `inforadar worker`. What happens is counted: each of its lines and, told by `happened`, its requests."""

    def __init__(self, name: str, process: asyncio.subprocess.Process | ForkedProcess) -> None:
        self.name = name
        self.process = process
        self.events: list[dict[str, Any]] = []
        """What it logged."""
        self.output: list[str] = []
        """What it printed otherwise."""
        self.happenings = 0
        self.requests = 0
        self.has_ended = False
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        async for line in self.process.stdout:
            try:
                self.events.append(json.loads(line))
            except ValueError:
                self.output.append(line.decode())
            self.happened()
        self.has_ended = True
        self.happened()

    def happened(self) -> None:
        """It made a request, or a line of it came in."""
        self.happenings += 1
        for is_so, reached in self._waiting:
            if not reached.done() and is_so():
                reached.set_result(None)

    async def _until(self, is_so: Callable[[], bool]) -> None:
        if not is_so():
            reached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((is_so, reached))
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await reached
            except TimeoutError:
                raise TimeoutError(f"{self.name} did not get there:\n{self.report()}") from None

    async def after(self, happenings: int) -> None:
        """Until so many more things happened, or it ended."""
        wanted = self.happenings + happenings
        await self._until(lambda: self.happenings >= wanted or self.has_ended)

    def logged(self, event: str) -> list[dict[str, Any]]:
        return [one for one in self.events if one["event"] == event]

    async def said(self, event: str, times: int = 1) -> dict[str, Any]:
        """Until it logged this event so often; the last one."""
        await self._until(lambda: len(self.logged(event)) >= times or self.has_ended)
        found = self.logged(event)
        assert len(found) >= times, f"{self.name} ended without {event}:\n{self.report()}"
        return found[times - 1]

    def report(self) -> str:
        return "\n".join([*self.output, *map(str, self.events[-20:])])

    def cpu_s(self) -> float:
        """What it has used so far."""
        try:
            times = psutil.Process(self.process.pid).cpu_times()
        except psutil.NoSuchProcess:
            return 0.0
        return times.user + times.system

    def signal(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            self.process.send_signal(number)

    async def ended(self) -> int:
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.shield(self._reader)
            return await self.process.wait()

    async def kill(self) -> None:
        self.signal(signal.SIGKILL)
        await self.ended()


async def start_worker(setup: Setup, name: str, *arguments: str, **environment: str) -> WorkerProcess:
    stages = ("--stages", setup.stages)
    given = setup.environment(name, **environment)
    if setup.forked:
        forked = await fork_worker([*stages, *arguments], given, fenced=setup.program is not UNFENCED)
        return WorkerProcess(name, forked)

    def prepare() -> None:
        end_with_parent()
        limit_memory(given)

    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *setup.program,
        "worker",
        *stages,
        *arguments,
        env=given,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=prepare,
    )
    return WorkerProcess(name, process)


@asynccontextmanager
async def worker(
    setup: Setup, name: str, *arguments: str, **environment: str
) -> AsyncIterator[WorkerProcess]:
    """A worker that is gone when the block ends, whatever state it was in."""
    started = await start_worker(setup, name, *arguments, **environment)
    try:
        yield started
    finally:
        await started.kill()


async def work_once(
    setup: Setup, name: str = "once", *, may_fail: bool = False, **environment: str
) -> WorkerProcess:
    """One cycle, to its end; it may fail where some of the feeds do."""
    async with worker(setup, name, "--once", **environment) as once:
        code = await once.ended()
    assert code in ({0, 1} if may_fail else {0}), once.report()
    return once
