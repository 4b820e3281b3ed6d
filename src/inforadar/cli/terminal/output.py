"""The output of commands: tables for people, JSON for programs.

Text from the web is hostile, so it goes through `safe`, as in the terminal app.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, BinaryIO

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from inforadar.cli.terminal.command import pasteable
from inforadar.masks import masked
from inforadar.model.analysis import NOT_MEASURED, score_label
from inforadar.tui.text import safe, safe_json, safe_text
from inforadar.views.times import local

WIDE_COLUMNS = 120
"""The width of a terminal that has room for whole tables."""

__all__ = ["print_json", "print_line", "print_table", "safe", "safe_text", "score_text", "short_time"]


def print_json(document: Any) -> None:
    """Print a document as indented JSON. Where a person sees it, what may harm the terminal is escaped."""
    written = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
    with binary_output() as out:
        out.write(safe_json(written.decode()).encode() if sys.stdout.isatty() else written)


@contextmanager
def binary_output() -> Iterator[BinaryIO]:
    """Open standard output for bytes, for documents with an encoding of their own."""
    out = sys.stdout.buffer
    yield out
    out.flush()


def print_line(text: str) -> None:
    """Print a line, with secrets masked and our commands as they can be pasted."""
    # At once: into a pipe or a log, lines of a program that goes on would wait for its end.
    print(masked(pasteable(text)), flush=True)


def print_note(text: str) -> None:
    """Print a line below a table: on standard error if the table goes to a program."""
    print(masked(pasteable(text)), file=sys.stdout if sys.stdout.isatty() else sys.stderr, flush=True)


def print_warning(text: str) -> None:
    """Print a warning on standard error, with secrets masked, in the style of errors."""
    print(f"inforadar: {masked(text)}", file=sys.stderr)


def is_narrow() -> bool:
    """Tell whether the output goes to a terminal that is too narrow for whole tables."""
    console = Console()
    return console.is_terminal and console.width < WIDE_COLUMNS


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    empty: str,
    only_wide: Collection[str] = (),
) -> None:
    """Print a table that fits the terminal, dropping the columns `only_wide` first; with tabs when piped.

    A column's name ends with `>` if it holds numbers, and with `!` if it is never cut. `empty` stands for no rows.
    """
    console = Console(highlight=False, soft_wrap=False)
    left_out = only_wide if is_narrow() else ()
    shown = [index for index, column in enumerate(columns) if column not in left_out]
    cells = [[_cell(row[index]) for index in shown] for row in rows]
    if not cells:
        print_line(empty)
    elif console.is_terminal:
        console.print(_table([columns[index] for index in shown], cells))
    else:
        _print_whole([columns[index] for index in shown], cells)


def _table(columns: Sequence[str], cells: Iterable[Sequence[Text]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(
            name.rstrip(">!"),
            justify="right" if ">" in name else "left",
            overflow="ellipsis",
            no_wrap="!" in name,
        )
    for row in cells:
        table.add_row(*row)
    return table


def _print_whole(columns: Sequence[str], cells: Sequence[Sequence[Text]]) -> None:
    """Print a table for programs: nothing cut, nothing padded, a tab between two cells, which hold none themselves."""
    print("\t".join(name.rstrip(">!") for name in columns))
    for row in cells:
        print("\t".join(cell.plain for cell in row))


def _cell(value: object) -> Text:
    text = value if isinstance(value, Text) else Text(masked(safe("–" if value is None else value)))
    # A cell is cut instead of wrapped; Rich still shrinks the widest columns first.
    text.no_wrap, text.overflow = True, "ellipsis"
    return text


def score_text(score: float | None, *, is_analyzed: bool = True) -> Text:
    """Return a score with its word and colour, never colour alone."""
    if score is None:
        return Text(NOT_MEASURED if is_analyzed else "–", style="dim")
    word = score_label(score)
    return Text(f"{score:.2f} {word}", style=_SCORE_COLOURS[word])


_SCORE_COLOURS = {"neutral": "green", "slanted": "yellow", "loaded": "red"}


def size_text(number: int) -> str:
    """Return a number of bytes in a readable unit."""
    size = float(number)
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{number} bytes" if unit == "bytes" else f"{size:.1f} {unit}"


def short_time(moment: datetime | None) -> str:
    """Return a time in the reader's own zone."""
    return local(moment).strftime("%Y-%m-%d %H:%M") if moment else "–"
