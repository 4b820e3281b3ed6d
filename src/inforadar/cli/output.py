"""What the commands print: tables for people, JSON for programs.

Text from the web can hold escape sequences, line breaks and characters that turn the writing around: `safe` makes
it harmless for a terminal.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

_HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
"""Controls, zero-width characters, and marks that change the direction of what follows."""


def safe(value: object) -> str:
    """One line that a terminal shows as it is."""
    return " ".join(_HARMFUL.sub(" ", str(value)).split())


def safe_text(value: str) -> str:
    """As `safe`, with its lines and indentation kept: for texts that are shown as a whole."""
    return "\n".join(_HARMFUL.sub("", line.expandtabs(4)) for line in value.splitlines())


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
    word, colour = (
        ("neutral", "green") if score < 0.34 else ("slanted", "yellow") if score < 0.67 else ("loaded", "red")
    )
    return Text(f"{score:.2f} {word}", style=colour)


def size_text(number: int) -> str:
    """Bytes as people say them."""
    size = float(number)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{number} bytes" if unit == "bytes" else f"{size:.1f} {unit}"


def short_time(moment: datetime | None) -> str:
    """In the reader's own zone."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else "–"
