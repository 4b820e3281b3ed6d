"""Set and clear marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, select

from inforadar.model.ids import UrlHash
from inforadar.store.people.marks import NO_MARKS, Marks, load_marks
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.types import one_of_given
from inforadar.store.upsert import upsert
from inforadar.urls import url_hash

_LOCK_ITEMS = (
    # Until the star is committed, so that retention cannot delete the items meanwhile.
    select(items.c.id)
    .where(one_of_given(items.c.url, "urls"))
    .order_by(items.c.id)
    .with_for_update(read=True, key_share=True)
)


def save_marks(connection: Connection, url: str, changes: Mapping[str, bool], at: datetime) -> Marks:
    """Set and clear marks of one item; return its marks."""
    return save_marks_of(connection, [url], changes, at).get(url_hash(url), NO_MARKS)


def save_marks_of(
    connection: Connection, urls: Sequence[str], changes: Mapping[str, bool], at: datetime
) -> Mapping[UrlHash, Marks]:
    """Set and clear the given `MARKS` and leave the others. A mark already set keeps its time."""
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
        if changes.get("starred"):
            connection.execute(_LOCK_ITEMS, {"urls": list(keys.values())})
    return load_marks(connection, list(keys))
