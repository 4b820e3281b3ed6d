"""The way to the database: `Database.read(fn, …)` and `Database.write(fn, …)`.

Each question to the store is one plain function that takes a SQLAlchemy `Connection`. A `Database` runs it:

    SQLite       in a thread: one thread writes, on one connection, a few read (WAL lets them)
    PostgreSQL   on the event loop, through asyncpg (`AsyncConnection.run_sync`)

So there is one text of each question and no pair of sync and async versions, and the measured way to write
SQLite (one thread, sync driver) costs no second store. `write` is one transaction: all or nothing.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from inforadar.errors import ConfigError, StoreError

P = ParamSpec("P")
T = TypeVar("T")
Question = Callable[Concatenate[Connection, P], T]

MIN_SQLITE = (3, 39, 0)
READERS = 4

_json: dict[str, Any] = {
    "json_serializer": lambda value: msgspec.json.encode(value).decode(),
    "json_deserializer": msgspec.json.decode,
}


class Database:
    """A database that was opened. `async with open_database(url) as db: await db.read(load_feeds)`."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.path = Path(url.database) if self.is_sqlite and url.database else None
        self._engine: _SqliteRunner | _PostgresRunner = (
            _SqliteRunner(url) if self.is_sqlite else _PostgresRunner(url)
        )

    @property
    def name(self) -> str:
        """For people: where the data is, without the password."""
        if self.path:
            return str(self.path)
        return self.url.set(drivername="postgresql").render_as_string(hide_password=True)

    async def read(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a question that changes nothing."""
        with _faults_as_sentences(self):
            return await self._engine.read(lambda connection: question(connection, *args, **kwargs))

    async def write(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs it as one transaction: committed whole, or not at all."""
        with _faults_as_sentences(self):
            return await self._engine.write(lambda connection: question(connection, *args, **kwargs))

    async def close(self) -> None:
        await self._engine.close()


@asynccontextmanager
async def open_database(url: str, password: str | None = None) -> AsyncIterator[Database]:
    database = Database(parse_database_url(url, password))
    try:
        yield database
    finally:
        await database.close()


def parse_database_url(url: str, password: str | None = None) -> URL:
    """`sqlite:///…` or `postgresql://…`; the password may be kept apart."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise ConfigError(
            "DATABASE_URL cannot be read. It should look like sqlite:////var/lib/inforadar/inforadar.db "
            "or postgresql://user@host/inforadar."
        ) from None
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise ConfigError(
                "DATABASE_URL: SQLite needs a file, because several processes share the database."
            )
        return parsed.set(drivername="sqlite+pysqlite")
    if backend in {"postgresql", "postgres"}:
        parsed = parsed.set(drivername="postgresql+asyncpg")
        return parsed.set(password=password) if password else parsed
    raise ConfigError(f"DATABASE_URL: {backend} is not supported; use sqlite or postgresql.")


class _SqliteRunner:
    """One writing thread with its own connection, a few reading ones, each with its own."""

    def __init__(self, url: URL) -> None:
        if sqlite3.sqlite_version_info < MIN_SQLITE:
            needed = ".".join(map(str, MIN_SQLITE))
            raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old; {needed} or newer is needed.")
        self._writing = _sqlite_engine(url, "BEGIN IMMEDIATE")
        self._reading = _sqlite_engine(url, "BEGIN")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="sqlite-write")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="sqlite-read")
        self._open = threading.local()
        self._connections: list[Connection] = []

    def _connection(self, engine: Engine) -> Connection:
        connection: Connection | None = getattr(self._open, "connection", None)
        if connection is None or connection.closed or connection.invalidated:
            connection = self._open.connection = engine.connect()
            self._connections.append(connection)
        return connection

    def _run(self, engine: Engine, question: Callable[[Connection], T]) -> T:
        connection = self._connection(engine)
        with connection.begin():
            return question(connection)

    async def read(self, question: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._run, self._reading, question)

    async def write(self, question: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        # A caller that is cancelled leaves; its transaction is finished all the same, never left half-done.
        return await loop.run_in_executor(self._writer, self._run, self._writing, question)

    async def close(self) -> None:
        def shut() -> None:
            self._writer.shutdown(wait=True)
            self._readers.shutdown(wait=True)
            for connection in self._connections:
                connection.close()
            self._writing.dispose()
            self._reading.dispose()

        await asyncio.to_thread(shut)


def _sqlite_engine(url: URL, begin: str) -> Engine:
    engine = create_engine(
        url, poolclass=NullPool, connect_args={"check_same_thread": False, "timeout": 15}, **_json
    )

    @event.listens_for(engine, "connect")
    def _prepare(dbapi_connection: Any, _record: Any) -> None:
        # The driver would begin transactions by itself, deferred; a transaction that reads first and writes
        # later then fails at once with "database is locked", whatever the timeout.
        dbapi_connection.isolation_level = None
        for pragma in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "temp_store = MEMORY",
            "cache_size = -32000",
            "mmap_size = 268435456",
        ):
            dbapi_connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


class _PostgresRunner:
    def __init__(self, url: URL) -> None:
        try:
            self._engine: AsyncEngine = create_async_engine(
                url, pool_size=8, max_overflow=8, pool_pre_ping=False, pool_recycle=1800, **_json
            )
        except (ModuleNotFoundError, NoSuchModuleError):
            raise ConfigError("PostgreSQL needs the extra: pip install 'inforadar[postgres]'.") from None
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    async def read(self, question: Callable[[Connection], T]) -> T:
        async with self._reading.connect() as connection:
            return await connection.run_sync(question)

    async def write(self, question: Callable[[Connection], T]) -> T:
        async with self._engine.begin() as connection:
            return await connection.run_sync(question)

    async def close(self) -> None:
        await self._engine.dispose()


class _faults_as_sentences:  # noqa: N801 - used as a block, not as an object
    """Turns the driver's faults into sentences that say what to do."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        name = self._database.name
        match fault:
            case DBAPIError():
                raise _sentence(name, str(fault.orig)) from fault
            case ConnectionError() | TimeoutError() | OSError() if not self._database.is_sqlite:
                raise StoreError(f"The database {name} does not answer: {fault}. Is it running?") from fault
            case _:
                return


_SENTENCES = (
    (("readonly", "read-only"), "The database {name} is read-only. Make it and its folder writable."),
    (
        ("disk is full", "no space left"),
        "The disk is full: nothing more can be stored in {name}. Free some space.",
    ),
    (
        ("unable to open",),
        "The database {name} cannot be opened. Does its folder exist, and may you write there?",
    ),
    (
        ("malformed", "not a database"),
        "The database {name} is damaged. Restore a backup with `inforadar db restore FILE`.",
    ),
    (("locked",), "The database {name} is locked by another program for too long."),
    (
        ("no such table", "does not exist"),
        "The database {name} is not set up. Run `inforadar db upgrade`. ({detail})",
    ),
    (("",), "The database {name} refused: {detail}"),
)
"""What drivers say, and what we say instead."""


def _sentence(name: str, detail: str) -> StoreError:
    lowered = detail.lower()
    found = next(text for signs, text in _SENTENCES if any(sign in lowered for sign in signs))
    return StoreError(found.format(name=name, detail=detail))
