"""A site whose every feed is hostile; `bench.load` starts it, and so can you: python -m bench.load_hostile PORT

The kind of a feed is the first part of its path. It listens on all of loopback, so each feed can have its own host.
"""

from __future__ import annotations

import asyncio
import gzip
import random
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache

import uvloop

_OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/rss+xml\r\nConnection: close\r\n"
_HEAD = b"<rss version='2.0'><channel><title>Hostile</title>"
_PART = b"<item><title>again and again</title></item>" * 1000


@cache
def _bomb() -> bytes:
    return gzip.compress(bytes(50_000_000))


async def _silent(writer: asyncio.StreamWriter, path: str) -> None:
    await asyncio.sleep(3600)


async def _slow(writer: asyncio.StreamWriter, path: str) -> None:
    writer.write(_OK + b"Content-Length: 1000000\r\n\r\n" + _HEAD)
    while not writer.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(1)


async def _huge(writer: asyncio.StreamWriter, path: str) -> None:
    writer.write(_OK + b"\r\n" + _HEAD)
    while not writer.is_closing():
        writer.write(_PART)
        await writer.drain()


async def _packed(writer: asyncio.StreamWriter, path: str) -> None:
    writer.write(_OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(_bomb()) + _bomb())
    await writer.drain()


async def _broken(writer: asyncio.StreamWriter, path: str) -> None:
    writer.write(_OK + b"Content-Length: 90000\r\n\r\n" + _HEAD + b"<item><title>cut o")
    await writer.drain()


async def _hopping(writer: asyncio.StreamWriter, path: str) -> None:
    location = f"{path}x".encode()
    writer.write(
        b"HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: " + location + b"\r\n\r\n"
    )
    await writer.drain()


async def _garbage(writer: asyncio.StreamWriter, path: str) -> None:
    body = random.Random(path).randbytes(200_000)
    writer.write(_OK + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()


async def _nested(writer: asyncio.StreamWriter, path: str) -> None:
    body = _HEAD + b"<item><description>" + b"<a>" * 500_000
    writer.write(_OK + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    await writer.drain()


KINDS: dict[str, Callable[[asyncio.StreamWriter, str], Awaitable[None]]] = {
    "silent": _silent,
    "slow": _slow,
    "huge": _huge,
    "packed": _packed,
    "broken": _broken,
    "hopping": _hopping,
    "garbage": _garbage,
    "nested": _nested,
}


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        path = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode("latin-1")
        await KINDS.get(path.split("/")[1], _garbage)(writer, path)
    writer.close()


async def _main(port: int) -> None:
    async with await asyncio.start_server(_serve, "0.0.0.0", port, backlog=1024) as server:
        await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(_main(int(sys.argv[1])))
