"""Fixtures for tests of the faces: the served application, the terminal, the browser."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from inforadar.config import Settings, load_settings
from inforadar.store.database import Database, open_database
from tests.support.faces.browser import chromium, site_settings
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.serving import running
from tests.support.faces.terminal import Terminal, fill, opened
from tests.support.ports import free_port
from tests.support.site.server import Site

__all__ = ["chromium", "site_settings"]

Page = Callable[..., Coroutine[Any, Any, str]]


@pytest.fixture
def web_settings(tmp_path: Path) -> Settings:
    return load_settings(tmp_path, {"INFORADAR_PORT": str(free_port())})


@pytest.fixture
async def newsroom(web_settings: Settings, sqlite_template: Path) -> AsyncIterator[Newsroom]:
    shutil.copy(sqlite_template, web_settings.home / "inforadar.db")
    async with open_database(web_settings.database_url) as database:
        yield Newsroom(database=database)


@pytest.fixture
async def web(newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[aiohttp.ClientSession]:
    async with running(newsroom.database, web_settings) as session:
        yield session


@pytest.fixture
def page(web: aiohttp.ClientSession) -> Page:
    """Load a page that answers 200 and return its text."""

    async def load(path: str, **query: str) -> str:
        async with web.get(path, params=query) as response:
            assert response.status == 200, await response.text()
            return await response.text()

    return load


@pytest.fixture
async def news_site() -> AsyncIterator[Site]:
    """A site to fetch from."""
    async with Site() as running_site:
        yield running_site


@pytest.fixture
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set the reader's time zone to UTC; the terminal shows local times."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose database is filled once; tests copy it."""
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
