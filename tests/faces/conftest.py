"""The real application on the real server, over HTTP on loopback."""

from __future__ import annotations

import asyncio
import shutil
import socket
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
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
from tests.faces.terminal import Terminal, fill, opened

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


@pytest.fixture
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The reader's zone, for what a terminal shows."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose database was filled once; tests take copies."""
    home = tmp_path_factory.mktemp("filled")
    asyncio.run(fill(load_settings(home, {})))
    return home


@pytest.fixture
async def filled(filled_home: Path, web_settings: Settings, in_utc: None) -> AsyncIterator[Database]:
    shutil.copytree(filled_home, web_settings.home, dirs_exist_ok=True)
    async with open_database(web_settings.database_url) as database:
        yield database


@pytest.fixture
async def terminal(filled: Database, web_settings: Settings) -> AsyncIterator[Terminal]:
    """The terminal app with the filled database, 80 by 24."""
    async with opened(web_settings, filled) as running:
        yield running
