"""Text within a block as a flat list of pieces, from which plain text and HTML are written.

HTML is written piece by piece: text is escaped, and only known tags are written. Nothing of the page's own markup
is copied. White space is moved out of elements, elements without text are left out, and an element that is open
where a paragraph ends is opened again in the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from inforadar.errors import InvalidUrlError
from inforadar.stages.canonical.document.dom import INLINE, Node
from inforadar.urls import canonical_form

BREAK = "\x00"
"""Represents `<br>`; the page's own NULs are already removed."""

_WRITTEN_TAGS = {
    **dict.fromkeys(("b", "strong"), "strong"),
    **dict.fromkeys(("i", "em", "cite", "var", "dfn"), "em"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    **dict.fromkeys(("s", "del", "strike"), "s"),
    **{tag: tag for tag in ("a", "q", "sub", "sup")},
}
_SPACE = re.compile(r"[^\S\x00]+")
_LINE_BREAK = re.compile(rf"\s*{BREAK}\s*")


@dataclass(frozen=True, slots=True)
class Edge:
    """The start or the end of an inline element."""

    tag: str
    address: str = ""
    """Of a link."""
    is_end: bool = False


Piece = str | Edge
"""Text, `BREAK`, or an edge. Edges are always paired and nested."""


def read_inline(run: Iterable[Node | str], base: str) -> tuple[list[Piece], int]:
    """Read a run of text and inline elements; return its pieces and the length of text in links."""
    pieces: list[Piece] = []
    linked = _read_run(run, base, pieces, frozenset())
    return pieces, linked


def _read_run(run: Iterable[Node | str], base: str, pieces: list[Piece], inside: frozenset[str]) -> int:
    linked = 0
    for part in run:
        if isinstance(part, str):
            pieces.append(part)
        elif part.tag == "br":
            pieces.append(BREAK)
        elif part.children:
            linked += _read(part, base, pieces, inside)
    return linked


def _read(node: Node, base: str, pieces: list[Piece], inside: frozenset[str]) -> int:
    tag = node.tag
    # A block inside a table cell or a heading: keep its words apart from its neighbour's.
    apart = tag not in INLINE
    if apart:
        pieces.append(" ")
    start = len(pieces)
    edge = _edge(node, base, inside)
    if edge:
        pieces.append(edge)
    linked = _read_run(node.children, base, pieces, inside | {edge.tag} if edge else inside)
    if edge:
        pieces.append(Edge(edge.tag, is_end=True))
    if tag == "a":
        linked = len(plain_text(pieces[start:]).strip())
    if apart:
        pieces.append(" ")
    return linked


def _edge(node: Node, base: str, inside: frozenset[str]) -> Edge | None:
    """The element to write for a node; None for one without meaning, or the same as one around it."""
    tag = _WRITTEN_TAGS.get(node.tag)
    if tag is None or tag in inside or "code" in inside:
        return None
    if tag != "a":
        return Edge(tag)
    address = web_address(node.get("href"), base)
    return Edge(tag, address) if address else None


def web_address(href: str, base: str) -> str | None:
    """The absolute address of a link; None for one that does not lead to another page of the web."""
    href = href.strip()
    if not href or href[0] == "#" or href[:11].lower() == "javascript:":
        return None
    try:
        return canonical_form(href, base)
    except InvalidUrlError:
        return None


def plain_text(pieces: Iterable[Piece]) -> str:
    """The text of the pieces as it stands, with `BREAK` for each line break."""
    return "".join(piece for piece in pieces if isinstance(piece, str))


def tidy(plain: str) -> str:
    """Fold the white space of a plain text; each break becomes a new line."""
    text = _SPACE.sub(" ", plain)
    return _LINE_BREAK.sub("\n", text).strip() if BREAK in text else text.strip()


def split_paragraphs(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """Split at two or more breaks in a row; elements open there are closed and opened again."""
    if pieces.count(BREAK) < 2:
        yield pieces
        return
    current: list[Piece] = []
    opened: list[Edge] = []
    breaks = 0
    for piece in pieces:
        if isinstance(piece, Edge):
            if piece.is_end:
                opened.pop()
            else:
                opened.append(piece)
        elif piece == BREAK:
            breaks += 1
        elif not piece.isspace() and piece:
            if breaks > 1:
                yield [*current, *(Edge(edge.tag, is_end=True) for edge in reversed(opened))]
                current = list(opened)
            breaks = 0
        current.append(piece)
    yield current


def render_inline(pieces: Sequence[Piece], *, line_break: str = "<br>\n") -> str:
    """Write the pieces as HTML on as few lines as they have."""
    if len(pieces) == 1 and isinstance(pieces[0], str):
        return escape(tidy(pieces[0]), quote=False)
    return "".join(_InlineWriter(line_break).write(pieces))


class _InlineWriter:
    """Writes pieces; an element's start waits for its first word, and a space for the word after it."""

    def __init__(self, line_break: str) -> None:
        self.line_break = line_break
        self.out: list[str] = []
        self.waiting: list[Edge] = []
        self.between = ""

    def write(self, pieces: Iterable[Piece]) -> list[str]:
        for piece in pieces:
            if isinstance(piece, Edge):
                self._write_edge(piece)
            elif piece == BREAK:
                if self.out:
                    self.between = self.line_break
            else:
                self._write_text(_SPACE.sub(" ", piece))
        return self.out

    def _write_edge(self, edge: Edge) -> None:
        if not edge.is_end:
            self.waiting.append(edge)
        elif self.waiting:
            self.waiting.pop()
        else:
            self.out.append(f"</{edge.tag}>")

    def _write_text(self, text: str) -> None:
        words = text.strip(" ")
        if text[:1] == " " and not self.between and self.out:
            self.between = " "
        if not words:
            return
        self._open_waiting()
        self.out.append(escape(words, quote=False))
        if text[-1] == " ":
            self.between = " "

    def _open_waiting(self) -> None:
        """Write the space or break before the next word, then the elements that start with it."""
        out = self.out
        if (
            len(self.waiting) == 1
            and not self.between
            and out
            and not self.waiting[0].address
            and out[-1] == f"</{self.waiting[0].tag}>"
        ):
            # `<b>a</b><b>b</b>` is one word.
            out.pop()
            self.waiting.clear()
        out.append(self.between)
        self.between = ""
        for edge in self.waiting:
            out.append(f'<a href="{escape(edge.address)}">' if edge.address else f"<{edge.tag}>")
        self.waiting.clear()


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
