"""Mark items as read, starred or archived for a person, label them, and note something about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from inforadar.errors import UsageError
from inforadar.model.ids import UrlHash
from inforadar.model.person import Along, PersonId
from inforadar.store.database import Database
from inforadar.store.items.item_filter import ItemFilter, ListPlace
from inforadar.store.people.marks import Marks
from inforadar.store.people.save_lists import mark_list_part, unmark_read
from inforadar.store.people.save_marks import (
    mark_stream_read,
    rename_label,
    save_all_marks,
    save_marks,
    save_marks_of,
)
from inforadar.store.people.streams import Stream

MAX_LABEL_CHARACTERS = 200
MAX_NOTE_CHARACTERS = 20_000


async def mark(
    database: Database,
    person_id: PersonId,
    url: str,
    changes: Mapping[str, bool],
    at: datetime,
    *,
    along: Along | None = None,
) -> Marks:
    """Set and clear the named marks of one item; return the marks it has now.

    Reading it marks its copies or its story as read too, as the person chose; `along` says it for this one time.
    """
    return await database.write(save_marks, person_id, url, changes, at, along=along)


async def mark_all(
    database: Database,
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
    """Set and clear marks and labels of several items in one transaction; `note` replaces their notes."""
    for label in (*labels_added, *labels_removed):
        check_label(label)
    if note is not None and len(note) > MAX_NOTE_CHARACTERS:
        raise UsageError(f"The note is longer than {MAX_NOTE_CHARACTERS} characters.")
    if not labels_added and not labels_removed and note is None:
        return await database.write(save_marks_of, person_id, urls, changes, at, along=along)
    return await database.write(
        save_all_marks,
        person_id,
        urls,
        changes,
        at,
        labels_added=labels_added,
        labels_removed=labels_removed,
        note=note,
        along=along,
    )


async def mark_stream(database: Database, stream: Stream, at: datetime) -> int:
    """Mark all items of a stream as read; return how many were not."""
    return await database.write(mark_stream_read, stream, at)


async def mark_list(
    database: Database, wanted: ItemFilter, first: ListPlace, seen_at: datetime, at: datetime
) -> int:
    """Mark a list as read, from a place on; return how many items were not.

    Each part is a transaction of its own, so that collecting does not wait for a million marks.
    """
    number, place = 0, first
    while True:
        marked, following = await database.write(mark_list_part, wanted, place, seen_at, at)
        number += marked
        if following is None:
            return number
        place = following


async def undo_mark_list(database: Database, person_id: PersonId, at: datetime) -> int:
    """Mark as unread what `mark_list` marked at this time; return how many."""
    return await database.write(unmark_read, person_id, at)


async def rename_item_label(database: Database, person_id: PersonId, old: str, new: str | None) -> None:
    """Rename a label of a person's items; None deletes it."""
    if new is not None:
        check_label(new)
    await database.write(rename_label, person_id, old, new)


def check_label(label: str) -> None:
    """Raise `UsageError` if the text cannot be a label."""
    if not label.strip() or len(label) > MAX_LABEL_CHARACTERS:
        raise UsageError(f"A label has 1 to {MAX_LABEL_CHARACTERS} characters.")
