"""Text within a block: plain, and as Markdown with its links, emphasis and code."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inforadar.errors import InvalidUrlError
from inforadar.stages.canonical.document.dom import INLINE, Node
from inforadar.urls import canonical_form

BREAK = "\x00"
"""Represents `<br>` until lines are split; the page's own NULs are already removed."""

_SPECIAL = re.compile(r"([\\`*_\[\]<])")
_STRONG = frozenset(("b", "strong"))
_EMPHASIS = frozenset(("i", "em", "cite", "var", "dfn"))
_CODE = frozenset(("code", "kbd", "samp", "tt"))


def read_inline(run: Iterable[Node | str], base: str) -> tuple[str, str, int]:
    """Read a run of text and inline elements; return plain text, Markdown and the length of text in links."""
    plain: list[str] = []
    marked: list[str] = []
    linked = 0
    for part in run:
        if isinstance(part, str):
            plain.append(part)
            marked.append(_SPECIAL.sub(r"\\\1", part))
        else:
            linked += _read(part, base, plain, marked)
    return "".join(plain), "".join(marked), linked


def _read(node: Node, base: str, plain: list[str], marked: list[str]) -> int:
    tag = node.tag
    if tag == "br":
        plain.append(BREAK)
        marked.append(BREAK)
        return 0
    if not node.children:
        return 0
    # A block inside a table cell or a heading: keep its words apart from its neighbour's.
    apart = tag not in INLINE
    if apart:
        plain.append(" ")
        marked.append(" ")
    text, inner, linked = read_inline(node.children, base)
    plain.append(text)
    marked.append(_decorated(node, text, inner, base))
    if apart:
        plain.append(" ")
        marked.append(" ")
    return len(text.strip()) if tag == "a" else linked


def _decorated(node: Node, text: str, inner: str, base: str) -> str:
    tag = node.tag
    if tag == "a":
        address = _address(node.get("href"), base)
        return _wrapped(inner, "[", f"]({address})") if address else inner
    if tag in _STRONG:
        return _wrapped(inner, "**", "**")
    if tag in _EMPHASIS:
        return _wrapped(inner, "*", "*")
    if tag in _CODE and "`" not in text:
        return _wrapped(text, "`", "`")
    return inner


def _wrapped(text: str, before: str, after: str) -> str:
    """Put marks directly around the words; never around nothing or across paragraphs."""
    words = text.strip()
    if not words or BREAK in text or words.startswith(before):
        return text
    return text.replace(words, f"{before}{words}{after}", 1)


def _address(href: str, base: str) -> str | None:
    href = href.strip()
    if not href or href[0] == "#" or href[:11].lower() == "javascript:":
        return None
    try:
        address = canonical_form(href, base)
    except InvalidUrlError:
        return None
    return address.replace("(", "%28").replace(")", "%29")


def code_text(node: Node) -> str:
    """Return preformatted text with its line breaks, including those of `<br>` and line elements."""
    pieces: list[str] = []
    _gather_code(node, pieces)
    return "".join(pieces).strip("\n").rstrip()


def _gather_code(node: Node, pieces: list[str]) -> None:
    for child in node.children:
        if isinstance(child, str):
            pieces.append(child)
        elif child.tag == "br":
            pieces.append("\n")
        else:
            _gather_code(child, pieces)
            if child.tag in ("div", "p", "li", "tr") and pieces and not pieces[-1].endswith("\n"):
                pieces.append("\n")
