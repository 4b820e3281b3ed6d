"""What an import and a move refuse to delete, and what they wait for."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, Table, event, insert, text

from inforadar.actions.upkeep.import_state import import_state
from inforadar.actions.upkeep.move import move_database
from inforadar.errors import StoreError, UsageError
from inforadar.store.database import Database, open_database
from inforadar.store.schema.all_tables import all_tables
from inforadar.store.schema.analyses import analyses_cache
from inforadar.store.schema.articles import articles
from inforadar.store.schema.hosts import hosts
from inforadar.store.schema.items import items
from inforadar.store.upkeep import import_archive
from inforadar.store.upkeep.checks import find_contents
from inforadar.store.upkeep.move import Move
from tests.store.making import count
from tests.store.upkeep.transferring import digests, export, fill, nobody, read

pytestmark = pytest.mark.slow

LEFT: dict[Table, dict[str, Any]] = {
    articles: {"uid": "a" * 16, "url": "https://example.com/статья", "category": "", "clean_text": "текст"},
    analyses_cache: {"key": "1" * 64, "model": "m", "prompt_version": "1", "result": {"title": "标题"}},
    hosts: {"host": "example.com"},
}
"""Rows that stay when there is no feed, item or mark."""


async def put(database: Database, table: Table, *values: dict[str, Any]) -> None:
    await database.write(lambda c: c.execute(insert(table), list(values)))


@pytest.mark.parametrize("table", LEFT, ids=lambda table: table.name)
async def test_a_row_of_any_table_keeps_an_import_and_a_move_from_deleting_it(
    database: Database, table: Table, sqlite_template: Path, tmp_path: Path
) -> None:
    data = await export(database)
    await put(database, table, LEFT[table])
    with pytest.raises(UsageError, match=rf"1 .*{table.name}.*--replace"):
        await read(database, data)
    path = tmp_path / "source.db"
    path.write_bytes(sqlite_template.read_bytes())
    async with open_database(f"sqlite:///{path}") as source:
        with pytest.raises(UsageError, match=f"not empty: it holds 1 .*{table.name}"):
            await Move(source=source, target=database, told=nobody).run()
    assert await count(database, table) == 1


async def test_an_empty_database_has_the_first_person_and_no_other_row(database: Database) -> None:
    assert {table.name: n for table in all_tables() if (n := await count(database, table))} == {"people": 1}
    assert await database.read(find_contents) is None


def by_link(path: Path) -> Path:
    link = path.with_name("another name.db")
    link.symlink_to(path)
    return link


def by_hard_link(path: Path) -> Path:
    link = path.with_name("жёсткая.db")
    link.hardlink_to(path)
    return link


@pytest.mark.parametrize(
    "other",
    [by_link, by_hard_link, lambda path: path.parent / "." / ".." / path.parent.name / path.name],
    ids=["a link", "a hard link", "dots"],
)
async def test_a_file_is_not_moved_onto_itself_under_another_name(
    sqlite_template: Path, tmp_path: Path, other: Callable[[Path], Path]
) -> None:
    path = tmp_path / "source.db"
    path.write_bytes(sqlite_template.read_bytes())
    async with open_database(f"sqlite:///{path}") as database:
        await put(database, articles, LEFT[articles])
    to = f"sqlite:///{other(path)}"
    async with open_database(f"sqlite:///{path}") as database:
        with pytest.raises(UsageError, match="already in use"):
            await move_database(database, to, None, nobody)
        assert await count(database, articles) == 1


async def test_a_database_is_not_moved_onto_itself(database: Database, database_url: str) -> None:
    """On PostgreSQL by another name of the server's folder."""
    to = database_url.replace("%2Fdata", "%2Fdata%2F.")
    with pytest.raises(UsageError, match="already in use"):
        await move_database(database, to, None, nobody)


async def test_an_export_whose_articles_share_one_text_comes_back(
    sqlite_template: Path, tmp_path: Path
) -> None:
    path = tmp_path / "source.db"
    path.write_bytes(sqlite_template.read_bytes())
    page = "Мы используем файлы cookie. " * 1_300
    async with open_database(f"sqlite:///{path}") as database:
        await put(
            database,
            articles,
            *(
                {"uid": f"{n:016x}", "url": f"https://example.com/{n}", "category": "", "clean_text": page}
                for n in range(1_200)
            ),
        )
        data = await export(database)
        assert len(data) * import_archive.MAX_RATIO < 1_200 * len(page.encode())
        await read(database, data, replace=True)
        assert await count(database, articles) == 1_200


async def test_an_import_leaves_room_on_the_disk(
    sqlite_template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "source.db"
    path.write_bytes(sqlite_template.read_bytes())
    monkeypatch.setattr(import_archive, "SPACE_CHECK_BYTES", 1000)
    monkeypatch.setattr(import_archive, "MIN_FREE_BYTES", 2**60)
    async with open_database(f"sqlite:///{path}") as database:
        await fill(database)
        before = await digests(database)
        with pytest.raises(StoreError, match=r"almost full.*Nothing was imported"):
            await read(database, await export(database), replace=True)
        assert await digests(database) == before


class Pipe(io.RawIOBase):
    """Gives an export in small parts, and notes each read."""

    def __init__(self, data: bytes, seen: list[str]) -> None:
        self._data = io.BytesIO(data)
        self._seen = seen

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._seen.append("read")
        return self._data.readinto(memoryview(buffer)[:500])


async def test_a_pipe_is_read_to_its_end_before_the_transaction_begins(database: Database) -> None:
    await fill(database)
    data = await export(database)
    seen: list[str] = []

    def note(connection: Any) -> None:
        seen.append("begin")

    event.listen(Engine, "begin", note)
    try:
        done = await import_state(database, io.BufferedReader(Pipe(data, seen)), nobody, replace=True)
    finally:
        event.remove(Engine, "begin", note)
    assert done["items"] == await count(database, items)
    assert seen.count("read") > 2
    assert "read" not in seen[seen.index("begin") :]


async def test_postgresql_lets_an_export_wait_for_its_reader_but_no_transaction_that_writes(
    database: Database,
) -> None:
    if database.is_sqlite:
        return  # it ends no session
    query = text("SHOW idle_in_transaction_session_timeout")
    assert await database.snapshot(lambda c: c.execute(query).scalar()) == "0"
    assert await database.write(lambda c: c.execute(query).scalar()) == "1min"
