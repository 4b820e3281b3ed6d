"""Access to the database: `Database.read(fn, …)` and `Database.write(fn, …)`.

Each question to the store is one plain function that takes a SQLAlchemy `Connection`. A `Database` runs it:

    SQLite       in threads: one writes, on one connection, and a few read (WAL allows that)
    PostgreSQL   on the event loop, through asyncpg (`AsyncConnection.run_sync`)

So each question is written once, without a sync and an async version, and SQLite is still used in the way that was
measured to be fastest (one thread, sync driver). `write` is one transaction: all or nothing. When two PostgreSQL
transactions deadlock, one is rolled back and its question runs again, so a question must do nothing but use its
connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

import msgspec
from sqlalchemy import Connection, Engine, Uuid, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from inforadar.errors import ConfigError, StoreError
from inforadar.store.change_count import ChangeCount
from inforadar.store.database_url import parse_database_url
from inforadar.store.faults import faults_as_sentences, is_deadlock
from inforadar.store.postgres_session import detect_dead_server, session_settings
from inforadar.store.private_files import make_private
from inforadar.store.read_turns import ReadTurns
from inforadar.store.types import SqliteUuid, encode_json

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

P = ParamSpec("P")
T = TypeVar("T")
Question = Callable[Concatenate[Connection, P], T]

MIN_SQLITE = (3, 39, 0)
READERS = 4
SLOW_SQLITE_READ_S, SLOW_POSTGRES_READ_S = 0.02, 0.5
"""A question that runs longer than this no longer keeps others waiting; see `ReadTurns`."""
LOCK_TIMEOUT_S = 15.0
"""How long SQLite waits for another program's transaction."""
WORKER_LOCK_TIMEOUT_S = 120.0
"""The same for a worker, whose finished jobs would have to be done again: `db vacuum` and a large import take minutes.
Well below the time of a lease."""
DEADLOCK_ATTEMPTS = 5
KEPT_CONNECTIONS, MIN_KEPT_CONNECTIONS = 8, 2
"""PostgreSQL connections that a process keeps open, and the least of them if several processes share them. When it is
busy, it opens as many again."""
CHECKPOINT_BYTES, MAX_WAL_BYTES, PAGE_BYTES = 32 * 2**20, 128 * 2**20, 4096
"""From the first size, a separate thread checkpoints SQLite's write-ahead log; from the second, a transaction does."""
WRITER_CACHE_KB, READER_CACHE_KB = 6_000, 1_500
"""Pages that a SQLite connection keeps. A reader's are outdated whenever somebody else commits, so few are enough."""

_json: dict[str, Any] = {
    "json_serializer": encode_json,
    "json_deserializer": msgspec.json.decode,
}


class Database:
    """An open database. `async with open_database(url) as db: await db.read(load_feeds)`."""

    def __init__(self, url: URL, *, lock_timeout_s: float = LOCK_TIMEOUT_S, sharers: int = 1) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.path = Path(url.database) if self.is_sqlite and url.database else None
        self.write_count = ChangeCount()
        """Counts write transactions, through this object and through others that were given the same count."""
        self._engine: _SqliteRunner | _PostgresRunner
        if self.is_sqlite:
            self._engine = _SqliteRunner(url, lock_timeout_s)
        else:
            self._engine = _PostgresRunner(url, max(KEPT_CONNECTIONS // sharers, MIN_KEPT_CONNECTIONS))

    @property
    def writes(self) -> int:
        """The number of write transactions; a change tells a cache that its entries may be outdated."""
        return self.write_count.total

    @property
    def name(self) -> str:
        """Where the data is, for people: without the password."""
        if self.path:
            return str(self.path)
        return self.url.set(drivername="postgresql").render_as_string(hide_password=True)

    async def read(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a question that changes nothing."""
        with faults_as_sentences(self.name):
            return await self._engine.read(lambda connection: question(connection, *args, **kwargs))

    async def write(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a question as one transaction: committed completely or not at all."""
        with faults_as_sentences(self.name):
            try:
                return await self._engine.write(lambda connection: question(connection, *args, **kwargs))
            finally:
                self.write_count.add()

    async def snapshot(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Like `read`, but everything is read as of one moment, however long it takes and whoever writes meanwhile."""
        with faults_as_sentences(self.name):
            return await self._engine.snapshot(lambda connection: question(connection, *args, **kwargs))

    async def vacuum(self) -> None:
        """Free the space of deleted rows and update the planner's statistics."""
        with faults_as_sentences(self.name):
            await self._engine.vacuum()

    async def migrate(self, question: Question[[], T]) -> T:
        """Like `write`, for questions that recreate tables: dropping a table does not delete rows that refer to it."""
        with faults_as_sentences(self.name):
            return await self._engine.migrate(question)

    async def close(self) -> None:
        await self._engine.close()


@asynccontextmanager
async def open_database(
    url: str, password: str | None = None, *, lock_timeout_s: float = LOCK_TIMEOUT_S, sharers: int = 1
) -> AsyncIterator[Database]:
    """Open a database; `sharers` processes of this kind share the connections of one."""
    database = Database(parse_database_url(url, password), lock_timeout_s=lock_timeout_s, sharers=sharers)
    try:
        yield database
    finally:
        await database.close()


class _SqliteRunner:
    """One writing thread and a few reading threads, each with its own connection; see `ReadTurns` for who reads."""

    def __init__(self, url: URL, lock_timeout_s: float) -> None:
        if sqlite3.sqlite_version_info < MIN_SQLITE:
            needed = ".".join(map(str, MIN_SQLITE))
            raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old; {needed} or newer is needed.")
        self._writing = _sqlite_engine(url, "BEGIN IMMEDIATE", lock_timeout_s, WRITER_CACHE_KB)
        self._reading = _sqlite_engine(url, "BEGIN", lock_timeout_s, READER_CACHE_KB, "query_only = ON")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="sqlite-write")
        self._checkpointer = ThreadPoolExecutor(1, thread_name_prefix="sqlite-log")
        self._checkpoint: Future[None] | None = None
        self._wal = Path(f"{url.database}-wal")
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="sqlite-read")
        self._turns = ReadTurns(1, SLOW_SQLITE_READ_S)
        self._open = threading.local()
        self._resting: list[Connection] = []
        self._connections: list[Connection] = []

    def _connection(self, engine: Engine) -> Connection:
        connection: Connection | None = getattr(self._open, "connection", None)
        if connection is None or connection.closed or connection.invalidated:
            connection = self._open.connection = self._opened(engine)
        return connection

    def _run(self, engine: Engine, question: Callable[[Connection], T]) -> T:
        connection = self._connection(engine)
        with connection.begin():
            return question(connection)

    def _read(self, question: Callable[[Connection], T]) -> T:
        # The connection that was used last: most questions come alone, and then only one fills its caches.
        try:
            connection = self._resting.pop()
        except IndexError:
            connection = self._opened(self._reading)
        try:
            with connection.begin():
                return question(connection)
        finally:
            if not connection.invalidated:
                self._resting.append(connection)

    def _opened(self, engine: Engine) -> Connection:
        connection = engine.connect()
        self._connections.append(connection)
        return connection

    def _write(self, question: Callable[[Connection], T]) -> T:
        try:
            return self._run(self._writing, question)
        finally:
            if (self._checkpoint is None or self._checkpoint.done()) and self._is_checkpoint_due():
                self._checkpoint = self._checkpointer.submit(self._run_checkpoint)

    def _is_checkpoint_due(self) -> bool:
        try:
            return self._wal.stat().st_size >= CHECKPOINT_BYTES
        except OSError:
            return False

    def _run_checkpoint(self) -> None:
        """Move committed changes from the log into the database file, without blocking readers and writers."""
        bare = self._connection(self._writing).connection.driver_connection
        assert isinstance(bare, sqlite3.Connection)
        # If the disk is full or another program is doing the same, the next transaction tries again.
        with contextlib.suppress(sqlite3.OperationalError):
            bare.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    async def read(self, question: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        async with self._turns.turn():
            return await loop.run_in_executor(self._readers, self._read, question)

    async def write(self, question: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        # If the caller is cancelled, its transaction still finishes; it is never left half done.
        return await loop.run_in_executor(self._writer, self._write, question)

    async def snapshot(self, question: Callable[[Connection], T]) -> T:
        # A transaction in WAL mode sees the database as it was at its first read.
        return await self.read(question)

    async def vacuum(self) -> None:
        def run() -> None:
            # Outside of a transaction, which SQLAlchemy would begin.
            bare = self._connection(self._writing).connection.driver_connection
            assert isinstance(bare, sqlite3.Connection)
            try:
                for statement in ("VACUUM", "ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)"):
                    bare.execute(statement).fetchall()
            except sqlite3.OperationalError as fault:
                raise StoreError(
                    f"The database could not be made smaller: {fault}. Is a worker busy?"
                ) from fault

        await asyncio.get_running_loop().run_in_executor(self._writer, run)

    async def migrate(self, question: Callable[[Connection], T]) -> T:
        def run() -> T:
            # SQLite alters a table by recreating it. With foreign keys on, dropping the old one would delete
            # every row that refers to it. The pragma has no effect inside a transaction.
            pragmas = self._connection(self._writing).connection.driver_connection
            assert isinstance(pragmas, sqlite3.Connection)
            pragmas.execute("PRAGMA foreign_keys = OFF")
            try:
                return self._run(self._writing, checked)
            finally:
                pragmas.execute("PRAGMA foreign_keys = ON")

        def checked(connection: Connection) -> T:
            answer = question(connection)
            if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").all():
                raise StoreError(f"The upgrade would leave {len(broken)} rows with broken references.")
            return answer

        return await asyncio.get_running_loop().run_in_executor(self._writer, run)

    async def close(self) -> None:
        def shut() -> None:
            self._writer.shutdown(wait=True)
            self._checkpointer.shutdown(wait=True)
            self._readers.shutdown(wait=True)
            for connection in self._connections:
                connection.close()
            self._writing.dispose()
            self._reading.dispose()

        await asyncio.to_thread(shut)


def _sqlite_engine(url: URL, begin: str, lock_timeout_s: float, cache_kb: int, *pragmas: str) -> Engine:
    engine = create_engine(
        url,
        poolclass=NullPool,
        connect_args={"check_same_thread": False, "timeout": lock_timeout_s},
        **_json,
    )
    engine.dialect.colspecs = {**engine.dialect.colspecs, Uuid: SqliteUuid}

    @event.listens_for(engine, "do_connect")
    def _make_private(*_: Any) -> None:
        make_private(Path(str(url.database)))

    @event.listens_for(engine, "connect")
    def _prepare(dbapi_connection: Any, _record: Any) -> None:
        # The driver would begin deferred transactions by itself; one that reads first and writes later then
        # fails at once with "database is locked", whatever the timeout.
        dbapi_connection.isolation_level = None
        for pragma in (
            "journal_mode = WAL",
            "synchronous = NORMAL",
            "foreign_keys = ON",
            "temp_store = MEMORY",
            # Otherwise a commit would checkpoint the whole log and wait for the disk; see `_run_checkpoint`.
            f"wal_autocheckpoint = {MAX_WAL_BYTES // PAGE_BYTES}",
            # When the log restarts, it is truncated to this size, so that its size shows how full it is.
            f"journal_size_limit = {CHECKPOINT_BYTES // 8}",
            f"cache_size = -{cache_kb}",
            # Each connection would map the file for itself: four readers of a file of 50 MB showed 170 MB more, and
            # used no less CPU beside a worker, whose every commit ends the mappings.
            "mmap_size = 0",
            *pragmas,
        ):
            dbapi_connection.execute(f"PRAGMA {pragma}")
        # SQLite's own `lower` handles only ASCII.
        dbapi_connection.create_function("lower", 1, _lower, deterministic=True)
        dbapi_connection.create_function("spaced_words", 1, _spaced_words, deterministic=True)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _spaced_words(text: str | None) -> str | None:
    from inforadar.store.items.search_words import spaced_words  # noqa: PLC0415 - slow; few statements call it

    return spaced_words(text)


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


class _PostgresRunner:
    def __init__(self, url: URL, kept: int) -> None:
        from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - SQLite needs none of it
        from sqlalchemy.util import greenlet_spawn  # noqa: PLC0415

        try:
            self._engine: AsyncEngine = create_async_engine(
                url,
                pool_size=kept,
                max_overflow=kept,
                pool_pre_ping=False,
                pool_recycle=1800,
                isolation_level="AUTOCOMMIT",
                connect_args={"server_settings": session_settings()},
                **_json,
            )
        except (ModuleNotFoundError, NoSuchModuleError):
            raise ConfigError("PostgreSQL needs the extra: pip install 'inforadar[postgres]'.") from None
        event.listen(self._engine.sync_engine, "connect", detect_dead_server)
        # Connections are in the mode of most questions, because setting another one takes longer than a short question.
        self._writing = self._engine.execution_options(isolation_level="READ COMMITTED")
        self._in_greenlet = greenlet_spawn
        self._turns = ReadTurns(kept, SLOW_POSTGRES_READ_S)

    async def read(self, question: Callable[[Connection], T]) -> T:
        # In one greenlet, where `AsyncEngine` would switch to a new one for opening, asking and closing.
        async with self._turns.turn():
            return cast("T", await self._in_greenlet(self._ask, question))

    def _ask(self, question: Callable[[Connection], T]) -> T:
        with self._engine.sync_engine.connect() as connection:
            return question(connection)

    async def write(self, question: Callable[[Connection], T]) -> T:
        attempt = 1
        while True:
            try:
                async with self._writing.begin() as connection:
                    return await connection.run_sync(question)
            except DBAPIError as fault:
                if not is_deadlock(fault) or attempt == DEADLOCK_ATTEMPTS:
                    raise
                attempt += 1

    async def snapshot(self, question: Callable[[Connection], T]) -> T:
        repeatable = self._engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
        async with repeatable.begin() as connection:
            # It locks no rows, so it may be silent for as long as whoever takes what it reads lets it wait.
            await connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            return await connection.run_sync(question)

    async def vacuum(self) -> None:
        from inforadar.store.schema.all_tables import all_tables  # noqa: PLC0415 - slow to import

        def run(connection: Connection) -> None:
            for table in all_tables():
                connection.exec_driver_sql(f'VACUUM (ANALYZE) "{table.name}"')

        async with self._engine.connect() as connection:
            await connection.run_sync(run)

    async def migrate(self, question: Callable[[Connection], T]) -> T:
        return await self.write(question)

    async def close(self) -> None:
        await self._engine.dispose()
