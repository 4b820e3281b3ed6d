"""Fit text to a width in cells of a terminal. Pure. Only this needs Rich's table of widths, not all of `text.py`."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from inforadar.tui.text import MAX_ACCENTS


def fit(text: str, width: int, *, right: bool = False) -> str:
    """Cut with an ellipsis or pad to exactly `width` cells. The text must be `safe` already."""
    # A cell has at most this many characters, so a title of 10 KB need not be measured to its end.
    short = text[: width * (MAX_ACCENTS + 1) + 1]
    length = cell_len(short)
    if length > width:
        short = set_cell_size(short, width - 1).rstrip() + "…" if width > 0 else ""
        length = cell_len(short)
    padding = " " * (width - length)
    return padding + short if right else short + padding
