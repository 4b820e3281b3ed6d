"""Diff: compare a listing with the stored items and return what is new and what changed. Pure.

Null never wins: a field that is absent or empty in the listing leaves the stored value unchanged, so non-null never
becomes null. 0 is a value. An item keeps its first date.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inforadar.model.item import (
    DIFFED_FIELDS,
    Diff,
    FieldValue,
    ItemChange,
    ItemUpkeep,
    KnownItem,
    Listed,
    NewItem,
)
from inforadar.stages.match import match_entries

_NAMES = tuple(field.name for field in DIFFED_FIELDS)


def diff(listed: Sequence[Listed], known: Iterable[KnownItem]) -> Diff:
    """Compare entries with the items that they are, as `match_entries` finds them."""
    added: list[NewItem] = []
    changed: list[ItemChange] = []
    upkeep: list[ItemUpkeep] = []
    for match in match_entries(listed, known):
        entry, item = match.listed, match.known
        if item is None:
            added.append(NewItem(url=match.url, hash=match.hash, listed=entry))
        elif not item.forgotten:
            if fields := changed_fields(entry, item):
                changed.append(ItemChange(id=item.id, url=match.url, fields=fields))
            if columns := _upkeep(entry, item, fields):
                upkeep.append(ItemUpkeep(id=item.id, columns=columns))
    return Diff(added=tuple(added), changed=tuple(changed), upkeep=tuple(upkeep))


def _upkeep(listed: Listed, known: KnownItem, changed: Mapping[str, Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if listed.has_link and listed.link != (known.link or known.url):
        columns["link"] = None if listed.link == known.url else listed.link
    if listed.guid and known.guid is None:
        columns["guid"] = listed.guid
    if listed.updated_at and listed.updated_at != known.updated_at:
        columns["revised_at"] = listed.updated_at
    # The content is not loaded to be compared, as it is by far the largest part of an item.
    is_revised = "revised_at" in columns and known.updated_at is not None
    if listed.content and (is_revised or not _TEXTS.isdisjoint(changed)):
        columns["content"] = listed.content
    return columns


_TEXTS = frozenset({"title", "snippet"})


def changed_fields(listed: Listed, known: KnownItem) -> dict[str, tuple[FieldValue | None, FieldValue]]:
    """Return {field: (old, new)} for each metadata field that is present, not empty and different."""
    changes: dict[str, tuple[FieldValue | None, FieldValue]] = {}
    for name in _NAMES:
        new: FieldValue | None = getattr(listed, name)
        if new is None or new in ("", ()) or new != new:  # noqa: PLR0124 - true for NaN
            continue
        old = known.fields.get(name)
        if new != old:
            changes[name] = (None if old == () else old, new)
    return changes
