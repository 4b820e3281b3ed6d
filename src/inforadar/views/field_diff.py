"""The change of one field of an item as people read it: the words that differ, numbers with a sign, lists by part.

A title or a summary may differ in one word near its end. Cut at a fixed length, old and new would look the same; so the
difference is found first, and what is equal is folded around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

from inforadar.model.item import COUNTERS, DIFFED_FIELDS
from inforadar.model.metadata_fields import json_value
from inforadar.views.item import shown_value
from inforadar.views.times import full_time

CONTEXT_CHARS = 32
"""How much equal text is shown on each side of a difference."""
MAX_COMPARED = 40_000
"""Pairs of words compared in one text; beyond that, its changed middle is shown whole."""
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|\s+|[^\w\s]")
_LABELS = {"snippet": "summary", "enclosures": "files", "published_at": "published", "updated_at": "updated"}
_ORDER = {field.name: place for place, field in enumerate(DIFFED_FIELDS)}


class Side(StrEnum):
    SAME = "same"
    OLD = "old"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChange:
    """One field: its name for people, and pieces of text that are equal, old or new."""

    field: str
    pieces: tuple[tuple[Side, str], ...]
    note: str = ""
    """`+12` for a number."""


def shown_changes(fields: Mapping[str, tuple[Any, Any]]) -> list[ShownChange]:
    """The changes of an item, in the order of reports."""
    names = sorted(fields, key=lambda name: _ORDER.get(name, len(_ORDER)))
    return [show_change(name, *fields[name]) for name in names]


def show_change(name: str, old: Any, new: Any) -> ShownChange:
    field = _LABELS.get(name, name).replace("_", " ")
    old, new = json_value(old), json_value(new)
    if name in COUNTERS and _is_number(old) and _is_number(new):
        pieces = ((Side.OLD, shown_count(name, old)), (Side.NEW, shown_count(name, new)))
        return ShownChange(field=field, pieces=pieces, note=f"{new - old:+,.10g}")
    if isinstance(old or [], list) and isinstance(new or [], list):
        return ShownChange(field=field, pieces=tuple(_list_pieces(old or [], new or [])))
    if name.endswith("_at"):
        times = ((Side.OLD, old), (Side.NEW, new))
        return ShownChange(field=field, pieces=tuple((side, _time(one)) for side, one in times if one))
    return ShownChange(field=field, pieces=diff_pieces(_text(old), _text(new)))


def shown_count(name: str, number: float) -> str:
    """`12,345`; a rating keeps its fraction, and has the sign that every view gives it: `+5`, `-3`."""
    sign = "+" if name == "rating" and number > 0 else ""
    return sign + (f"{number:,}" if isinstance(number, int) else f"{number:,.10g}")


def diff_pieces(old: str, new: str) -> tuple[tuple[Side, str], ...]:
    """The words that differ, each with a little of what is equal around it."""
    if not old or not new:
        return tuple(piece for piece in ((Side.OLD, old), (Side.NEW, new)) if piece[1])
    pieces = list(_compare(_WORD.findall(old), _WORD.findall(new)))
    last = len(pieces) - 1
    return tuple(
        (side, _folded(text, is_first=place == 0, is_last=place == last) if side is Side.SAME else text)
        for place, (side, text) in enumerate(pieces)
    )


def plain_change(change: ShownChange) -> str:
    """A change on one line of a log: `120 → 140`, `…in Rome → in Milan on Monday…`."""
    sides = {Side.OLD: "", Side.NEW: ""}
    for side, text in change.pieces:
        for one in sides:
            sides[one] += text if side in {one, Side.SAME} else ""
    old, new = (" ".join(text.split()) for text in sides.values())
    return f"{old or '–'} → {new or '–'}"


def _compare(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Side, str]]:
    first = _common(old, new)
    last = _common(old[first:][::-1], new[first:][::-1])
    one, other = old[first : len(old) - last], new[first : len(new) - last]
    if first:
        yield Side.SAME, "".join(old[:first])
    if len(one) * len(other) > MAX_COMPARED:
        yield Side.OLD, "".join(one)
        yield Side.NEW, "".join(other)
    else:
        for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
            if kind == "equal":
                yield Side.SAME, "".join(one[a:b])
                continue
            if b > a:
                yield Side.OLD, "".join(one[a:b])
            if d > c:
                yield Side.NEW, "".join(other[c:d])
    if last:
        yield Side.SAME, "".join(old[len(old) - last :])


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many words both begin with."""
    pairs = enumerate(zip(old, new, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(old), len(new)))


def _folded(text: str, *, is_first: bool, is_last: bool) -> str:
    """Equal text without what is far from any difference."""
    head = "" if is_first else text[:CONTEXT_CHARS]
    tail = "" if is_last else text[-CONTEXT_CHARS:]
    return text if len(head) + len(tail) + 1 >= len(text) else f"{head}…{tail}"


def _list_pieces(old: Sequence[Any], new: Sequence[Any]) -> Iterator[tuple[Side, str]]:
    """The parts that went and came; those that stayed are not shown."""
    one, other = [_text(part) for part in old], [_text(part) for part in new]
    gone = [part for part in one if part not in set(other)]
    came = [part for part in other if part not in set(one)]
    if not gone and not came:
        # Only their order changed.
        gone, came = one, other
    if gone:
        yield Side.OLD, ", ".join(gone)
    if came:
        yield Side.NEW, ", ".join(came)


def _text(value: Any) -> str:
    return shown_value(value) or ""


def _time(value: Any) -> str:
    """A stored time for people; what is none, as it is."""
    try:
        return full_time(datetime.fromisoformat(str(value)))
    except ValueError:
        return _text(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
