"""The real application on the real server, over HTTP on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp

from inforadar.app.worker import open_worker
from inforadar.config import Settings
from inforadar.pipeline.worker import Stage
from inforadar.store.database import Database, open_database
from inforadar.web.serve import serve_api


@asynccontextmanager
async def running(database: Database, settings: Settings) -> AsyncIterator[aiohttp.ClientSession]:
    """Serve while the block runs; yield a client, which asks for plain bytes unless a test says otherwise."""
    stop, ready = asyncio.Event(), asyncio.Event()
    serving = asyncio.create_task(serve_api(database, settings, stop, ready=ready))
    came_up = asyncio.create_task(ready.wait())
    await asyncio.wait({serving, came_up}, return_when=asyncio.FIRST_COMPLETED)
    came_up.cancel()
    base = f"http://127.0.0.1:{settings.web.port}"
    try:
        plain = {"Accept-Encoding": "identity"}
        async with aiohttp.ClientSession(base, auto_decompress=False, headers=plain) as client:
            yield client
    finally:
        stop.set()
        await serving


@asynccontextmanager
async def worker_apart(settings: Settings) -> AsyncIterator[None]:
    """Open the same file as another process would: with a separate `Database`, and nothing shared."""
    async with (
        open_database(settings.database_url) as database,
        open_worker(settings, database, stages=frozenset({Stage.COLLECT})) as worker,
    ):
        stop = asyncio.Event()
        working = asyncio.create_task(worker.run(stop))
        try:
            yield
        finally:
            stop.set()
            await working
