"""Diff: compare a listing with the stored items and return what is new and what changed. Pure.

Null never wins: a field that is absent or empty in the listing leaves the stored value unchanged, so non-null never
becomes null. 0 is a value. An item keeps its first date.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inforadar.model.ids import UrlHash
from inforadar.model.item import DIFFED_FIELDS, Diff, FieldValue, ItemChange, KnownItem, Listed, NewItem
from inforadar.urls import url_hash

_NAMES = tuple(field.name for field in DIFFED_FIELDS)


def diff(listed: Sequence[Listed], known: Mapping[UrlHash, KnownItem]) -> Diff:
    """Compare by URL. If a listing has a URL twice, the first one counts."""
    added: list[NewItem] = []
    changed: list[ItemChange] = []
    seen: set[UrlHash] = set()
    for item in listed:
        key = url_hash(item.url)
        if key in seen:
            continue
        seen.add(key)
        existing = known.get(key)
        if existing is None:
            added.append(NewItem(hash=key, listed=item))
        elif not existing.forgotten and (fields := changed_fields(item, existing)):
            changed.append(ItemChange(id=existing.id, url=item.url, fields=fields))
    return Diff(added=tuple(added), changed=tuple(changed))


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
