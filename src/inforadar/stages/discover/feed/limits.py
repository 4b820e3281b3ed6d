"""Limits on a document, checked before it is parsed.

A parser given 100,000 attributes or millions of elements can block the process or exhaust its memory. So each
document is scanned first, at almost no cost, and read only up to the first thing that no real feed contains.
"""

from __future__ import annotations

import random
import re
from itertools import islice

MAX_BYTES = 16 * 2**20
MAX_ELEMENTS = 400_000
"""Each element costs the parser some hundred bytes, however short its tag is."""

MAX_ENTRIES = 20_000
"""More than any real feed has. A document with a million empty items must not become a million objects."""

MAX_REFERENCES = 1_000_000
MAX_ATTRIBUTES = 1_000
_MANY_NAMES = 150
_SMALL_DOCUMENT_BYTES = 256 * 1024
_SAMPLES = 4
_SAMPLE_BYTES = 2048
_NAME = re.compile(rb"<([A-Za-z_][^\s/>]*)|\s([A-Za-z_][\w:.-]*)=[\"']")
_COUNTED = ((b"<", MAX_ELEMENTS, len("<a/>"), "tags"), (b"&", MAX_REFERENCES, len("&;"), "references"))
_WINDOW_BYTES = 16 * 1024
_TAG = re.compile(rb"<[A-Za-z_](?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+")
_ATTRIBUTE = re.compile(rb"=\s*[\"']")
_NAMESPACE = re.compile(rb"xmlns(?::[^\s=<>\"':]*+)?+\s*+=\s*+(?:\"[^\"<]*+|'[^'<]*+)")
_PIECE = re.compile(
    rb"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|</[^<>]*+>"""
    rb"""|(?P<tag><[^<>"'!?/][^<>"']*+(?:(?:"[^"<]*+"|'[^'<]*+')[^<>"']*+)*+>)""",
    re.DOTALL,
)
"""Everything that may begin with `<` in a well-formed document, except its type declaration."""

_PASSED_OVER_OR_ENTRY_END = re.compile(
    rb"<(?:!\[CDATA\[.*?(?:\]\]>|\Z)|!--.*?(?:-->|\Z)|/(?P<entry>item|entry)\s*+>)",
    re.DOTALL | re.IGNORECASE,
)
"""The end of an entry. What only quotes one is matched whole."""

_MAX_NAMESPACES = 100
_MAX_NAMESPACE_BYTES = 10_000
"""Total length of the distinct declarations. Real feeds have about twenty, each a short address."""


def cut_to_limits(data: bytes) -> tuple[bytes, str | None]:
    """The part of an XML document that is safe to parse, and a warning if something was cut off."""
    warning = None
    if len(data) > MAX_BYTES:
        data, warning = data[:MAX_BYTES], f"It is larger than {MAX_BYTES // 2**20} MB; the rest was not read."
    for character, limit, shortest, name in _COUNTED:
        if len(data) > limit * shortest and data.count(character) > limit:
            data = _first_entries(data[: _nth_position(character, data, limit)])
            warning = f"It has more than {limit:,} {name}; the rest was not read."
    start = _overloaded_tag(data)
    if start is not None:
        data, warning = (
            data[:start],
            f"It has an element with more than {MAX_ATTRIBUTES:,} attributes; reading stopped there.",
        )
    return data, warning


def _nth_position(character: bytes, data: bytes, number: int) -> int:
    position = -1
    for _ in range(number):
        position = data.find(character, position + 1)
    return position


def _first_entries(data: bytes) -> bytes:
    """The part of a document that is cut off anyway in which all entries are that will be read, and one more.

    The one more tells the reader that there are too many. What comes after it would only fill the tree.
    """
    ends = (found.end() for found in _PASSED_OVER_OR_ENTRY_END.finditer(data) if found["entry"])
    return data[: next(islice(ends, MAX_ENTRIES, None), len(data))]


def _overloaded_tag(data: bytes) -> int | None:
    """The position of the first tag with too many attributes.

    A tag cannot contain `<`, so a very long tag leaves at least one whole window of the document without one.
    Such windows are rare, and only they are examined closely.
    """
    seen = -1
    for window in range(0, len(data) - _WINDOW_BYTES, _WINDOW_BYTES):
        if data.find(b"<", window, window + _WINDOW_BYTES) == -1:
            start = data.rfind(b"<", 0, window)
            if start > seen:
                seen = start
                tag = _TAG.match(data, start)
                if tag is not None and len(_ATTRIBUTE.findall(tag[0])) > MAX_ATTRIBUTES:
                    return start
    return None


def has_excessive_namespaces(data: bytes) -> bool:
    """Whether a document declares so many or so long namespaces that its elements would exhaust memory.

    The parser stores the namespace with each element and writes every namespace in scope with each piece of
    markup, so one declaration is copied for every element.
    """
    # The quick count over all of the text first: hardly any document needs the exact one.
    return _are_excessive(_NAMESPACE.findall(data)) and _are_excessive(_declarations_in_tags(data))


def _are_excessive(declarations: list[bytes]) -> bool:
    declared = set(declarations)
    return len(declared) > _MAX_NAMESPACES or sum(map(len, declared)) > _MAX_NAMESPACE_BYTES


def _declarations_in_tags(data: bytes) -> list[bytes]:
    """The declarations inside tags: a feed's texts may quote XML as much as they like.

    After the first place that is not well-formed every declaration counts, because how a parser will read the rest
    is unknown.
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
    """Whether a large document seems to use more element and attribute names than feeds do.

    Judged by samples, because scanning everything would take longer than parsing; at random positions, because an
    attacker could keep fixed positions clean.
    """
    if len(data) <= _SMALL_DOCUMENT_BYTES:
        return False
    step = len(data) // _SAMPLES
    start = random.randrange(step - _SAMPLE_BYTES)
    names: set[tuple[bytes, bytes]] = set()
    for position in range(start, len(data), step):
        names.update(_NAME.findall(data, position, position + _SAMPLE_BYTES))
    return len(names) > _MANY_NAMES
