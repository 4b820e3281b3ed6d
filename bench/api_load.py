"""Load on a web server over persistent connections: as much as it can take, or a fixed rate of requests.

At a fixed rate, a request's time counts from when it was due, not from when it could be sent: a server that stalls is
charged for the requests it kept waiting.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import cast

_LENGTH = b"\r\ncontent-length: "
_CHUNKED = b"\r\ntransfer-encoding: chunked"
_LAST_CHUNK = b"\r\n0\r\n\r\n"


@dataclass(slots=True)
class Load:
    """The answers and their times."""

    seconds: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    times_s: list[float] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    """At a fixed rate: for each time, the place of its request in the list."""
    errors: int = 0
    """Requests without an answer, at a fixed rate."""

    @property
    def requests(self) -> int:
        return sum(self.statuses.values())

    def percentile_ms(self, share: float) -> float:
        ordered = sorted(self.times_s)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000


def request(path: str, **headers: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


class _Connection(asyncio.Protocol):
    """A connection for one request at a time. It reads just enough of an answer to know where it ends."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None
        self._answer: asyncio.Future[int] | None = None
        self._buffer = bytearray()
        self._end = 0
        self._status = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.WriteTransport", transport)

    def ask(self, data: bytes) -> asyncio.Future[int]:
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(data)
        return self._answer

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        if not self._end:
            head_end = buffer.find(b"\r\n\r\n")
            if head_end < 0:
                return
            head = bytes(buffer[: head_end + 2]).lower()
            self._status = int(head[9:12])
            at = head.find(_LENGTH)
            length = int(head[at + len(_LENGTH) : head.index(b"\r\n", at + 2)]) if at >= 0 else 0
            if _CHUNKED in head:
                # One request at a time: where the last chunk comes, the buffer ends.
                if not buffer.endswith(_LAST_CHUNK):
                    return
                self._end = len(buffer)
            else:
                self._end = head_end + 4 + (0 if self._status == 304 else length)
        if len(buffer) >= self._end:
            del buffer[: self._end]
            self._end = 0
            assert self._answer is not None
            self._answer.set_result(self._status)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("the server hung up"))

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()


async def _connect(port: int, number: int) -> list[_Connection]:
    loop = asyncio.get_running_loop()
    made = [await loop.create_connection(_Connection, "127.0.0.1", port) for _ in range(number)]
    return [connection for _, connection in made]


async def hammer(port: int, asked: Iterator[bytes], *, seconds: float, connections: int = 16) -> Load:
    """Send as many requests as the server answers: each connection sends the next one right after an answer."""
    load = Load()
    opened = await _connect(port, connections)
    started = perf_counter()
    until = started + seconds

    async def ask_again_and_again(connection: _Connection) -> None:
        while (begun := perf_counter()) < until:
            load.statuses[await connection.ask(next(asked))] += 1
            load.times_s.append(perf_counter() - begun)

    await asyncio.gather(*(ask_again_and_again(connection) for connection in opened))
    load.seconds = perf_counter() - started
    for connection in opened:
        connection.close()
    return load


async def send_all(port: int, asked: Sequence[bytes], *, connections: int = 8) -> Load:
    """Send each request once, as fast as the server answers."""
    load, rest = Load(), iter(asked)
    opened = await _connect(port, connections)
    started = perf_counter()

    async def ask_the_rest(connection: _Connection) -> None:
        for data in rest:
            load.statuses[await connection.ask(data)] += 1

    await asyncio.gather(*(ask_the_rest(connection) for connection in opened))
    load.seconds = perf_counter() - started
    for connection in opened:
        connection.close()
    return load


async def pace(
    port: int, asked: list[bytes], *, rate: float, until: asyncio.Event, connections: int = 64
) -> Load:
    """Send `rate` requests per second, in turn from those given, until the event is set."""
    load = Load()
    idle = deque(await _connect(port, connections))
    opened = set(idle)
    waiting: deque[tuple[float, int]] = deque()
    started = perf_counter()
    running: set[asyncio.Task[None]] = set()

    async def work(connection: _Connection) -> None:
        while waiting:
            due, place = waiting.popleft()
            try:
                load.statuses[await connection.ask(asked[place])] += 1
            except OSError:
                load.errors += 1
                opened.discard(connection)
                (connection,) = await _connect(port, 1)
                opened.add(connection)
                continue
            load.times_s.append(perf_counter() - due)
            load.places.append(place)
        idle.append(connection)

    number = 0
    while not until.is_set():
        now = perf_counter()
        while (due := started + number / rate) <= now:
            waiting.append((due, number % len(asked)))
            number += 1
        while idle and len(waiting) > len(running):
            task = asyncio.create_task(work(idle.popleft()))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.sleep(max(started + number / rate - perf_counter(), 0.0))
    await asyncio.gather(*running)
    load.seconds = perf_counter() - started
    for connection in opened:
        connection.close()
    return load
