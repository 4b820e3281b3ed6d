"""Move from one database to another: in batches, so that an interruption loses nothing, and compared at the end.

Each batch is stored together with its position, in the table `move_progress` of the target. Until everything is
compared, the target's revision is `moving`, which every program refuses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    MetaData,
    Table,
    Text,
    delete,
    insert,
    inspect,
    select,
    text,
    update,
)

from inforadar.errors import StoreError, UsageError
from inforadar.store.database import Database
from inforadar.store.schema.all_tables import all_tables
from inforadar.store.upkeep.checks import find_contents, load_identity
from inforadar.store.upkeep.export_archive import OnTableDone
from inforadar.store.upkeep.import_archive import insert_values
from inforadar.store.upkeep.in_use import refuse_busy
from inforadar.store.upkeep.repair import count_anew
from inforadar.store.upkeep.revision import MOVING, OURS, load_revision
from inforadar.store.upkeep.transfer import (
    Digest,
    Key,
    Values,
    key_of,
    load_digest,
    load_page,
    row_type,
    transferred_columns,
    transferred_tables,
)
from inforadar.store.upkeep.upgrade import upgrade_database

_progress = Table(
    "move_progress",
    MetaData(),
    Column("name", Text, primary_key=True),
    Column("source", Text, nullable=False),
    Column("after", Text),
    Column("rows", BigInteger, nullable=False),
    Column("done", Boolean, nullable=False),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """The result of `db move`."""

    tables: dict[str, int]
    resumed: bool


@dataclass(slots=True, kw_only=True)
class Move:
    source: Database
    target: Database
    told: OnTableDone

    async def run(self, *, restart: bool = False) -> Moved:
        """Move everything and compare it. The source is only read."""
        await self._refuse_same()
        await refuse_busy(self.source)
        resumed = await self._begin(restart=restart)
        for table in transferred_tables():
            await self._move(table)
        tables = await self._compare()
        await self.target.write(_finish)
        return Moved(tables=tables, resumed=resumed)

    async def _refuse_same(self) -> None:
        if await self.source.read(load_identity) == await self.target.read(load_identity):
            raise UsageError("--to names the database that is already in use.")

    async def _begin(self, *, restart: bool) -> bool:
        """Prepare the target. Returns whether an interrupted move is continued."""
        if await self.target.read(load_revision) == MOVING:
            if not restart:
                await self.target.read(_check_source, self.source.name)
                return True
            await self.target.write(_clear)
        else:
            await upgrade_database(self.target)
            await self.target.read(_refuse_occupied, self.target.name)
            await self.target.write(_clear)
        await self.target.write(_start, self.source.name)
        return False

    async def _move(self, table: Table) -> None:
        after, rows, done = await self.target.read(_load_progress, table)
        while not done:
            page = await self.source.read(load_page, table, after)
            done = not page
            after = key_of(table, page[-1]) if page else after
            rows += len(page)
            await self.target.write(_store, table, page, after=after, rows=rows, done=done)
        self.told(table.name, rows)

    async def _compare(self) -> dict[str, int]:
        tables: dict[str, int] = {}
        wrong = []
        for table in transferred_tables():
            here, there = [
                await database.snapshot(load_digest, table) for database in (self.source, self.target)
            ]
            tables[table.name] = there.rows
            if (here.rows, here.checksum) != (there.rows, there.checksum):
                wrong.append(_difference(table, here, there))
        if wrong:
            raise StoreError(
                f"The two databases are not the same: {'; '.join(wrong)}. Something wrote to {self.source.name} "
                "meanwhile: stop everything and run `inforadar db move` again with --restart."
            )
        return tables


def _difference(table: Table, here: Digest, there: Digest) -> str:
    if here.rows == there.rows:
        return f"rows of {table.name} differ"
    return f"{table.name} has {here.rows} rows here and {there.rows} there"


def _refuse_occupied(connection: Connection, name: str) -> None:
    if contents := find_contents(connection):
        raise UsageError(f"{name} is not empty: it holds {contents}. Move to a database of its own.")


def _clear(connection: Connection) -> None:
    if inspect(connection).has_table(_progress.name):
        _progress.drop(connection)
    for table in reversed(all_tables()):
        connection.execute(delete(table))


def _start(connection: Connection, source: str) -> None:
    _progress.create(connection)
    connection.execute(
        insert(_progress),
        [{"name": table.name, "source": source, "rows": 0, "done": False} for table in transferred_tables()],
    )
    connection.execute(text("UPDATE alembic_version SET version_num = :moving"), {"moving": MOVING})


def _finish(connection: Connection) -> None:
    count_anew(connection)
    _progress.drop(connection)
    connection.execute(text("UPDATE alembic_version SET version_num = :head"), {"head": OURS.head})


def _check_source(connection: Connection, source: str) -> None:
    begun = connection.execute(select(_progress.c.source).limit(1)).scalar_one()
    if begun != source:
        raise UsageError(
            f"This database is half filled from {begun}. Continue from that source, or start over with --restart."
        )


def _load_progress(connection: Connection, table: Table) -> tuple[Key | None, int, bool]:
    row = connection.execute(select(_progress).where(_progress.c.name == table.name)).one()
    if row.after is None:
        return None, row.rows, row.done
    after: Any = msgspec.json.decode(row.after, type=row_type(list(table.primary_key.columns)))
    return after, row.rows, row.done


def _store(
    connection: Connection, table: Table, page: list[Values], *, after: Key | None, rows: int, done: bool
) -> None:
    if page:
        insert_values(connection, table, [column.name for column in transferred_columns(table)], page)
    connection.execute(
        update(_progress)
        .where(_progress.c.name == table.name)
        .values(after=msgspec.json.encode(after).decode() if after else None, rows=rows, done=done)
    )
