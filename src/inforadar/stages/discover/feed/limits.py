"""How much of a document is read at all.

A parser that is fed 100,000 attributes or millions of elements can hold or bloat the process. So a document
is looked over before it is parsed, at almost no cost, and read only up to the first thing that no feed holds.
"""

from __future__ import annotations

import random
import re

MAX_BYTES = 16 * 2**20
MAX_ELEMENTS = 400_000
"""Each element costs a parser some hundred bytes, however short its tag."""

MAX_REFERENCES = 1_000_000
MAX_ATTRIBUTES = 1_000
_MANY_NAMES = 150
_SMALL = 256 * 1024
_SAMPLES = 4
_SAMPLE = 2048
_NAME = re.compile(rb"<([A-Za-z_][^\s/>]*)|\s([A-Za-z_][\w:.-]*)=[\"']")
_COUNTED = ((b"<", MAX_ELEMENTS, len("<a/>"), "tags"), (b"&", MAX_REFERENCES, len("&;"), "references"))
_WINDOW = 16 * 1024
_TAG = re.compile(rb"<[A-Za-z_](?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+")
_ATTRIBUTE = re.compile(rb"=\s*[\"']")
_NAMESPACE = re.compile(rb"xmlns(?::[^\s=<>\"':]*+)?+\s*+=\s*+(?:\"[^\"<]*+|'[^'<]*+)")
_PIECE = re.compile(
    rb"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|</[^<>]*+>"""
    rb"""|(?P<tag><[^<>"'!?/][^<>"']*+(?:(?:"[^"<]*+"|'[^'<]*+')[^<>"']*+)*+>)""",
    re.DOTALL,
)
"""What may begin with a `<` in a document that is well-formed, its type declaration aside."""
_MAX_NAMESPACES = 100
_MAX_NAMESPACE_BYTES = 10_000
"""Of all that are declared, the repeated ones counted once. Feeds have some twenty, each a short address."""


def within_limits(data: bytes) -> tuple[bytes, str | None]:
    """The part of an XML document that is safe to parse, and a sentence if that is not all of it."""
    warning = None
    if len(data) > MAX_BYTES:
        data, warning = data[:MAX_BYTES], f"It is larger than {MAX_BYTES // 2**20} MB; the rest was not read."
    for sign, most, shortest, name in _COUNTED:
        if len(data) > most * shortest and data.count(sign) > most:
            data = data[: _nth(sign, data, most)]
            warning = f"It has more than {most:,} {name}; the rest was not read."
    start = _overloaded_tag(data)
    if start is not None:
        data, warning = (
            data[:start],
            f"It has an element with over {MAX_ATTRIBUTES:,} attributes; it was read up to there.",
        )
    return data, warning


def _nth(sign: bytes, data: bytes, number: int) -> int:
    position = -1
    for _ in range(number):
        position = data.find(sign, position + 1)
    return position


def _overloaded_tag(data: bytes) -> int | None:
    """Where the first tag with too many attributes begins.

    A `<` cannot stand in a tag, so a very long tag leaves at least one whole window of the document without
    any; only around such windows, which are rare, does it pay to look closer.
    """
    seen = -1
    for window in range(0, len(data) - _WINDOW, _WINDOW):
        if data.find(b"<", window, window + _WINDOW) == -1:
            start = data.rfind(b"<", 0, window)
            if start > seen:
                seen = start
                tag = _TAG.match(data, start)
                if tag is not None and len(_ATTRIBUTE.findall(tag[0])) > MAX_ATTRIBUTES:
                    return start
    return None


def has_odd_namespaces(data: bytes) -> bool:
    """Whether a document declares so many or so long ones that naming its elements fills the memory.

    A parser names each element by its namespace and writes each piece of markup with all that are in scope,
    so that what was declared once is copied for every element.
    """
    return _are_odd(_NAMESPACE.findall(data)) and _are_odd(_declared(data))


def _are_odd(declarations: list[bytes]) -> bool:
    declared = set(declarations)
    return len(declared) > _MAX_NAMESPACES or sum(map(len, declared)) > _MAX_NAMESPACE_BYTES


def _declared(data: bytes) -> list[bytes]:
    """Those that stand in tags. A feed may write about XML, in its texts, as much as it likes.

    From the first place on where the document is not well-formed, all count: what a parser makes of it is not known.
    """
    declared: list[bytes] = []
    position = 0
    while (start := data.find(b"<", position)) != -1:
        piece = _PIECE.match(data, start)
        if piece is None:
            return declared + _NAMESPACE.findall(data, start)
        if piece["tag"]:
            declared += _NAMESPACE.findall(piece["tag"])
        position = piece.end()
    return declared


def has_many_names(data: bytes) -> bool:
    """Whether a large document seems to have more names of elements and attributes than feeds have.

    Judged by samples, because all of it would take longer to look at than to parse; at random, because
    whoever knew the places could leave them clean.
    """
    if len(data) <= _SMALL:
        return False
    step = len(data) // _SAMPLES
    start = random.randrange(step - _SAMPLE)
    names: set[tuple[bytes, bytes]] = set()
    for position in range(start, len(data), step):
        names.update(_NAME.findall(data, position, position + _SAMPLE))
    return len(names) > _MANY_NAMES
