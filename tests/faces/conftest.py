"""The real application on the real server, over HTTP on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from inforadar.config import Settings, load_settings
from inforadar.store.engine import Database, open_database
from inforadar.store.upgrade import upgrade_database
from inforadar.web.serve import serve_api
from tests.faces.newsroom import Newsroom

Page = Callable[..., Coroutine[Any, Any, str]]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def web_settings(tmp_path: Path) -> Settings:
    return load_settings(tmp_path, {"INFORADAR_PORT": str(free_port())})


@pytest.fixture
async def newsroom(web_settings: Settings) -> AsyncIterator[Newsroom]:
    async with open_database(web_settings.database_url) as database:
        await upgrade_database(database)
        yield Newsroom(database=database)


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


@pytest.fixture
async def web(newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[aiohttp.ClientSession]:
    async with running(newsroom.database, web_settings) as session:
        yield session


@pytest.fixture
def page(web: aiohttp.ClientSession) -> Page:
    """The text of a page that answers 200."""

    async def load(path: str, **query: str) -> str:
        async with web.get(path, params=query) as response:
            assert response.status == 200, await response.text()
            return await response.text()

    return load
