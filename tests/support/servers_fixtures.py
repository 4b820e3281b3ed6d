"""Fixtures for the databases and Redis.

    backend               "sqlite", then "postgresql": a test that uses it, directly or not, runs on both
    database              an open `Database` for this test alone, migrated and empty
    database_url          the same, for tests that start processes or open it themselves
    empty_database_url    a database without any migration
    redis_url             an empty Redis database for this test alone

A server that cannot start fails the test: nothing is skipped.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest
import redis

from inforadar.store.database import Database, open_database
from inforadar.store.upkeep.upgrade import upgrade_database
from tests.support.servers import REDIS_DATABASES, fresh_postgres, shared_server


@pytest.fixture(scope="session")
def session_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder shared by all workers of this session."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


@pytest.fixture(scope="session")
def postgres_server(session_folder: Path) -> Iterator[dict[str, str]]:
    with shared_server("postgres", session_folder) as server:
        yield server


@pytest.fixture(scope="session")
def redis_server(session_folder: Path) -> Iterator[str]:
    with shared_server("redis", session_folder) as server:
        yield server["url"]


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated database to copy. Not an async fixture: pytest-asyncio ends its session's loop after each test."""
    path = tmp_path_factory.mktemp("sqlite") / "template.db"

    async def migrate() -> None:
        async with open_database(f"sqlite:///{path}") as database:
            await upgrade_database(database)

    asyncio.run(migrate())
    return path


class SqliteBackend:
    def __init__(self, template: Path, folder: Path) -> None:
        self._template = template
        self._folder = folder

    @asynccontextmanager
    async def fresh(self, *, migrated: bool = True) -> AsyncIterator[str]:
        path = self._folder / f"inforadar-{uuid4().hex}.db"
        if migrated:
            shutil.copy(self._template, path)
        yield f"sqlite:///{path}"


class PostgresBackend:
    def __init__(self, server: dict[str, str]) -> None:
        self._server = server

    def fresh(self, *, migrated: bool = True) -> AbstractAsyncContextManager[str]:
        return fresh_postgres(self._server, migrated=migrated)


Backend = SqliteBackend | PostgresBackend


@pytest.fixture(params=["sqlite", "postgresql"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    if request.param == "postgresql":
        return PostgresBackend(request.getfixturevalue("postgres_server"))
    return SqliteBackend(request.getfixturevalue("sqlite_template"), tmp_path)


@pytest.fixture
async def database_url(backend: Backend) -> AsyncIterator[str]:
    async with backend.fresh() as url:
        yield url


@pytest.fixture
async def empty_database_url(backend: Backend) -> AsyncIterator[str]:
    async with backend.fresh(migrated=False) as url:
        yield url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    async with open_database(database_url) as opened:
        yield opened


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """Each worker has its own database, emptied before each test."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    url = f"{redis_server.rstrip('/')}/{worker % REDIS_DATABASES}"
    with redis.Redis.from_url(url) as client:
        client.flushdb()
    return url
