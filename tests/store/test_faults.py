"""Faults of the databases are sentences that say what to do, never a driver's exception."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from inforadar.errors import ConfigError, StoreError
from inforadar.model.run import RunDetails, RunKind
from inforadar.store import postgres_session
from inforadar.store.database import Database, open_database
from inforadar.store.database_url import parse_database_url
from inforadar.store.faults import faults_as_sentences, is_database_fault
from inforadar.store.feeds.queries import count_feeds
from inforadar.store.runs.queries import load_runs
from inforadar.store.runs.save import insert_run
from inforadar.store.schema.runs import runs
from tests.store.making import NOW, add_feed, count
from tests.support.servers import on_database
from tests.support.servers_fixtures import SqliteBackend


@pytest.fixture
async def sqlite_path(sqlite_template: Path, tmp_path: Path) -> AsyncIterator[Path]:
    async with SqliteBackend(sqlite_template, tmp_path).fresh() as url:
        yield Path(url.removeprefix("sqlite:///"))


@pytest.mark.parametrize(
    "said",
    [
        "connection was closed in the middle of operation",
        "cannot switch to state 12; another operation (2) is in progress",
        "terminating connection due to administrator command",
        "the database system is shutting down",
    ],
)
def test_whatever_a_driver_says_of_a_server_that_was_cut_off_it_does_not_answer(said: str) -> None:
    with (
        pytest.raises(StoreError, match=r"does not answer: .*\. Is it running\?") as fault,
        faults_as_sentences("db"),
    ):
        raise DBAPIError("SELECT 1", None, RuntimeError(said))
    assert is_database_fault(fault.value)


async def test_a_folder_in_place_of_the_file(tmp_path: Path) -> None:
    async with open_database(f"sqlite:///{tmp_path}") as database:
        with pytest.raises(StoreError, match=r"cannot be opened. Does its folder exist"):
            await database.read(count_feeds)


async def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    async with open_database(f"sqlite:///{tmp_path}/nowhere/a.db") as database:
        with pytest.raises(StoreError, match=r"cannot be opened"):
            await database.write(count_feeds)


async def test_a_file_that_may_not_be_written(sqlite_path: Path) -> None:
    async with open_database(f"sqlite:///file:{sqlite_path}?mode=ro&uri=true") as database:
        assert await database.read(count_feeds) == 0
        with pytest.raises(StoreError, match=r"is read-only. Make it and its folder writable"):
            await add_feed(database)


async def test_a_question_that_reads_may_not_write(sqlite_path: Path) -> None:
    async with open_database(f"sqlite:///{sqlite_path}") as database:
        with pytest.raises(StoreError, match=r"read-only"):
            await database.read(insert_run, RunKind.FETCH, NOW)


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"This was a shopping list. " * 100)
    async with open_database(f"sqlite:///{tmp_path}/a.db") as database:
        with pytest.raises(StoreError, match=r"is damaged. Restore a backup with `inforadar db restore"):
            await database.read(count_feeds)


async def test_damaged_pages(sqlite_path: Path) -> None:
    content = bytearray(sqlite_path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)  # all but the page that says what is where
    sqlite_path.write_bytes(content)
    async with open_database(f"sqlite:///{sqlite_path}") as database:
        with pytest.raises(StoreError, match=r"is damaged"):
            await database.read(load_runs)


async def test_a_database_without_tables(empty_database_url: str) -> None:
    async with open_database(empty_database_url) as database:
        with pytest.raises(StoreError, match=r"is not set up. Run `inforadar db upgrade`"):
            await database.read(count_feeds)


async def test_locked_by_another_program_for_too_long(sqlite_path: Path) -> None:
    with closing(sqlite3.connect(sqlite_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        async with open_database(f"sqlite:///{sqlite_path}", lock_timeout_s=0.05) as database:
            with pytest.raises(StoreError, match=r"is locked by another program for too long"):
                await add_feed(database)
            assert await database.read(count_feeds) == 0  # reading goes on
            other.execute("ROLLBACK")
            await add_feed(database)  # and so does writing, once the other is done


async def test_a_full_disk_loses_only_what_did_not_fit(sqlite_path: Path) -> None:
    async with open_database(f"sqlite:///{sqlite_path}") as database:
        await database.write(insert_run, RunKind.FETCH, NOW)
        pages = await database.read(lambda c: c.execute(text("PRAGMA page_count")).scalar())
        await database.write(lambda c: c.execute(text(f"PRAGMA max_page_count = {pages}")))
        with pytest.raises(StoreError, match=r"disk is full"):
            await database.write(insert_run, RunKind.FETCH, NOW, RunDetails(sources=("x" * 100_000,)))
        assert await count(database, runs) == 1
        await database.write(lambda c: c.execute(text("PRAGMA max_page_count = 1000000")))
        await database.write(insert_run, RunKind.FETCH, NOW, RunDetails(sources=("x" * 100_000,)))


async def test_a_server_that_is_not_there() -> None:
    async with open_database("postgresql://me@127.0.0.1:1/news", "secret") as database:
        with pytest.raises(StoreError, match=r"does not answer.*Is it running") as fault:
            await database.read(count_feeds)
    assert "secret" not in str(fault.value)


async def test_a_database_that_the_server_does_not_have(postgres_server: dict[str, str]) -> None:
    async with open_database(on_database(postgres_server["url"], "nowhere")) as database:
        with pytest.raises(StoreError, match=r'"nowhere" does not exist. Check DATABASE_URL'):
            await database.read(count_feeds)


async def test_what_else_a_database_refuses(database: Database) -> None:
    with pytest.raises(StoreError, match=r"refused: .*(?i:null)"):
        await database.write(lambda c: c.execute(text("INSERT INTO hosts (host) VALUES (NULL)")))


async def test_the_database_is_usable_after_a_fault(database: Database) -> None:
    for question in (database.read, database.write):
        with pytest.raises(StoreError):
            await question(lambda c: c.execute(text("SELECT * FROM no_such_table")))
    await add_feed(database)
    assert await database.read(count_feeds) == 1


async def test_faults_of_the_question_itself_pass_and_roll_back(database: Database) -> None:
    def question(connection) -> None:  # type: ignore[no-untyped-def]
        insert_run(connection, RunKind.FETCH, NOW)
        raise LookupError("mine")

    with pytest.raises(LookupError, match=r"mine"):
        await database.write(question)
    assert await count(database, runs) == 0


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://a/b", "mysql is not supported"),
        ("sqlite://", "needs a file"),
        ("sqlite:///:memory:", "needs a file"),
        ("news.db", "cannot be read"),
    ],
)
def test_a_database_url_that_cannot_be_used_is_refused(url: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why) as refused:
        parse_database_url(url)
    assert refused.value.exit_code == 2


def test_the_password_may_be_kept_apart_and_is_not_shown() -> None:
    database = Database(parse_database_url("postgresql://me@host/news", "s3cret"))
    assert database.url.password == "s3cret"
    assert database.name == "postgresql://me:***@host/news"


async def test_a_session_that_falls_silent_in_a_transaction_gives_its_locks_back(
    postgres_server: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that was frozen or cut off; others would pass over its rows until the end of days."""
    monkeypatch.setattr(postgres_session, "SILENCE_S", 1)
    locking = "SELECT pg_advisory_xact_lock(4711)"
    locked = threading.Event()

    def fall_silent(connection: Connection) -> None:
        connection.execute(text(locking))
        locked.set()
        assert others_turn.wait(60)
        connection.execute(text("SELECT 1"))

    async def stay_away() -> None:
        async with open_database(postgres_server["url"]) as database:
            with pytest.raises(StoreError, match="does not answer"):
                await database.write(fall_silent)

    others_turn = threading.Event()
    silent = asyncio.create_task(asyncio.to_thread(asyncio.run, stay_away()))
    assert await asyncio.to_thread(locked.wait, 60)
    async with open_database(postgres_server["url"]) as database:
        await database.write(lambda c: c.execute(text(locking)))
    others_turn.set()
    await silent


def test_a_server_that_vanishes_without_a_word_is_given_up() -> None:
    """Seen at the connection: the real thing takes a minute."""
    with socket.socket() as connection:
        transport = SimpleNamespace(get_extra_info={"socket": connection}.get)
        driver = SimpleNamespace(driver_connection=SimpleNamespace(_transport=transport))
        postgres_session.detect_dead_server(driver, None)
        assert connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) < postgres_session.SILENCE_S
        assert (
            connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
            == postgres_session.SILENCE_S * 1000
        )


def test_a_pool_without_a_free_connection_is_a_sentence_too() -> None:
    with (
        pytest.raises(StoreError, match=r"radar is too busy.*hold a lock") as raised,
        faults_as_sentences("radar"),
    ):
        raise PoolTimeoutError("QueuePool limit of size 8 overflow 8 reached")
    assert is_database_fault(raised.value)
