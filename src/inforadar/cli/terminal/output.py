"""The output of commands: lines for people, JSON for programs. Tables, which need Rich, are in `tables.py`.

Text from the web is hostile, so it goes through `safe`, as in the terminal app.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, BinaryIO

import msgspec

from inforadar.cli.terminal.command import pasteable
from inforadar.masks import masked
from inforadar.tui.text import safe, safe_json, safe_text
from inforadar.views.times import local

__all__ = ["print_json", "print_line", "safe", "safe_text", "short_time"]


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
