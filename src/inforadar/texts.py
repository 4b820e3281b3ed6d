"""Texts from the web: what every part that reads or keeps one must do in the same way.

Documents are written by strangers. Some hold what no database stores, and some what the standard library trips
over; here both are dealt with once, so that a text is the same wherever it is looked at.
"""

from __future__ import annotations

import re
from html import unescape

_HUGE_NUMBER = re.compile(r"&#[xX]?[0-9a-fA-F]{9,};?")


def unescape_html(text: str) -> str:
    """HTML's references replaced by their signs."""
    try:
        return unescape(text)
    except ValueError:  # the standard library trips over numbers of thousands of digits
        return unescape(_HUGE_NUMBER.sub("\ufffd", text))


def storable_text(text: str) -> str:
    """Without NUL, which PostgreSQL does not store, and halves of surrogate pairs, which no database does.

    What was not cleaned before it is compared with what was stored differs from it at every fetch.
    """
    if "\x00" in text:
        text = text.replace("\x00", "")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def counted(number: int, noun: str) -> str:
    """`1 item`, `20 items`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
