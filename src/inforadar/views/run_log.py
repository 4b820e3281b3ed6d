"""The log lines of a run, the same in the terminal, on the page and in the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inforadar.model.item import FieldValue, Listed
from inforadar.model.schedule import Saved
from inforadar.views.field_diff import plain_change, shown_changes


def saved_lines(listed: Sequence[Listed], saved: Saved) -> list[str]:
    """The changes made by saving, one line per item."""
    titles = {item.url: item.title for item in listed}
    lines = [added_line(new.listed.title or new.url) for new in saved.added]
    return lines + [
        changed_line(titles.get(change.url) or change.url, change.fields) for change in saved.changed
    ]


def added_line(title: str) -> str:
    return f"+ {title}"


def changed_line(title: str, fields: Mapping[str, tuple[FieldValue | None, FieldValue]]) -> str:
    """`~ Asyncio in practice: views 120 → 140, comments 4 → 6`."""
    changes = ", ".join(f"{one.field} {plain_change(one)}" for one in shown_changes(fields))
    return f"~ {title}: {changes}"
