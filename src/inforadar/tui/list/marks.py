"""Setting and clearing the marks of an article (A15). Pure; the app stores them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from inforadar.tui.list.columns import Row


def toggled(row: Row, name: str, at: datetime) -> tuple[Row, bool]:
    """Toggle a mark; return the new row and whether the mark is set now."""
    field = f"{name}_at"
    is_set = getattr(row.marks, field) is None
    return marked(row, name, at if is_set else None), is_set


def marked(row: Row, name: str, at: datetime | None) -> Row:
    changed: dict[str, Any] = {f"{name}_at": at}
    return replace(row, marks=replace(row.marks, **changed))
