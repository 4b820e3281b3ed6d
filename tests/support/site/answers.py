"""The site's answers: proper ones, and every way to break one on the wire."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import brotli  # type: ignore[import-untyped]
from backports import zstd


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRequest:
    """One request as received."""

    at: float
    """By the monotonic clock."""
    method: str
    target: str
    headers: Mapping[str, str]
    """Lower-case names; values as latin-1, so that every byte is visible."""
    address: str
    """The local address that received it."""

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def host(self) -> str:
        """The requested host, without the port."""
        return self.headers.get("host", "").rpartition(":")[0].strip("[]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A complete answer. Content-Length is set unless the headers already say how the body ends."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Exchange:
    """A request and the connection for its answer."""

    request: SiteRequest
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        if self.writer.is_closing():
            # Each event loop raises a different error for this.
            raise ConnectionResetError
        self.writer.write(data)
        await self.writer.drain()

    async def until_hung_up(self) -> None:
        """Wait for the client to close its side."""
        while await self.reader.read(65536):
            pass

    def reset(self) -> None:
        raw: socket.socket = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer sent by hand; the connection is closed after it."""

    run: Callable[[Exchange], Awaitable[None]]


Step = Answer | Fault
Script = Step | Callable[[SiteRequest], Step]


def html(text: str, *, status: int = 200, **headers: str) -> Answer:
    return Answer(
        status=status,
        body=text.encode(),
        headers={"Content-Type": "text/html; charset=utf-8"} | _named(headers),
    )


def status(code: int, body: bytes = b"", **headers: str) -> Answer:
    """`status(429, retry_after="120")`"""
    return Answer(status=code, body=body, headers=_named(headers))


def redirect(to: str, code: int = 301) -> Answer:
    return Answer(status=code, headers={"Location": to})


def encoded(body: bytes, *encodings: str, cut: int = 0) -> Answer:
    """Compress a body with these encodings in order; cut `cut` bytes off its end."""
    for encoding in encodings:
        body = COMPRESSORS[encoding](body)
    if cut:
        body = body[:-cut]
    return Answer(body=body, headers={"Content-Encoding": ", ".join(encodings)})


def raw_deflate(body: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(body) + compressor.flush()


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": partial(brotli.compress, quality=5),  # the default takes 25 times as long for a bomb
    "zstd": zstd.compress,
    "identity": bytes,
}


def sends(data: bytes) -> Fault:
    """Send exactly these bytes, then close."""

    async def run(exchange: Exchange) -> None:
        await exchange.send(data)

    return Fault(run)


def resets(after: bytes = b"") -> Fault:
    """Reset the connection after some bytes."""

    async def run(exchange: Exchange) -> None:
        await exchange.send(after)
        exchange.reset()

    return Fault(run)


def half_closes(after: bytes = b"") -> Fault:
    """Signal the end of the data but keep the connection open."""

    async def run(exchange: Exchange) -> None:
        await exchange.send(after)
        exchange.writer.write_eof()
        await exchange.until_hung_up()

    return Fault(run)


def hangs(after: bytes = b"") -> Fault:
    """Send these bytes, then nothing more."""

    async def run(exchange: Exchange) -> None:
        await exchange.send(after)
        await exchange.until_hung_up()

    return Fault(run)


def drips(head: bytes, drop: bytes, every_s: float = 0.01) -> Fault:
    """Send `head`, then a `drop` now and then until the client gives up."""

    async def run(exchange: Exchange) -> None:
        await exchange.send(head)
        while True:
            await exchange.send(drop)
            await asyncio.sleep(every_s)

    return Fault(run)


def endless(head: bytes = b"HTTP/1.1 200 OK\r\n\r\n", piece: bytes = b"x" * 65536) -> Fault:
    """Send an endless body as fast as the client reads."""

    async def run(exchange: Exchange) -> None:
        await exchange.send(head)
        while True:
            await exchange.send(piece)
            # A transport that accepts everything would never let another task run.
            await asyncio.sleep(0)

    return Fault(run)


def wrong_length(body: bytes, announced: int) -> Fault:
    return sends(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (announced, body))


def chunks(*raw: bytes) -> Fault:
    """Send a chunked body of these raw pieces, well formed or not."""
    return sends(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"".join(raw))


def bomb(size: int, encoding: str = "gzip") -> Answer:
    """Send a few bytes that decompress to `size`."""
    return encoded(bytes(size), encoding)


def _named(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.replace("_", "-").title(): value for name, value in headers.items()}
