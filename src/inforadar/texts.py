"""Text handling that every part must do in the same way.

Documents come from strangers. Some contain characters that no database stores, and some make the standard library
fail. Both are handled here once, so that a text is the same everywhere.
"""

from __future__ import annotations

import re
import signal
from contextlib import suppress
from html import unescape

_HUGE_NUMBER = re.compile(r"&#[xX]?[0-9a-fA-F]{9,};?")


def unescape_html(text: str) -> str:
    """Replace HTML character references by their characters."""
    try:
        return unescape(text)
    except ValueError:  # the standard library fails on numbers with thousands of digits
        return unescape(_HUGE_NUMBER.sub("\ufffd", text))


def storable_text(text: str) -> str:
    """Remove NUL, which PostgreSQL cannot store, and replace lone surrogates, which no database can.

    Texts must be cleaned before they are compared with stored ones; otherwise they differ at every fetch.
    """
    if "\x00" in text:
        text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def ending(exit_code: int | None) -> str:
    """How a process ended, for a sentence: "killed by SIGKILL", "exit code 1"."""
    if exit_code is not None and exit_code < 0:
        with suppress(ValueError):
            return f"killed by {signal.Signals(-exit_code).name}"
    return f"exit code {exit_code}"


def counted(number: int, noun: str) -> str:
    """Format a count with its noun: `1 item`, `20 items`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
