"""Everything in one file and back, and from one database to the other: nothing lost, nothing half done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pytest
from backports import zstd
from sqlalchemy import update

from inforadar.errors import DatabaseInUseError, ParseError, StoreError, UsageError
from inforadar.store.database import Database, open_database
from inforadar.store.schema.feeds import cached_feeds, feed_credentials, feeds
from inforadar.store.schema.items import items
from inforadar.store.upkeep import import_archive
from inforadar.store.upkeep.move import Move
from inforadar.store.upkeep.revision import require_current
from inforadar.store.upkeep.transfer import transferred_tables
from tests.store.making import add_feed, claim, count, rows
from tests.store.upkeep.transferring import digests, export, fill, nobody, read
from tests.support.servers import fresh_postgres

pytestmark = pytest.mark.slow


@pytest.fixture
async def sqlite(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Database]:
    path = tmp_path / "source.db"
    path.write_bytes(sqlite_template.read_bytes())
    async with open_database(f"sqlite:///{path}") as database:
        yield database


@asynccontextmanager
async def postgres(server: dict[str, str], *, migrated: bool = True) -> AsyncIterator[Database]:
    async with fresh_postgres(server, migrated=migrated) as url, open_database(url) as database:
        yield database


async def test_what_was_exported_comes_back_the_same_on_either_database(
    database: Database, sqlite: Database, postgres_server: dict[str, str]
) -> None:
    await fill(sqlite)
    data = await export(sqlite)
    number = await read(database, data)
    assert (number["feeds"], number["items"], number["item_changes"]) == (1, 3, 1)
    assert await digests(database) == await digests(sqlite)
    assert (await rows(database, cached_feeds))[0].item_refs == ["я", "b"]
    again = await export(database)
    async with postgres(postgres_server) as third:
        await read(third, again)
        assert await digests(third) == await digests(sqlite)


async def test_leases_do_not_travel(sqlite: Database, database: Database) -> None:
    feed = await add_feed(sqlite)
    await claim(sqlite, feed)
    await read(database, await export(sqlite))
    claimed = await claim(database, feed)
    assert claimed.feed.url == feed.url


async def test_a_database_with_something_in_it_is_replaced_only_if_that_is_said(database: Database) -> None:
    await fill(database)
    data = await export(database)
    await add_feed(database, "https://other.example/feed")
    with pytest.raises(UsageError, match=r"2 feeds.*--replace"):
        await read(database, data)
    await read(database, data, replace=True)
    assert await count(database, feeds) == 1


async def test_credentials_can_be_left_out(database: Database) -> None:
    await fill(database)
    assert b"c2VjcmV0" in zstd.decompress(await export(database))
    data = await export(database, secrets=False)
    assert b"c2VjcmV0" not in zstd.decompress(data)
    await read(database, data, replace=True)
    assert await count(database, feed_credentials) == 0


def changed(data: bytes, change: Callable[[list[bytes]], list[bytes]]) -> bytes:
    return zstd.compress(b"".join(change(zstd.decompress(data).splitlines(keepends=True))))


def line_of(lines: list[bytes], table: str) -> int:
    """Where the first row of the table stands."""
    return next(n for n, line in enumerate(lines) if line.startswith(b'{"table":"%s"' % table.encode())) + 1


def with_row(lines: list[bytes], table: str, row: bytes) -> list[bytes]:
    at = line_of(lines, table)
    return [*lines[:at], row + b"\n", *lines[at + 1 :]]


def edited(lines: list[bytes], table: str, column: int, value: Any) -> list[bytes]:
    row = msgspec.json.decode(lines[line_of(lines, table)])
    row[column] = value
    return with_row(lines, table, msgspec.json.encode(row))


HOSTILE: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "cut off": lambda lines: lines[:-1],
    "cut off in a line": lambda lines: [*lines[:-1], lines[-1][:20]],
    "a row less": lambda lines: [*lines[:5], *lines[6:]],
    "another value": lambda lines: edited(lines, "items", 5, "https://evil.example/"),
    "a number for a text": lambda lines: edited(lines, "items", 5, 7),
    "a text for a number": lambda lines: edited(lines, "feed_schedules", 4, "many"),
    "a text for a truth": lambda lines: edited(lines, "feeds", 7, "yes"),
    "a time without a zone": lambda lines: edited(lines, "feeds", 1, "2026-01-01T00:00:00"),
    "no uuid": lambda lines: edited(lines, "items", 0, "../../etc/passwd"),
    "a null where none may be": lambda lines: edited(lines, "items", 5, None),
    "a list for options": lambda lines: edited(lines, "feeds", 25, ["timezone"]),
    "a word that is no state": lambda lines: edited(lines, "feeds", 10, "telepathy"),
    "a number that is too large": lambda lines: edited(lines, "feed_schedules", 4, 2**40),
    "a hash that is too long": lambda lines: edited(lines, "items", 3, "f" * 65),
    "a reference to nothing": lambda lines: edited(lines, "items", 4, str(UUID(int=1))),
    "the same row twice": lambda lines: [*lines[: (n := line_of(lines, "feeds"))], lines[n], *lines[n:]],
    "nested without end": lambda lines: with_row(lines, "items", b"[" * 200_000),
    "no JSON": lambda lines: with_row(lines, "items", b"[not json"),
    "no text": lambda lines: with_row(lines, "items", b'["\xff\xfe"]'),
    "another table": lambda lines: [lines[0], b'{"table":"sqlite_master","columns":["sql"]}\n', *lines[1:]],
    "another column": lambda lines: [
        lines[0],
        b'{"table":"feeds","columns":["id; DROP TABLE"]}\n',
        *lines[1:],
    ],
    "a table twice": lambda lines: [*lines[:-1], b'{"table":"feeds","columns":["id"]}\n', lines[-1]],
    "rows of no table": lambda lines: [lines[0], b"[1]\n", *lines[1:]],
    "more after the end": lambda lines: [*lines, b"[1]\n"],
    "a newer format": lambda lines: [lines[0].replace(b'"version":1', b'"version":2'), *lines[1:]],
    "a newer schema": lambda lines: [lines[0].replace(b'"schema":"0', b'"schema":"8'), *lines[1:]],
    "another program's": lambda lines: [b'{"hello":"world"}\n', *lines[1:]],
    "empty": lambda lines: [],
}


async def test_a_hostile_export_is_refused_whole(database: Database) -> None:
    await fill(database)
    before = await digests(database)
    data = await export(database)
    for kind, change in HOSTILE.items():
        with pytest.raises(ParseError) as refused:
            await read(database, changed(data, change), replace=True)
        assert "xport" in str(refused.value), kind
        assert len(str(refused.value)) < 400, kind
        assert await digests(database) == before, kind


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04 a zip", b"SQLite format 3\x00", zstd.compress(b"a" * 100)]
)
async def test_a_file_of_another_kind_is_refused(sqlite: Database, data: bytes) -> None:
    with pytest.raises(ParseError, match="not an export of Info Radar"):
        await read(sqlite, data)


async def test_a_damaged_file_is_refused(sqlite: Database) -> None:
    await fill(sqlite)
    data = await export(sqlite)
    for bad in (data[: len(data) // 2], data[:200] + b"\x00" * 50 + data[250:]):
        with pytest.raises(ParseError):
            await read(sqlite, bad, replace=True)
    assert await count(sqlite, items) == 3


async def test_a_file_that_unfolds_without_end_is_refused_early(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_archive, "RATIO_CHECK_BYTES", 2**20)
    monkeypatch.setattr(import_archive, "MAX_LINE_BYTES", 2**20)
    await fill(sqlite)
    lines = zstd.decompress(await export(sqlite)).splitlines(keepends=True)
    at = line_of(lines, "items")
    long_line = zstd.compress(b"".join(lines[:at]) + b"[" + b" " * (4 * 2**20))
    with pytest.raises(ParseError, match="a line of over"):
        await read(sqlite, long_line, replace=True)
    many = zstd.compress(b"".join(lines[:at]) + lines[at] * 20_000)
    with pytest.raises(ParseError, match=r"made to do harm|inconsistent"):
        await read(sqlite, many, replace=True)


@pytest.mark.parametrize("to", ["postgresql", "sqlite"])
async def test_moving_takes_everything_along(
    sqlite: Database, postgres_server: dict[str, str], tmp_path: Path, to: str
) -> None:
    await fill(sqlite)
    async with postgres(postgres_server) as server:
        await Move(source=sqlite, target=server, told=nobody).run()
        await require_current(server)
        assert await digests(server) == await digests(sqlite)
        if to == "sqlite":
            async with open_database(f"sqlite:///{tmp_path / 'back.db'}") as back:
                await Move(source=server, target=back, told=nobody).run()
                assert await digests(back) == await digests(sqlite)


class StoppedError(Exception):
    """As a kill would."""


async def test_a_move_that_was_stopped_goes_on_where_it_was(
    sqlite: Database, postgres_server: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(sqlite, 1200)
    async with postgres(postgres_server) as target:
        writes = target.write

        async def stopping(question: Any, *args: Any, **kwargs: Any) -> Any:
            result = await writes(question, *args, **kwargs)
            if question.__name__ == "_store" and args[0] is items and kwargs["rows"] >= 500:
                raise StoppedError
            return result

        monkeypatch.setattr(target, "write", stopping)
        with pytest.raises(StoppedError):
            await Move(source=sqlite, target=target, told=nobody).run()
        monkeypatch.undo()
        assert await count(target, items) == 500
        with pytest.raises(StoreError, match="db move"):
            await require_current(target)
        done = await Move(source=sqlite, target=target, told=nobody).run()
        assert (done.resumed, done.tables["items"]) == (True, 1200)
        assert await digests(target) == await digests(sqlite)
        await require_current(target)


async def test_a_move_sees_that_the_source_changed_and_can_begin_anew(
    sqlite: Database, postgres_server: dict[str, str]
) -> None:
    await fill(sqlite)

    async def change() -> None:
        await sqlite.write(lambda c: c.execute(update(feeds).values(topic="another")))

    async with postgres(postgres_server) as target:
        move = Move(source=sqlite, target=target, told=nobody)
        await move._begin(restart=False)
        for table in transferred_tables():
            await move._move(table)
        await change()
        with pytest.raises(StoreError, match=r"rows of feeds differ.*--restart"):
            await move.run()
        assert not (await move.run(restart=True)).resumed
        assert await digests(target) == await digests(sqlite)


async def test_a_move_is_refused_while_a_worker_works_or_if_the_target_is_taken(
    sqlite: Database, postgres_server: dict[str, str]
) -> None:
    feed = await add_feed(sqlite)
    async with postgres(postgres_server) as target:
        await add_feed(target)
        with pytest.raises(UsageError, match="not empty"):
            await Move(source=sqlite, target=target, told=nobody).run()
        await claim(sqlite, feed)
        with pytest.raises(DatabaseInUseError, match="Stop all workers"):
            await Move(source=sqlite, target=target, told=nobody).run()


async def test_an_empty_database_server_is_set_up_by_the_move(
    sqlite: Database, postgres_server: dict[str, str]
) -> None:
    await fill(sqlite)
    async with postgres(postgres_server, migrated=False) as target:
        await Move(source=sqlite, target=target, told=nobody).run()
        assert await count(target, items) == 3
