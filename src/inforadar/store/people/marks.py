"""Marks: read, starred, archived. Stored by the item's URL, the same in terminal and web page (A15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from inforadar.model.ids import UrlHash
from inforadar.store.schema.people import marks
from inforadar.store.types import one_of

MARKS = ("read", "starred", "archived")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Since when an item has each mark; None: not marked."""

    read_at: datetime | None = None
    starred_at: datetime | None = None
    archived_at: datetime | None = None


NO_MARKS = Marks()


def load_marks(connection: Connection, hashes: Iterable[UrlHash]) -> Mapping[UrlHash, Marks]:
    """The marks of the items that have any."""
    rows = connection.execute(select(marks).where(one_of(marks.c.hash, hashes)))
    return {
        row.hash: Marks(read_at=row.read_at, starred_at=row.starred_at, archived_at=row.archived_at)
        for row in rows
    }
