"""Nothing of `inforadar up` is left over when it ends, however it ends."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.cli.program import Program, read_until

PATIENCE_S = 180.0


@pytest.fixture(autouse=True)
def hang_up() -> Iterator[None]:
    """A hang-up counts, also if the tests themselves run under `nohup`, which their processes would inherit."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def children_of(process: int) -> list[int]:
    return [int(text) for text in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@contextmanager
def watched(process: int) -> Iterator[int]:
    """A descriptor that is readable once the process has ended; a process that is left over is killed."""
    ended = os.pidfd_open(process)
    try:
        yield ended
    finally:
        if not select.select([ended], [], [], 0)[0]:
            signal.pidfd_send_signal(ended, signal.SIGKILL)
        os.close(ended)


def wait_for(ends: list[int]) -> None:
    until = time.monotonic() + PATIENCE_S
    for ended in ends:
        assert select.select([ended], [], [], max(0.0, until - time.monotonic()))[0], "it goes on for nobody"


def read_screen(screen: int, wanted: bytes) -> None:
    seen = b""
    until = time.monotonic() + PATIENCE_S
    while wanted not in seen:
        assert time.monotonic() < until, seen
        if select.select([screen], [], [], 1.0)[0]:
            seen += os.read(screen, 65536)


def test_closing_the_terminal_ends_everything(program: Program) -> None:
    up, screen = pty.fork()
    if up == 0:
        os.execve(sys.executable, [sys.executable, "-m", "inforadar", "up"], program.environment)
    with ExitStack() as stack:
        own = stack.enter_context(watched(up))
        read_screen(screen, b"Press Ctrl-C to stop")
        children = children_of(up)
        assert len(children) >= 3
        ends = [stack.enter_context(watched(child)) for child in children]
        os.close(screen)
        wait_for([own, *ends])
        os.waitpid(up, 0)
    for port in (program.port, program.sample_port):
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind(("127.0.0.1", port))


async def test_killing_it_ends_its_children(program: Program) -> None:
    async with program.started("up", "--no-sample") as up:
        await read_until(up, "Press Ctrl-C to stop")
        children = children_of(up.pid)
        assert len(children) == 2
        with ExitStack() as stack:
            ends = [stack.enter_context(watched(child)) for child in children]
            up.kill()
            await asyncio.to_thread(wait_for, ends)


@pytest.mark.parametrize("command", ["api", "worker"])
async def test_a_process_of_its_own_stops_properly_with_its_terminal(program: Program, command: str) -> None:
    assert (await program.run("db", "upgrade")).code == 0
    async with program.started("--log-level", "info", command) as process:
        await read_until(process, f"{command}.started")
        process.send_signal(signal.SIGHUP)
        async with asyncio.timeout(PATIENCE_S):
            assert await process.wait() == 0


def test_nohup_is_respected(program: Program) -> None:
    command = ["nohup", sys.executable, "-m", "inforadar", "up", "--no-sample"]
    with (
        subprocess.Popen(
            command,
            env=program.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as up,
        ExitStack() as stack,
    ):
        stack.callback(up.kill)  # or else a failure would wait for it
        assert up.stdout is not None
        for line in up.stdout:
            if b"Press Ctrl-C to stop" in line:
                break
        for process in (up.pid, *children_of(up.pid)):
            status = Path(f"/proc/{process}/status").read_text()
            ignored = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
            assert int(ignored, 16) & 1 << (signal.SIGHUP - 1)
        up.terminate()
        assert up.wait(PATIENCE_S) == 0
