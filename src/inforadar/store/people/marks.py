"""Marks of a person: read, starred, archived, labels and a note. Stored by the item's URL (A15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from inforadar.model.ids import UrlHash
from inforadar.model.person import PersonId
from inforadar.store.schema.people import mark_labels, marks
from inforadar.store.types import one_of_given

MARKS = ("read", "starred", "archived")


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """Since when an item has each mark; None: not marked."""

    read_at: datetime | None = None
    starred_at: datetime | None = None
    archived_at: datetime | None = None
    labels: tuple[str, ...] = field(default=())
    note: str = ""


NO_MARKS = Marks()

_MARKS_OF = select(marks).where(
    marks.c.person_id == bindparam("person"), one_of_given(marks.c.hash, "hashes")
)
_LABELS_OF = (
    select(mark_labels.c.hash, mark_labels.c.label)
    .where(mark_labels.c.person_id == bindparam("person"), one_of_given(mark_labels.c.hash, "hashes"))
    .order_by(mark_labels.c.label)
)


def load_marks(
    connection: Connection, person_id: PersonId | None, hashes: Iterable[UrlHash]
) -> Mapping[UrlHash, Marks]:
    """The person's marks of the items that have any; nobody has none."""
    given = list(hashes)
    if person_id is None or not given:
        return {}
    asked = {"person": person_id, "hashes": given}
    rows = connection.execute(_MARKS_OF, asked)
    found = {
        row.hash: Marks(
            read_at=row.read_at, starred_at=row.starred_at, archived_at=row.archived_at, note=row.note or ""
        )
        for row in rows
    }
    for hash_, label in connection.execute(_LABELS_OF, asked):
        old = found.get(hash_, NO_MARKS)
        found[hash_] = replace(old, labels=(*old.labels, label))
    return found


def load_label_names(connection: Connection, person_id: PersonId) -> list[str]:
    """The labels that a person has given to items."""
    query = select(mark_labels.c.label).where(mark_labels.c.person_id == person_id).distinct()
    return sorted(connection.execute(query).scalars())
