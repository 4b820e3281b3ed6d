"""Marks: read, starred, archived, kept by the item's URL, the same in terminal and page (A15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, select

from inforadar.model.ids import UrlHash
from inforadar.store.schema.people import marks
from inforadar.store.types import one_of
from inforadar.store.upsert import upsert
from inforadar.urls import url_hash

MARKS = ("read", "starred", "archived")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Since when; `None`: not marked."""

    read_at: datetime | None = None
    starred_at: datetime | None = None
    archived_at: datetime | None = None


NO_MARKS = Marks()


def load_marks(connection: Connection, hashes: Iterable[UrlHash]) -> Mapping[UrlHash, Marks]:
    """Of those that have any."""
    rows = connection.execute(select(marks).where(one_of(marks.c.hash, hashes)))
    return {
        row.hash: Marks(read_at=row.read_at, starred_at=row.starred_at, archived_at=row.archived_at)
        for row in rows
    }


def save_marks(connection: Connection, url: str, changes: Mapping[str, bool], at: datetime) -> Marks:
    """Of one item; what its marks are now."""
    return save_marks_of(connection, [url], changes, at).get(url_hash(url), NO_MARKS)


def save_marks_of(
    connection: Connection, urls: Sequence[str], changes: Mapping[str, bool], at: datetime
) -> Mapping[UrlHash, Marks]:
    """Sets and clears those of `MARKS` that are named, the others stay. One that is set keeps its time."""
    values: dict[str, Any] = {f"{name}_at": at if is_set else None for name, is_set in changes.items()}
    keys = {url_hash(url): url for url in urls}
    if values and keys:
        row = upsert(connection, marks).values(
            [{"hash": key, "url": keys[key], **values} for key in sorted(keys)]
        )
        kept = {
            name: case((marks.c[name].is_not(None), marks.c[name]), else_=row.excluded[name])
            if value
            else None
            for name, value in values.items()
        }
        connection.execute(row.on_conflict_do_update(index_elements=["hash"], set_=kept))
    return load_marks(connection, list(keys))
