"""Child processes that are kept running: those of `inforadar up`, and of an API in several processes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from inforadar.cli.terminal.output import print_line
from inforadar.texts import counted, ending

FIRST_RESTART_S, MAX_RESTART_S = 1.0, 60.0
"""How long a process that ended is left alone: twice as long each time."""
STEADY_S = 60.0
"""A process that ran for this long begins anew with the shortest wait."""
SUPERVISED = "INFORADAR_SUPERVISED"
"""Set for the child processes; their parent prints the login link itself.

Their standard input is a pipe whose other end only the parent has: it ends when the parent does, however that happens.
"""
_READY_POLL_S = 0.05


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Child:
    """A command of this program, as a process."""

    command: str
    name: str
    """Its name in messages."""
    environment: Mapping[str, str] = field(default_factory=dict)
    files: tuple[int, ...] = ()
    """Open files that it gets, under the same numbers."""
    is_ready: Callable[[], Awaitable[bool]] | None = None
    """Tells whether it has started; None: as soon as it runs."""


class Children:
    """The child processes. One that ends while others run is started again."""

    def __init__(self, stop: asyncio.Event, environment: Mapping[str, str]) -> None:
        self._environment = {**os.environ, **environment, SUPERVISED: "1"}
        self._stop = stop
        self._processes: dict[Child, asyncio.subprocess.Process] = {}
        self.died: Child | None = None
        """The process that did not start."""

    async def start(self, child: Child) -> None:
        """Start a process, unless stopping, and wait until it is ready."""
        if self._stop.is_set() or self.died:
            return
        process = await self._start(child)
        while child.is_ready and not self._stop.is_set():
            if process.returncode is not None:
                self.died = child
                return
            if await child.is_ready():
                return
            await asyncio.sleep(_READY_POLL_S)

    async def _start(self, child: Child) -> asyncio.subprocess.Process:
        # In its own session, so that Ctrl-C reaches it only once, through us. Its input ends when we do.
        process = self._processes[child] = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "inforadar",
            *child.command.split(),
            env={**self._environment, **child.environment},
            stdin=asyncio.subprocess.PIPE,
            pass_fds=child.files,
            start_new_session=True,
        )
        return process

    async def keep_running(self) -> None:
        """Start each process again that ends, until the stop event is set."""
        if self.died:
            return
        keeping = [asyncio.create_task(self._keep(child)) for child in self._processes]
        stopping = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait([stopping, *keeping], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (stopping, *keeping):
                task.cancel()
            await asyncio.gather(stopping, *keeping, return_exceptions=True)

    async def _keep(self, child: Child) -> None:
        wait_s = FIRST_RESTART_S
        while True:
            began = asyncio.get_running_loop().time()
            code = await self._processes[child].wait()
            if asyncio.get_running_loop().time() - began > STEADY_S:
                wait_s = FIRST_RESTART_S
            print_line(
                f"{child.name} ended unexpectedly ({ending(code)}). "
                f"It is started again in {counted(round(wait_s), 'second')}."
            )
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, MAX_RESTART_S)
            await self._start(child)

    async def stop(self, *, within_s: float) -> None:
        """Terminate all processes; kill those that do not end in time."""
        for process in self._processes.values():
            if process.returncode is None:
                process.terminate()
        waits = [asyncio.create_task(process.wait()) for process in self._processes.values()]
        if not waits:
            return
        _, late = await asyncio.wait(waits, timeout=within_s)
        if late:
            for process in self._processes.values():
                if process.returncode is None:
                    process.kill()
            await asyncio.wait(waits)
