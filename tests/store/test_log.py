"""SQLite's log: emptied beside those who write, whatever becomes of the one who empties it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from inforadar.store import database as engine
from inforadar.store.database import Database, open_database

PIECE = 32 * 1024
MANY = 2000
"""Far more pieces than are needed."""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(engine, "CHECKPOINT_BYTES", 8 * PIECE)
    return tmp_path / "log.db"


def make(connection: Connection) -> None:
    connection.execute(text("CREATE TABLE pieces (piece BLOB)"))


def add(connection: Connection) -> None:
    connection.execute(text("INSERT INTO pieces VALUES (zeroblob(:size))"), {"size": PIECE})


def count(connection: Connection) -> int:
    return connection.execute(text("SELECT count(*) FROM pieces")).scalar_one()


async def add_until_in_file(database: Database, path: Path) -> int:
    """Adds pieces until one is in the file itself; how many it took."""
    before = path.stat().st_size
    for number in range(1, MANY):
        await database.write(add)
        if path.stat().st_size >= before + PIECE:
            return number
    raise AssertionError(f"after {MANY} pieces nothing of them is in the file")


async def test_a_long_log_is_emptied_without_a_transaction_that_does_it(path: Path) -> None:
    async with open_database(f"sqlite:///{path}") as database:
        await database.write(make)
        added = await add_until_in_file(database, path)
        assert 7 <= added < engine.MAX_WAL_BYTES // PIECE
        assert await database.read(count) == added


async def test_what_was_brought_into_the_file_is_there_for_others(path: Path) -> None:
    async with open_database(f"sqlite:///{path}") as database, open_database(f"sqlite:///{path}") as other:
        await database.write(make)
        await other.write(add)
        added = await add_until_in_file(database, path)
        assert await other.read(count) == 1 + added


async def test_a_log_that_cannot_be_emptied_fails_no_transaction(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def refuse(self: engine._SqliteRunner) -> None:
        asked.append("once")
        raise OSError("the disk is full")

    monkeypatch.setattr(engine._SqliteRunner, "_run_checkpoint", refuse)
    async with open_database(f"sqlite:///{path}") as database:
        await database.write(make)
        for _ in range(20):
            await database.write(add)
        assert await database.read(count) == 20
    assert asked
