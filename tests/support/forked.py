"""Children that start at once: forked from a small process that has already imported what they need.

Starting Python and importing costs a child most of its time. A fork server, one per process of the tests and list of
modules, imports them once; each child is a fork of it, with its own environment, streams and limits.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import importlib
import os
import pickle
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.paths import SOURCE

_HEADER = struct.Struct("!I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """What a forked child shall do: call `function`, given as "module:name"."""

    function: str
    arguments: tuple[Any, ...] = ()
    environment: Mapping[str, str] | None = None
    limits: Mapping[int, int] | None = None
    """Limits of its resources by their numbers, as `RLIMIT_CPU`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a child ended: its exit code, negative if a signal ended it, and what its function returned."""

    code: int
    result: Any = None


class ForkServer:
    """A process that has imported `modules` and forks children on demand."""

    def __init__(self, modules: Sequence[str]) -> None:
        own, its = socket.socketpair()
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-c", f"import {__name__} as own; own.serve()", str(its.fileno()), *modules],
                pass_fds=[its.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), *filter(None, sys.path)])},
            )
        self._socket = own
        atexit.register(self.close)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()

    def start(self, child: Child, streams: Sequence[int] = ()) -> socket.socket:
        """Start a child with `streams` as its first file descriptors; the socket returned tells how it ends."""
        own, its = socket.socketpair()
        with its:
            socket.send_fds(self._socket, [b"+"], [its.fileno(), *streams])
        _send(own, child)
        return own

    def call(self, child: Child) -> Ended:
        """Run a child to its end; what it prints goes where the tests print."""
        with self.start(child) as connection:
            return _unpacked(_receive(connection))

    async def run(self, child: Child, stdin: bytes | None) -> tuple[int, bytes, bytes]:
        """Run a child as a command: return its exit code and what it wrote to its two streams."""
        pipes = [os.pipe() for _ in range(3)]
        (child_in, own_in), (own_out, child_out), (own_err, child_err) = pipes
        try:
            connection = self.start(child, [child_in, child_out, child_err])
        finally:
            for number in (child_in, child_out, child_err):
                os.close(number)
        ended, writer = await asyncio.open_connection(sock=connection)
        _, out, err, how = await asyncio.gather(
            _write_all(own_in, stdin or b""), _read_all(own_out), _read_all(own_err), ended.read()
        )
        writer.close()
        await writer.wait_closed()
        return _unpacked(how).code, out, err


@functools.cache
def fork_server(*modules: str) -> ForkServer:
    """Return this process's server with `modules`."""
    return ForkServer(modules)


def _send(connection: socket.socket, what: object) -> None:
    data = pickle.dumps(what)
    connection.sendall(_HEADER.pack(len(data)) + data)


def _receive(connection: socket.socket) -> bytes:
    with connection.makefile("rb") as stream:
        head = stream.read(_HEADER.size)
        return head + stream.read(*_HEADER.unpack(head)) if head else b""


def _unpacked(message: bytes) -> Ended:
    ended = pickle.loads(message[_HEADER.size :])
    assert isinstance(ended, Ended)
    return ended


async def _write_all(number: int, data: bytes) -> None:
    pipe = os.fdopen(number, "wb")
    transport, _ = await asyncio.get_running_loop().connect_write_pipe(asyncio.BaseProtocol, pipe)
    transport.write(data)
    transport.close()


async def _read_all(number: int) -> bytes:
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(number, "rb")
    )
    try:
        return await reader.read()
    finally:
        transport.close()


def serve() -> None:
    """Run in the server: fork a keeper for each child, until the tests have closed the socket."""
    connection, modules = socket.socket(fileno=int(sys.argv[1])), sys.argv[2:]
    for module in modules:
        importlib.import_module(module)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a keyboard interrupt is for the tests only
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the keepers
    while True:
        received, handed, _, _ = socket.recv_fds(connection, 1, 4)
        if not received:
            return
        if os.fork() == 0:
            connection.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _keep(socket.socket(fileno=handed[0]), handed[1:])
        for number in handed:
            os.close(number)


def _keep(connection: socket.socket, streams: Sequence[int]) -> None:
    """Fork the child, wait for it and tell how it ended."""
    child: Child = pickle.loads(_receive(connection)[_HEADER.size :])
    result, from_child = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(result)
        connection.close()
        _become(child, streams, from_child)
    for number in (*streams, from_child):
        os.close(number)
    with os.fdopen(result, "rb") as stream:
        returned = stream.read()
    _, status = os.waitpid(pid, 0)
    value = pickle.loads(returned) if returned else None
    _send(connection, Ended(code=os.waitstatus_to_exitcode(status), result=value))
    os._exit(0)


def _become(child: Child, streams: Sequence[int], result: int) -> None:
    """Be the child: exit as a program of its own would, by its function's result, `SystemExit` or an error."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    random.seed()
    for wanted, number in enumerate(streams):
        os.dup2(number, wanted)
        os.close(number)
    if streams:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    if child.environment is not None:
        os.environ.clear()
        os.environ.update(child.environment)
    for limit, value in (child.limits or {}).items():
        resource.setrlimit(limit, (value, value))
    code = 1
    try:
        module, _, name = child.function.partition(":")
        returned = getattr(importlib.import_module(module), name)(*child.arguments)
        os.write(result, pickle.dumps(returned))
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                code = code or 1
        os._exit(code)
