"""What the commands print: tables for people, JSON for programs.

Text from the web is hostile: it goes through `safe`, as in the terminal app.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from inforadar.model.analysis import score_label
from inforadar.tui.text import safe, safe_text

__all__ = ["print_json", "print_line", "print_table", "safe", "safe_text", "score_text", "short_time"]


def print_json(document: Any) -> None:
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    sys.stdout.buffer.flush()


def print_line(text: str) -> None:
    print(text)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    """A table that fits the terminal; without colours when piped. `Text` cells keep their style."""
    console = Console(highlight=False, soft_wrap=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    filled = False
    for column in columns:
        table.add_column(
            column.rstrip(">"), justify="right" if column.endswith(">") else "left", overflow="ellipsis"
        )
    for row in rows:
        filled = True
        table.add_row(
            *(cell if isinstance(cell, Text) else Text(safe("–" if cell is None else cell)) for cell in row)
        )
    if not filled:
        print_line(empty)
        return
    if not console.is_terminal:
        console.width = 200
    console.print(table)


def score_text(score: float | None) -> Text:
    """The number with its word and colour: never colour alone."""
    if score is None:
        return Text("–")
    word = score_label(score)
    return Text(f"{score:.2f} {word}", style=_SCORE_COLOURS[word])


_SCORE_COLOURS = {"neutral": "green", "slanted": "yellow", "loaded": "red"}


def short_time(moment: datetime | None) -> str:
    """In the reader's own zone."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else "–"
