"""Looking at a database from outside."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from sqlalchemy import Connection, inspect, text

from inforadar.store.database import Database
from inforadar.store.schema.all_tables import all_tables
from inforadar.store.upkeep.checks import find_damage, find_missing, load_counts
from inforadar.store.upkeep.repair import repair_indexes
from tests.store.making import add_feed, collect, listed


async def test_all_tables_are_all_tables(database: Database) -> None:
    there = await database.read(lambda connection: inspect(connection).get_table_names())
    ours = {name for name in there if name != "alembic_version" and not name.startswith("item_words")}
    assert {table.name for table in all_tables()} == ours


async def test_a_whole_database_has_nothing_to_complain_about(database: Database) -> None:
    await collect(database, await add_feed(database), listed())
    assert await database.read(find_damage) == []
    counts = await database.read(load_counts)
    assert (counts["feeds"], counts["items"], counts["marks"]) == (1, 1, 0)


async def test_a_missing_index_is_found_and_made_anew(database: Database) -> None:
    await database.write(lambda c: c.execute(text("DROP INDEX ix_items_pub_date")))
    (sentence,) = await database.read(find_missing)
    assert "ix_items_pub_date" in sentence
    assert "db check --repair" in sentence
    assert await database.write(repair_indexes) == ["ix_items_pub_date"]
    assert await database.read(find_missing) == []


async def test_rows_that_refer_to_nothing_are_found(database: Database) -> None:
    await collect(database, await add_feed(database), listed())

    # So does a table that was restored without its neighbours.
    if database.path:
        with closing(sqlite3.connect(database.path)) as bare, bare:
            bare.execute("DELETE FROM feeds")
    else:
        await database.write(_delete_unseen)
    damage = await database.read(find_damage)
    assert any("1 rows of items refer to a feeds row" in sentence for sentence in damage)


def _delete_unseen(connection: Connection) -> None:
    for statement in (
        "SET LOCAL session_replication_role = replica",
        "DELETE FROM feeds",
    ):
        connection.execute(text(statement))
