"""Workers without the start of Python: forked from a process that has imported the program already.

A thousand kills are a thousand starts, and most of a start is importing. What runs is the same command, in a
process of its own, with its own environment and its lines on a pipe.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import signal
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from unittest import mock

from inforadar import cli
from inforadar.store import writer

MEMORY = "CHAOS_MEMORY_MB"
_PR_SET_PDEATHSIG = 1
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(["inforadar.cli.system.worker", "tests.chaos.warm", __name__])


def end_with_parent() -> None:
    """A test that is killed leaves no worker behind that would go on for ever; the kernel sees to it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def limit_memory(environment: Mapping[str, str]) -> None:
    """A worker with a limit fails at a bomb where one without would take the machine along."""
    if megabytes := environment.get(MEMORY):
        resource.setrlimit(resource.RLIMIT_AS, (int(megabytes) * 2**20,) * 2)


class ForkedProcess:
    """As much of `asyncio.subprocess.Process` as is needed."""

    def __init__(self, process: ForkServerProcess, stdout: asyncio.StreamReader) -> None:
        self._process = process
        self.stdout = stdout

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def wait(self) -> int:
        await asyncio.to_thread(self._process.join)
        assert self._process.exitcode is not None
        return self._process.exitcode


async def fork_worker(
    arguments: Sequence[str], environment: Mapping[str, str], *, fenced: bool = True
) -> ForkedProcess:
    """`inforadar worker` with these arguments, as a child of the fork server."""
    reading, writing = _CONTEXT.Pipe(duplex=False)
    process = _CONTEXT.Process(target=_work, args=(list(arguments), dict(environment), writing, fenced))
    await asyncio.to_thread(process.start)
    writing.close()
    stdout = asyncio.StreamReader(limit=2**20)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stdout), os.fdopen(os.dup(reading.fileno()), "rb")
    )
    reading.close()
    return ForkedProcess(process, stdout)


def _work(arguments: list[str], environment: dict[str, str], output: Connection, fenced: bool) -> None:
    end_with_parent()
    limit_memory(environment)
    os.setsid()
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    output.close()
    os.environ.clear()
    os.environ.update(environment)
    if not fenced:
        mock.patch.object(writer, "_lock_held_leases", lambda _connection, jobs: list(jobs)).start()
    sys.exit(cli.run(["worker", *arguments]))
