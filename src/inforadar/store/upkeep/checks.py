"""Check a database: its size, whether it is intact, and whether it has the expected schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Table, func, inspect, literal, select, text

from inforadar.model.person import FIRST_PERSON
from inforadar.store.schema.all_tables import all_tables
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks, people, person_tokens, secret_keys

_MAX_FAULTS = 20
"""Maximum number of faults of one kind that are listed; a broken file can have millions."""


def load_size(connection: Connection) -> int:
    """Size in bytes, including the free space of deleted rows."""
    if connection.dialect.name == "sqlite":
        query = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
    else:
        query = "SELECT pg_database_size(current_database())"
    return int(connection.execute(text(query)).scalar_one())


def load_counts(connection: Connection) -> dict[str, int]:
    """Number of rows in every table."""
    return {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in all_tables()
    }


def find_contents(connection: Connection) -> str | None:
    """Describe the contents of a database ("3 feeds"); None if it is as new: with the first person alone."""
    known = [feeds, items, marks, articles]
    others = [table for table in all_tables() if table not in (*known, person_tokens, secret_keys)]
    for table in [*known, *others]:
        own = (people.c.id != FIRST_PERSON,) if table is people else ()
        if connection.execute(select(literal(1)).select_from(table).where(*own).limit(1)).first():
            number = connection.execute(select(func.count()).select_from(table)).scalar_one()
            return f"{number} {table.name if table in known else f'rows of {table.name}'}"
    return None


def sqlite_file(connection: Connection) -> Path:
    """The file of an SQLite database."""
    query = "SELECT file FROM pragma_database_list WHERE name = 'main'"
    return Path(connection.exec_driver_sql(query).scalar_one())


def load_identity(connection: Connection) -> tuple[object, ...]:
    """Values that tell this database from all others, by whatever name or path it was opened."""
    if connection.dialect.name == "sqlite":
        file = sqlite_file(connection).stat()
        return file.st_dev, file.st_ino
    query = "SELECT pg_postmaster_start_time(), oid FROM pg_database WHERE datname = current_database()"
    return tuple(connection.execute(text(query)).one())


def find_damage(connection: Connection) -> list[str]:
    """Sentences about what is broken: the file, references, or missing parts."""
    return [*_broken_file(connection), *find_missing(connection), *_broken_references(connection)]


def _broken_file(connection: Connection) -> Iterator[str]:
    if connection.dialect.name != "sqlite":
        query = (
            "SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE NOT (i.indisvalid AND i.indisready) AND n.nspname = current_schema()"
        )
        for name in connection.execute(text(query)).scalars():
            yield f"The index {name} is not valid. Run `REINDEX INDEX {name}` with psql."
        return
    for (said,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MAX_FAULTS})"):
        if said != "ok":
            yield f"{said}. Restore a backup with `inforadar db restore FILE`."


def find_missing(connection: Connection) -> list[str]:
    """Tables, columns and indexes that are in the schema but not in this database."""
    there = names_by_table(inspect(connection).get_multi_columns())
    made = names_by_table(inspect(connection).get_multi_indexes())
    missing = []
    for table in all_tables():
        if table.name not in there:
            missing.append(f"The table {table.name} is missing. Restore a backup.")
            continue
        columns = there[table.name]
        missing += [
            f"The column {table.name}.{column.name} is missing. Restore a backup."
            for column in table.columns
            if column.name not in columns
        ]
        indexes = made.get(table.name, set())
        missing += [
            f"The index {index.name} is missing, which makes some queries slow. "
            "`inforadar db check --repair` creates it."
            for index in sorted(table.indexes, key=lambda index: str(index.name))
            if index.name not in indexes
        ]
    return missing


def names_by_table(found: Mapping[Any, Sequence[Any]]) -> dict[str, set[str]]:
    """{table: names}, of columns or indexes."""
    return {table: {one["name"] for one in ones} for (_, table), ones in found.items()}


def _broken_references(connection: Connection) -> Iterator[str]:
    for table in all_tables():
        for column in table.columns:
            for key in column.foreign_keys:
                if number := _orphans(connection, table, column, key.column):
                    yield f"{number} rows of {table.name} refer to a {key.column.table.name} row that does not exist."
    without = select(func.count()).where(
        ~select(feed_schedules.c.id).where(feed_schedules.c.id == feeds.c.id).exists()
    )
    if number := connection.execute(without.select_from(feeds)).scalar_one():
        yield f"{number} feeds have no schedule. `inforadar feed sync` cannot fix this: restore a backup."


def _orphans(connection: Connection, table: Table, column: Column[Any], target: Column[Any]) -> int:
    there = select(target).where(target == column).correlate(table).exists()
    query = select(func.count()).select_from(table).where(column.is_not(None), ~there)
    return connection.execute(query).scalar_one()
