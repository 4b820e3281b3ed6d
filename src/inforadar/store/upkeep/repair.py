"""Create missing indexes."""

from __future__ import annotations

from sqlalchemy import Connection, inspect

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
