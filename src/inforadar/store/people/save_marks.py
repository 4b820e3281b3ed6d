"""Set and clear marks of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, delete, select, update

from inforadar.model.ids import UrlHash
from inforadar.model.person import Along, PersonId
from inforadar.store.people.along import load_along, load_told_along
from inforadar.store.people.marks import NO_MARKS, Marks, load_marks
from inforadar.store.people.streams import Stream, load_stream_urls
from inforadar.store.schema.items import items
from inforadar.store.schema.people import mark_labels, marks
from inforadar.store.types import one_of, one_of_given
from inforadar.store.upsert import upsert
from inforadar.urls import url_hash

_LOCK_ITEMS = (
    # Until the star is committed, so that retention cannot delete the items meanwhile.
    select(items.c.id)
    .where(one_of_given(items.c.url, "urls"))
    .order_by(items.c.id)
    .with_for_update(read=True, key_share=True)
)
ROWS_PER_STATEMENT = 2000
"""PostgreSQL takes at most 32,767 parameters in a statement."""


def save_marks(
    connection: Connection,
    person_id: PersonId,
    url: str,
    changes: Mapping[str, bool],
    at: datetime,
    *,
    along: Along | None = None,
) -> Marks:
    """Set and clear marks of one item; return its marks."""
    found = save_marks_of(connection, person_id, [url], changes, at, along=along)
    return found.get(url_hash(url), NO_MARKS)


def save_marks_of(
    connection: Connection,
    person_id: PersonId,
    urls: Sequence[str],
    changes: Mapping[str, bool],
    at: datetime,
    *,
    along: Along | None = None,
) -> Mapping[UrlHash, Marks]:
    """Set and clear the given `MARKS` and leave the others. A mark already set keeps its time.

    What is read along with the items is as the person chose, or as `along` says; a choice of the person only spreads
    that something was read, not that it is unread again.
    """
    set_marks(connection, person_id, urls, changes, at)
    if changes.get("read") or (along is not None and "read" in changes):
        others = load_told_along(connection, urls, along or load_along(connection, person_id))
        set_marks(connection, person_id, others, {"read": changes["read"]}, at)
    return load_marks(connection, person_id, [url_hash(url) for url in urls])


def set_marks(
    connection: Connection,
    person_id: PersonId,
    urls: Sequence[str],
    changes: Mapping[str, bool],
    at: datetime,
) -> None:
    """Set and clear marks as `save_marks_of` does, without loading them: for very many items."""
    values: dict[str, Any] = {f"{name}_at": at if is_set else None for name, is_set in changes.items()}
    keys = {url_hash(url): url for url in urls}
    if not values or not keys:
        return
    ordered = sorted(keys)
    for start in range(0, len(ordered), ROWS_PER_STATEMENT):
        row = upsert(connection, marks).values(
            [
                {"person_id": person_id, "hash": key, "url": keys[key], **values}
                for key in ordered[start : start + ROWS_PER_STATEMENT]
            ]
        )
        kept = {
            name: case((marks.c[name].is_not(None), marks.c[name]), else_=row.excluded[name])
            if value
            else None
            for name, value in values.items()
        }
        connection.execute(row.on_conflict_do_update(index_elements=["person_id", "hash"], set_=kept))
    if changes.get("starred"):
        connection.execute(_LOCK_ITEMS, {"urls": list(keys.values())})


def save_all_marks(
    connection: Connection,
    person_id: PersonId,
    urls: Sequence[str],
    changes: Mapping[str, bool],
    at: datetime,
    *,
    labels_added: Sequence[str] = (),
    labels_removed: Sequence[str] = (),
    note: str | None = None,
    along: Along | None = None,
) -> Mapping[UrlHash, Marks]:
    """Set and clear marks, labels and notes of items; return their marks."""
    save_marks_of(connection, person_id, urls, changes, at, along=along)
    save_labels(connection, person_id, urls, added=labels_added, removed=labels_removed)
    if note is not None:
        for url in dict.fromkeys(urls):
            save_note(connection, person_id, url, note)
    return load_marks(connection, person_id, [url_hash(url) for url in urls])


def save_labels(
    connection: Connection,
    person_id: PersonId,
    urls: Sequence[str],
    *,
    added: Sequence[str] = (),
    removed: Sequence[str] = (),
) -> None:
    """Give labels to items and take labels from them."""
    keys = {url_hash(url): url for url in urls}
    rows = [
        {"person_id": person_id, "label": label, "hash": key, "url": keys[key]}
        for label in sorted(set(added))
        for key in sorted(keys)
    ]
    if rows:
        connection.execute(upsert(connection, mark_labels).on_conflict_do_nothing(), rows)
    if removed:
        m = mark_labels.c
        connection.execute(
            delete(mark_labels).where(
                m.person_id == person_id, m.label.in_(list(removed)), one_of(m.hash, list(keys))
            )
        )


def save_note(connection: Connection, person_id: PersonId, url: str, note: str) -> None:
    """Set the note of an item; an empty one removes it."""
    row = upsert(connection, marks).values(
        person_id=person_id, hash=url_hash(url), url=url, note=note or None
    )
    connection.execute(
        row.on_conflict_do_update(index_elements=["person_id", "hash"], set_={"note": row.excluded.note})
    )


def mark_stream_read(connection: Connection, stream: Stream, at: datetime) -> int:
    """Mark all unread items of a stream as read; return how many. With stories, all that tell of them are read too."""
    number, after = 0, None
    wanted = replace(stream, is_read=False, by_story=False)
    while page := load_stream_urls(connection, wanted, after, ROWS_PER_STATEMENT):
        urls = [url for _, url in page]
        if stream.by_story:
            urls += load_told_along(connection, urls, Along.STORY)
        set_marks(connection, stream.person_id, urls, {"read": True}, at)
        number, after = number + len(page), page[-1][0]
    return number


def rename_label(connection: Connection, person_id: PersonId, old: str, new: str | None) -> None:
    """Rename a label of a person's items; None deletes it."""
    m = mark_labels.c
    mine = (m.person_id == person_id, m.label == old)
    if new is not None and new != old:
        both = mark_labels.alias("both")
        has_new = (
            select(both.c.hash)
            .where(both.c.person_id == person_id, both.c.label == new, both.c.hash == m.hash)
            .correlate(mark_labels)
            .exists()
        )
        connection.execute(update(mark_labels).where(*mine, ~has_new).values(label=new))
    if new != old:
        connection.execute(delete(mark_labels).where(*mine))
