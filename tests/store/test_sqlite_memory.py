"""What SQLite adds to the memory of a process stays small, however large the file is."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from inforadar.store.database import READER_CACHE_KB, READERS, WRITER_CACHE_KB, open_database

MAPS = Path("/proc/self/maps")


@pytest.mark.skipif(not MAPS.exists(), reason="Linux says which files a process maps")
async def test_no_connection_maps_the_file_for_itself(tmp_path: Path) -> None:
    path = tmp_path / "large.db"
    all_there = threading.Barrier(READERS)

    def fill(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE pieces (piece BLOB)"))
        connection.execute(text("INSERT INTO pieces VALUES (zeroblob(1000000))"))

    def read(connection: Connection) -> int:
        all_there.wait(30)
        return connection.execute(text("SELECT sum(length(piece)) FROM pieces")).scalar_one()

    async with open_database(f"sqlite:///{path}") as database:
        await database.write(fill)
        await database.vacuum()
        assert await asyncio.gather(*(database.read(read) for _ in range(READERS))) == [1000000] * READERS
        assert [line for line in MAPS.read_text().splitlines() if line.endswith(str(path))] == []


async def test_readers_keep_fewer_pages_than_the_writer(tmp_path: Path) -> None:
    def cache_kb(connection: Connection) -> int:
        return -connection.execute(text("PRAGMA cache_size")).scalar_one()

    async with open_database(f"sqlite:///{tmp_path / 'small.db'}") as database:
        assert await database.write(cache_kb) == WRITER_CACHE_KB
        assert await database.read(cache_kb) == READER_CACHE_KB
    assert READERS * READER_CACHE_KB <= WRITER_CACHE_KB


async def test_questions_that_come_alone_fill_the_cache_of_one_connection(tmp_path: Path) -> None:
    all_there = threading.Barrier(READERS)

    def meet(connection: Connection) -> int:
        all_there.wait(30)
        return id(connection)

    async with open_database(f"sqlite:///{tmp_path / 'small.db'}") as database:
        opened = set(await asyncio.gather(*(database.read(meet) for _ in range(READERS))))
        assert len(opened) == READERS
        assert len({await database.read(id) for _ in range(20)}) == 1
