"""Clients that take up a server's time without using it, by kind. For tests and for `bench slow_clients`."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from urllib.parse import quote

from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.published.cached_feeds import CachedFeed
from inforadar.store.published.save_builds import save_cached_feeds

_LARGE_FEED = "https://large.example/feed"
MORE_THAN_FITS_BYTES = 8 * 2**20
"""More than a connection holds on its way, so that it stays until somebody reads or gives up."""
_HEAD = "Host: 127.0.0.1\r\n"

KINDS: Mapping[str, bytes] = {
    "silent": b"",
    "half a header": f"GET / HTTP/1.1\r\n{_HEAD}Accept: te".encode(),
    "half a body": (
        f"POST /login HTTP/1.1\r\n{_HEAD}Content-Type: application/x-www-form-urlencoded\r\n"
        "Content-Length: 1000\r\n\r\nname=ad"
    ).encode(),
    "idle": f"GET /health/live HTTP/1.1\r\n{_HEAD}\r\n".encode(),
    "not reading": f"GET /rss?url={quote(_LARGE_FEED, safe='')} HTTP/1.1\r\n{_HEAD}\r\n".encode(),
    "event stream": f"GET /api/events HTTP/1.1\r\n{_HEAD}Accept: text/event-stream\r\n\r\n".encode(),
}
"""What each kind of client sends before it falls silent."""


async def add_large_feed(database: Database, size: int) -> None:
    """Add the feed whose document the clients ask for that do not read it."""
    feed, _ = await database.write(insert_feed, _LARGE_FEED, enabled=True)
    document = CachedFeed(xml_header="", xml_content="x" * size, item_refs=(), updated_at=datetime.now(UTC))
    await database.write(save_cached_feeds, {feed.id: document})


def addresses(number: int) -> Sequence[str]:
    """Addresses of this machine to connect from. Linux answers to all of 127.0.0.0/8."""
    return [f"127.0.{n // 250 + 1}.{n % 250 + 1}" for n in range(number)]


@asynccontextmanager
async def slow_clients(
    kind: str, number: int, port: int, sources: Sequence[str] = ("127.0.0.1",)
) -> AsyncIterator[list[socket.socket]]:
    """Connect `number` clients of a kind, in turn from the given addresses."""
    opened: list[socket.socket] = []
    try:
        for n in range(number):
            client = await _connected(kind, port, sources[n % len(sources)])
            opened.append(client)
        yield opened
    finally:
        for client in opened:
            client.close()


async def _connected(kind: str, port: int, source: str) -> socket.socket:
    loop = asyncio.get_running_loop()
    client = socket.socket()
    client.setblocking(False)
    # As little as the system allows, so that answers soon find no room.
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client.bind((source, 0))
    await loop.sock_connect(client, ("127.0.0.1", port))
    if KINDS[kind]:
        await loop.sock_sendall(client, KINDS[kind])
    return client
