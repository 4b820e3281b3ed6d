"""Repair what can be rebuilt: indexes, and the counters of items."""

from __future__ import annotations

from sqlalchemy import Connection, inspect

from inforadar.store.migrations.backfills import COUNT_ANEW
from inforadar.store.schema.all_tables import all_tables
from inforadar.store.upkeep.checks import names_by_table


def repair_indexes(connection: Connection) -> list[str]:
    """Create the missing indexes; return their names."""
    there = names_by_table(inspect(connection).get_multi_indexes())
    made = []
    for table in all_tables():
        for index in table.indexes:
            if index.name not in there.get(table.name, set()):
                index.create(connection)
                made.append(str(index.name))
    return made


def count_anew(connection: Connection) -> None:
    """Count items and read items again, from the items and marks themselves.

    On PostgreSQL a mark and an item of the same URL that are stored at the same moment do not see each other, so a
    counter can miss one.
    """
    for statement in COUNT_ANEW:
        connection.exec_driver_sql(statement)
