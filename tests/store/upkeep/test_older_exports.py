"""Exports of older schemas: an import leaves what the migrations would have left."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from backports import zstd
from sqlalchemy import Connection, Table, inspect, select

from inforadar.model.feed import FeedKind
from inforadar.store.database import Database, open_database
from inforadar.store.leases import claim_feeds
from inforadar.store.schema.items import items
from inforadar.store.upkeep.revision import OURS
from inforadar.store.upkeep.transfer import Digest, transferred_columns, transferred_tables
from inforadar.store.upkeep.upgrade import alembic_config, upgrade_database
from tests.store.making import add_feed, collect, listed, rows, set_due, set_feed
from tests.store.upkeep.transferring import digests, fill, read

SHARED = "https://example.com/shared"


@pytest.fixture
async def older(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Database]:
    """What an older program had; each test takes it back to the schema it wants."""
    path = tmp_path / "older.db"
    path.write_bytes(sqlite_template.read_bytes())
    async with open_database(f"sqlite:///{path}") as database:
        await fill(database)
        for url in ("https://one.example/feed", "https://два.example/feed"):
            await collect(database, await add_feed(database, url), listed(SHARED, title="Новости 新闻"))
        await add_feed(database, "https://pages.example/", kind=FeedKind.PAGES)
        await add_feed(database, "https://idle.example/", enabled=False)
        yield database


def go_back(connection: Connection, revision: str) -> None:
    from alembic import command  # noqa: PLC0415

    command.downgrade(alembic_config(connection), revision)


def export_as_it_was(connection: Connection, revision: str) -> bytes:
    """What a program of that schema would have written."""
    head = {
        "format": "inforadar",
        "version": 1,
        "schema": revision,
        "program": "0.1",
        "made_at": "2026-01-01T00:00:00Z",
    }
    lines, totals = [msgspec.json.encode(head)], {}
    known = inspect(connection)
    for table in filter(lambda table: known.has_table(table.name), transferred_tables()):
        columns = columns_at(connection, table)
        digest = Digest()
        lines.append(
            msgspec.json.encode({"table": str(table.name), "columns": [str(one.name) for one in columns]})
        )
        for row in connection.execute(select(*columns)):
            lines.append(msgspec.json.encode(tuple(row)))
            digest.add(lines[-1])
        totals[str(table.name)] = {"rows": digest.rows, "checksum": digest.checksum}
    lines.append(msgspec.json.encode({"end": totals}))
    return zstd.compress(b"".join(line + b"\n" for line in lines))


def columns_at(connection: Connection, table: Table) -> list[Any]:
    there = {column["name"] for column in inspect(connection).get_columns(table.name)}
    return [column for column in transferred_columns(table) if column.name in there]


@pytest.mark.parametrize("revision", OURS.known[:-1])
async def test_an_older_export_becomes_what_an_upgrade_makes_of_its_database(
    database: Database, older: Database, revision: str
) -> None:
    await older.migrate(lambda connection: go_back(connection, revision))
    data = await older.read(export_as_it_was, revision)
    await upgrade_database(older)
    await read(database, data)
    assert await digests(database) == await digests(older)


async def test_feeds_that_nobody_fetches_do_not_stand_in_the_way_after_an_import_of_an_older_export(
    database: Database, older: Database
) -> None:
    active = await add_feed(older, "https://active.example/feed")
    idle = [await add_feed(older, f"https://off-{n}.example/feed") for n in range(3)]
    for feed in idle:
        await set_due(older, feed, -3600.0)
        await set_feed(older, feed, enabled=False)
    await set_due(older, active, -60.0)
    await older.migrate(lambda connection: go_back(connection, "0007"))
    await read(database, await older.read(export_as_it_was, "0007"))
    claimed = await database.write(claim_feeds, [feed.id for feed in (*idle, active)])
    assert [lease.feed.url for lease in claimed] == [active.url]
    lanes = await database.read(
        lambda c: c.exec_driver_sql("SELECT walks FROM feed_schedules").scalars().all()
    )
    assert list(lanes).count(None) == 4


async def test_urls_that_several_feeds_list_are_marked_by_an_import(
    database: Database, older: Database
) -> None:
    await older.migrate(lambda connection: go_back(connection, "0010"))
    await read(database, await older.read(export_as_it_was, "0010"))
    marked = [row.url for row in await rows(database, items) if row.is_shared]
    assert marked == [SHARED, SHARED]
