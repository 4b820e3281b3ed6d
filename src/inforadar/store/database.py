"""The way to the database: `Database.read(fn, …)` and `Database.write(fn, …)`.

Each question to the store is one plain function that takes a SQLAlchemy `Connection`. A `Database` runs it:

    SQLite       in a thread: one thread writes, on one connection, a few read (WAL lets them)
    PostgreSQL   on the event loop, through asyncpg (`AsyncConnection.run_sync`)

So there is one text of each question and no pair of sync and async versions, and the measured way to write
SQLite (one thread, sync driver) costs no second store. `write` is one transaction: all or nothing. Two
transactions of PostgreSQL that wait for each other cost one of them its work; the question is then put again,
so a question must do nothing but talk to its connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from inforadar.errors import ConfigError, StoreError
from inforadar.store.faults import faults_as_sentences, is_deadlock
from inforadar.store.schema.all_tables import all_tables
from inforadar.store.types import encode_json

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

P = ParamSpec("P")
T = TypeVar("T")
Question = Callable[Concatenate[Connection, P], T]

MIN_SQLITE = (3, 39, 0)
READERS = 4
LOCK_TIMEOUT_S = 15.0
"""How long SQLite waits for another program's transaction."""
DEADLOCK_ATTEMPTS = 5
LOG_BYTES, MOST_LOG_BYTES, PAGE_BYTES = 32 * 2**20, 128 * 2**20, 4096
"""SQLite's log is emptied by a thread of its own from the first length on, and by a transaction from the second."""
SILENCE_S = 60
"""PostgreSQL gives up a session that was cut off or frozen in the middle of a transaction: its locks would keep others
from rows whose leases ran out long ago. We give up a server that vanished without a word."""

_json: dict[str, Any] = {
    "json_serializer": encode_json,
    "json_deserializer": msgspec.json.decode,
}


class Database:
    """A database that was opened. `async with open_database(url) as db: await db.read(load_feeds)`."""

    def __init__(self, url: URL, *, lock_timeout_s: float = LOCK_TIMEOUT_S) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.path = Path(url.database) if self.is_sqlite and url.database else None
        self.writes = 0
        """Transactions that went through here: whoever remembers an answer sees by it that it may have changed."""
        self._engine: _SqliteRunner | _PostgresRunner = (
            _SqliteRunner(url, lock_timeout_s) if self.is_sqlite else _PostgresRunner(url)
        )

    @property
    def name(self) -> str:
        """For people: where the data is, without the password."""
        if self.path:
            return str(self.path)
        return self.url.set(drivername="postgresql").render_as_string(hide_password=True)

    async def read(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a question that changes nothing."""
        with faults_as_sentences(self.name):
            return await self._engine.read(lambda connection: question(connection, *args, **kwargs))

    async def write(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs it as one transaction: committed whole, or not at all."""
        with faults_as_sentences(self.name):
            try:
                return await self._engine.write(lambda connection: question(connection, *args, **kwargs))
            finally:
                self.writes += 1

    async def snapshot(self, question: Question[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """As `read`, and everything it reads is of one moment, however long it takes and whoever writes."""
        with faults_as_sentences(self.name):
            return await self._engine.snapshot(lambda connection: question(connection, *args, **kwargs))

    async def vacuum(self) -> None:
        """Gives the space of deleted rows back and lets the planner look at the tables anew."""
        with faults_as_sentences(self.name):
            await self._engine.vacuum()

    async def migrate(self, question: Question[[], T]) -> T:
        """As `write`, for one that makes tables anew: a table that is dropped takes no rows of others along."""
        with faults_as_sentences(self.name):
            return await self._engine.migrate(question)

    async def close(self) -> None:
        await self._engine.close()


@asynccontextmanager
async def open_database(
    url: str, password: str | None = None, *, lock_timeout_s: float = LOCK_TIMEOUT_S
) -> AsyncIterator[Database]:
    database = Database(parse_database_url(url, password), lock_timeout_s=lock_timeout_s)
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

    def __init__(self, url: URL, lock_timeout_s: float) -> None:
        if sqlite3.sqlite_version_info < MIN_SQLITE:
            needed = ".".join(map(str, MIN_SQLITE))
            raise StoreError(f"SQLite {sqlite3.sqlite_version} is too old; {needed} or newer is needed.")
        self._writing = _sqlite_engine(url, "BEGIN IMMEDIATE", lock_timeout_s)
        self._reading = _sqlite_engine(url, "BEGIN", lock_timeout_s, "query_only = ON")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="sqlite-write")
        self._emptier = ThreadPoolExecutor(1, thread_name_prefix="sqlite-log")
        self._emptying: Future[None] | None = None
        self._log = Path(f"{url.database}-wal")
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

    def _write(self, question: Callable[[Connection], T]) -> T:
        try:
            return self._run(self._writing, question)
        finally:
            if (self._emptying is None or self._emptying.done()) and self._is_log_long():
                self._emptying = self._emptier.submit(self._empty_log)

    def _is_log_long(self) -> bool:
        try:
            return self._log.stat().st_size >= LOG_BYTES
        except OSError:
            return False

    def _empty_log(self) -> None:
        """Brings what was committed into the file, beside those who read and write."""
        bare = self._connection(self._writing).connection.driver_connection
        assert isinstance(bare, sqlite3.Connection)
        # A disk that is full, another program that does the same: the next transaction finds the log as long.
        with contextlib.suppress(sqlite3.OperationalError):
            bare.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    async def read(self, question: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._readers, self._run, self._reading, question)

    async def write(self, question: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        # A caller that is cancelled leaves; its transaction is finished all the same, never left half-done.
        return await loop.run_in_executor(self._writer, self._write, question)

    async def snapshot(self, question: Callable[[Connection], T]) -> T:
        # A transaction in WAL mode sees the database as it was at its first read.
        return await self.read(question)

    async def vacuum(self) -> None:
        def run() -> None:
            # Outside of any transaction, which SQLAlchemy would begin.
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
            # SQLite changes a table by making it anew. With foreign keys on, dropping the old one would delete
            # every row that refers to it; the switch has no effect inside a transaction.
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
                raise StoreError(f"The upgrade would leave {len(broken)} rows without what they refer to.")
            return answer

        return await asyncio.get_running_loop().run_in_executor(self._writer, run)

    async def close(self) -> None:
        def shut() -> None:
            self._writer.shutdown(wait=True)
            self._emptier.shutdown(wait=True)
            self._readers.shutdown(wait=True)
            for connection in self._connections:
                connection.close()
            self._writing.dispose()
            self._reading.dispose()

        await asyncio.to_thread(shut)


def _sqlite_engine(url: URL, begin: str, lock_timeout_s: float, *pragmas: str) -> Engine:
    engine = create_engine(
        url,
        poolclass=NullPool,
        connect_args={"check_same_thread": False, "timeout": lock_timeout_s},
        **_json,
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
            # Whoever commits would write the whole log into the file, and wait for the disk; see `_empty_log`.
            f"wal_autocheckpoint = {MOST_LOG_BYTES // PAGE_BYTES}",
            # Begun anew, it is cut to this length, so that its length says how much is in it.
            f"journal_size_limit = {LOG_BYTES // 8}",
            "cache_size = -8000",
            # Counts as memory of the process, once for each connection.
            "mmap_size = 67108864",
            *pragmas,
        ):
            dbapi_connection.execute(f"PRAGMA {pragma}")
        # SQLite's own knows the Latin alphabet only.
        dbapi_connection.create_function("lower", 1, _lower, deterministic=True)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _session_settings() -> dict[str, str]:
    return {
        "idle_in_transaction_session_timeout": f"{SILENCE_S}s",
        "tcp_keepalives_idle": f"{SILENCE_S // 2}s",
        "tcp_keepalives_interval": f"{SILENCE_S // 6}s",
        "tcp_keepalives_count": "3",
        "tcp_user_timeout": f"{SILENCE_S}s",
    }


def _notice_silence(dbapi_connection: Any, _record: Any) -> None:
    """Of a server that vanished; the driver would wait for its answer for ever."""
    sock = dbapi_connection.driver_connection._transport.get_extra_info("socket")
    if sock.family == socket.AF_UNIX:
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (
        ("TCP_KEEPIDLE", SILENCE_S // 2),
        ("TCP_KEEPINTVL", SILENCE_S // 6),
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", SILENCE_S * 1000),
    ):
        if option := getattr(socket, name, None):  # not every system has each of them
            sock.setsockopt(socket.IPPROTO_TCP, option, value)


class _PostgresRunner:
    def __init__(self, url: URL) -> None:
        from sqlalchemy.ext.asyncio import create_async_engine  # noqa: PLC0415 - SQLite needs none of it

        try:
            self._engine: AsyncEngine = create_async_engine(
                url,
                pool_size=8,
                max_overflow=8,
                pool_pre_ping=False,
                pool_recycle=1800,
                connect_args={"server_settings": _session_settings()},
                **_json,
            )
        except (ModuleNotFoundError, NoSuchModuleError):
            raise ConfigError("PostgreSQL needs the extra: pip install 'inforadar[postgres]'.") from None
        event.listen(self._engine.sync_engine, "connect", _notice_silence)
        self._reading = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    async def read(self, question: Callable[[Connection], T]) -> T:
        async with self._reading.connect() as connection:
            return await connection.run_sync(question)

    async def write(self, question: Callable[[Connection], T]) -> T:
        attempt = 1
        while True:
            try:
                async with self._engine.begin() as connection:
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
            return await connection.run_sync(question)

    async def vacuum(self) -> None:
        def run(connection: Connection) -> None:
            for table in all_tables():
                connection.exec_driver_sql(f'VACUUM (ANALYZE) "{table.name}"')

        async with self._reading.connect() as connection:
            await connection.run_sync(run)

    async def migrate(self, question: Callable[[Connection], T]) -> T:
        return await self.write(question)

    async def close(self) -> None:
        await self._engine.dispose()
