"""The real application on the real server, over HTTP on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from inforadar.config import Settings
from inforadar.store.engine import Database
from inforadar.web.serve import serve_api


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def running(database: Database, settings: Settings) -> AsyncIterator[aiohttp.ClientSession]:
    """Serves while the block runs; a client for it."""
    stop, ready = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve_api(database, settings, stop, ready=ready))
    came_up = asyncio.create_task(ready.wait())
    await asyncio.wait({serving, came_up}, return_when=asyncio.FIRST_COMPLETED)
    came_up.cancel()
    base = f"http://127.0.0.1:{settings.web.port}"
    try:
        async with aiohttp.ClientSession(base, auto_decompress=False) as client:
            yield client
    finally:
        stop.set()
        await serving
