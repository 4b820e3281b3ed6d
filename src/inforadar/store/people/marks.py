"""Marks of a person: read, starred, archived, labels and a note. Stored by the item's URL (A15)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import Connection, bindparam, null, select, union_all

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

_m, _l = marks.c, mark_labels.c
_MARKS_OF = union_all(
    select(_m.hash, _m.read_at, _m.starred_at, _m.archived_at, _m.note, null().label("label")).where(
        _m.person_id == bindparam("person"), one_of_given(_m.hash, "hashes")
    ),
    select(_l.hash, null(), null(), null(), null(), _l.label).where(
        _l.person_id == bindparam("person"), one_of_given(_l.hash, "hashes")
    ),
)
"""The marks of some items, then a row for each of their labels."""


def load_marks(
    connection: Connection, person_id: PersonId | None, hashes: Iterable[UrlHash]
) -> Mapping[UrlHash, Marks]:
    """The person's marks of the items that have any; nobody has none."""
    given = list(hashes)
    if person_id is None or not given:
        return {}
    found: dict[UrlHash, Marks] = {}
    labels: dict[UrlHash, list[str]] = {}
    rows = connection.execute(_MARKS_OF, {"person": person_id, "hashes": given})
    for hash_, read_at, starred_at, archived_at, note, label in rows:
        if label is None:
            found[hash_] = Marks(
                read_at=read_at, starred_at=starred_at, archived_at=archived_at, note=note or ""
            )
        else:
            labels.setdefault(hash_, []).append(label)
    for hash_, names in labels.items():
        found[hash_] = replace(found.get(hash_, NO_MARKS), labels=tuple(sorted(names)))
    return found


def load_label_names(connection: Connection, person_id: PersonId) -> list[str]:
    """The labels that a person has given to items."""
    query = select(mark_labels.c.label).where(mark_labels.c.person_id == person_id).distinct()
    return sorted(connection.execute(query).scalars())
