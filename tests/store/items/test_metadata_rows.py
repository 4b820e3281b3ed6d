"""Metadata in rows: every field has its column, and what is stored is read back as it was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, insert, select

from inforadar.model.item import METADATA_FIELDS
from inforadar.store.database import Database
from inforadar.store.items.metadata_rows import MetadataRows
from inforadar.store.items.queries import load_item
from inforadar.store.rows import insert_rows
from inforadar.store.schema.items import items, metadata_columns
from inforadar.store.upkeep.transfer import row_type
from tests.store.making import add_feed, collect, listed, rows
from tests.support.trial_metadata import EMPTY, FULL, TRIAL_FIELDS, Attachment, TrialMetadata

ROWS = MetadataRows(TRIAL_FIELDS)
TABLE = Table("trial", MetaData(), Column("id", Integer, primary_key=True), *metadata_columns(TRIAL_FIELDS))


@pytest.mark.parametrize("given", [EMPTY, FULL])
async def test_a_row_gives_back_the_metadata_it_was_made_from(
    database: Database, given: TrialMetadata
) -> None:
    def store(connection: Connection) -> TrialMetadata:
        TABLE.create(connection)
        insert_rows(connection, insert(TABLE), ("id", *ROWS.names), [(1, *ROWS.to_row(given))])
        _, *values = connection.execute(select(TABLE)).one()
        return TrialMetadata(**ROWS.from_row(values))

    assert await database.write(store) == given


async def test_what_no_database_stores_is_left_out_of_any_of_many_rows(database: Database) -> None:
    hostile = 250
    many = [
        (number, *ROWS.to_row(replace(EMPTY, author="a\x00b" if number == hostile else "ab")))
        for number in range(300)
    ]

    def store(connection: Connection) -> set[str]:
        TABLE.create(connection)
        insert_rows(connection, insert(TABLE), ("id", *ROWS.names), many)
        return set(connection.execute(select(TABLE.c.author)).scalars())

    assert await database.write(store) == {"ab"}


def test_what_no_database_stores_is_left_out_of_texts_inside_of_lists() -> None:
    hostile = replace(EMPTY, attachments=(Attachment(url="https://example.com/\x00a\ud800"),))
    stored = ROWS.to_row(hostile)[ROWS.names.index("attachments")]
    assert isinstance(stored, str)
    assert "\\u0000" not in stored
    stored.encode()


def test_every_field_has_its_column_and_what_is_absent_is_null() -> None:
    names = [column.name for column in items.c]
    start = names.index(METADATA_FIELDS[0].name)
    assert names[start : start + len(METADATA_FIELDS)] == [field.name for field in METADATA_FIELDS]
    assert all(items.c[field.name].nullable for field in METADATA_FIELDS)


def test_archives_know_lists_of_texts_from_other_json() -> None:
    assert row_type([items.c.tags]) == tuple[list[str] | None]


async def test_a_stored_item_has_the_metadata_of_its_listing(database: Database) -> None:
    feed = await add_feed(database)
    given = {"author": "مؤلف", "tags": ("наука",), "image": "https://example.com/1.png", "rating": -0.5}
    await collect(database, feed, listed(**given))
    (row,) = await rows(database, items)
    item = await database.read(load_item, row.id)
    assert item is not None
    assert {name: getattr(item, name) for name in given} == given
    assert item.bookmarks is None
