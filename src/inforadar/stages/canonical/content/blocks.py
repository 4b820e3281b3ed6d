"""The article as a list of blocks: paragraphs, headings, list items, quotes, code, table rows, figures and rules.

Each block has its text twice: plain, for analysis and for the rules that clean the article, and as inline HTML. What
it is inside of (lists, quotes) is its path, so that blocks can be removed one by one and the rest still nests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from html import escape

from inforadar.stages.canonical.content.figures import Figure
from inforadar.stages.canonical.content.inline import (
    BREAK,
    Piece,
    code_text,
    plain_text,
    read_inline,
    render_inline,
    split_paragraphs,
    tidy,
)
from inforadar.stages.canonical.document.dom import INLINE, Node

_MAX_CELL_CHARACTERS = 400
"""A table with longer cells is used for page layout, not for data."""
MAX_BOXES = 12
"""Deeper lists and quotes are not nested any further."""
MAX_SPAN = 50
MIN_WITHOUT_CAPTIONS = 0.4
"""A page with less text outside captions than this share is a gallery: its captions are the article."""
MAX_MARKUP_CHARACTERS = 500_000
"""A paragraph with more markup than this is kept as plain text."""


class Kind(StrEnum):
    """The kind of a block; the values are for reading a dump of blocks."""

    PARAGRAPH = "paragraph"
    BARE = "bare"
    """Text outside any `<p>`: a paragraph on sloppy pages, elsewhere a label or a button."""
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    CODE = "code"
    ROW = "row"
    CAPTION = "caption"
    FIGURE = "figure"
    """Without a text, because the caption is not a part of the article's; in a gallery it is."""
    RULE = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """An element that holds blocks: a list or one of its items, a quote, a table."""

    tag: str
    number: int
    """Different for each element of the article."""
    start: int = 1
    """The number of the first item of an ordered list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    html: str
    is_heading: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    kind: Kind
    text: str
    html: str = ""
    """The text with its links, emphasis and the like."""
    link_length: int = 0
    level: int = 0
    """For a heading 1–6, for a list item its nesting depth, for a row its number of cells."""
    group: int = 0
    """The same number for all blocks of one list or table."""
    path: tuple[Box, ...] = ()
    """The enclosing elements, outermost first."""
    cells: tuple[Cell, ...] = ()
    figure: Figure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The position in the document: what a run of text found here belongs to."""

    kind: Kind
    level: int = 0
    group: int = 0
    linked: bool = False
    path: tuple[Box, ...] = ()


def read_blocks(main: Node, base: str, figures: Mapping[int, Figure] | None = None) -> list[Block]:
    """Read the blocks of an element in reading order; `base` makes links absolute.

    `figures` are those that were taken out of it, by the `id` of the nodes in their places.
    """
    reader = _Reader(base, figures or {})
    reader.read(main, _Place(kind=Kind.BARE))
    return reader.blocks


def gallery_blocks(blocks: Iterable[Block], kept: list[Block]) -> list[Block] | None:
    """The kept blocks and all figures, with their captions as text; None if the page is no gallery."""
    captions = {
        id(block): block.figure.caption_text for block in blocks if block.figure and block.figure.caption_text
    }
    text_length = sum(len(block.text) for block in kept)
    caption_length = sum(map(len, captions.values()))
    if text_length >= MIN_WITHOUT_CAPTIONS * (text_length + caption_length):
        return None
    chosen = {id(block) for block in kept}
    return [
        replace(block, text=captions.get(id(block), "")) if block.figure else block
        for block in blocks
        if block.figure or id(block) in chosen
    ]


def with_figures(blocks: Iterable[Block], kept: list[Block]) -> list[Block]:
    """Add to the kept blocks the figures and rules that stand beside one of them in all `blocks`."""
    found: list[Block] = []
    chosen = {id(block) for block in kept}
    waiting: list[Block] = []
    is_before_kept = True
    for block in blocks:
        if not block.text:
            waiting.append(block)
            continue
        is_kept = id(block) in chosen
        if is_kept or is_before_kept:
            if is_kept or found:
                found += waiting
                waiting = []
        else:
            waiting = []
        if is_kept:
            found.append(block)
        is_before_kept = is_kept or not found
    if is_before_kept and found:
        found += waiting
    return _without_idle_rules(found)


def _without_idle_rules(blocks: list[Block]) -> list[Block]:
    """Keep only rules between two other blocks."""
    found: list[Block] = []
    for block in blocks:
        if block.kind is not Kind.RULE or (found and found[-1].kind is not Kind.RULE):
            found.append(block)
    if found and found[-1].kind is Kind.RULE:
        found.pop()
    return found


class _Reader:
    def __init__(self, base: str, figures: Mapping[int, Figure]) -> None:
        self.base = base
        self.figures = figures
        self.blocks: list[Block] = []
        self.groups = 0
        self.boxes = 0

    def read(self, node: Node, place: _Place) -> None:
        if node.tag == "a" and not place.linked:
            place = replace(place, linked=True)
        run: list[Node | str] = []
        for child in node.children:
            if isinstance(child, str) or (child.tag in INLINE and not child.has_block):
                run.append(child)
                continue
            self._flush(run, place)
            self._descend(child, place)
        self._flush(run, place)

    def _descend(self, child: Node, place: _Place) -> None:
        tag = child.tag
        if tag == "p":
            self.read(child, replace(place, kind=Kind.PARAGRAPH) if place.kind is Kind.BARE else place)
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self.read(
                child, _Place(kind=Kind.HEADING, level=int(tag[1]), linked=place.linked, path=place.path)
            )
        elif tag in ("ul", "ol", "menu", "dir"):
            self._read_list(child, place)
        elif tag == "dl":
            self.read(child, self._inside(place, "dl"))
        elif tag in ("dt", "dd") and place.path and place.path[-1].tag == "dl":
            self.read(child, self._inside(place, tag))
        elif tag == "blockquote":
            self.read(child, self._inside(_Place(kind=Kind.QUOTE, linked=place.linked, path=place.path), tag))
        elif tag in ("pre", "xmp", "listing"):
            self._add_code(child, place)
        elif tag == "table" and (rows := _data_rows(child)):
            self._read_rows(rows, place)
        elif tag == "figcaption":
            self.read(child, _Place(kind=Kind.CAPTION, linked=place.linked, path=place.path))
        elif tag == "hr":
            self.blocks.append(Block(kind=Kind.RULE, text="", path=place.path))
        elif (figure := self.figures.get(id(child))) is not None:
            self.blocks.append(Block(kind=Kind.FIGURE, text="", path=place.path, figure=figure))
        else:
            self.read(child, place)

    def _inside(self, place: _Place, tag: str, start: int = 1) -> _Place:
        """The place inside a new box; the same place if that would be too deep."""
        has_room = len(place.path) < (MAX_BOXES if tag in ("li", "dt", "dd") else MAX_BOXES - 1)
        if not has_room:
            return place
        self.boxes += 1
        return replace(place, path=(*place.path, Box(tag=tag, number=self.boxes, start=start)))

    def _flush(self, run: list[Node | str], place: _Place) -> None:
        """Turn the gathered text into blocks."""
        if not run:
            return
        if all(isinstance(part, str) and part.isspace() for part in run):
            run.clear()
            return
        pieces, link_length = read_inline(run, self.base)
        run.clear()
        paragraphs = list(split_paragraphs(pieces))
        whole = sum(len(plain_text(paragraph)) for paragraph in paragraphs) if len(paragraphs) > 1 else 0
        for paragraph in paragraphs:
            share = len(plain_text(paragraph)) / whole if whole else 1.0
            self._add_text(paragraph, int(link_length * share), place)

    def _add_text(self, pieces: list[Piece], link_length: int, place: _Place) -> None:
        text = tidy(plain_text(pieces))
        if not text:
            return
        html = render_inline(pieces, line_break=" " if place.kind is Kind.HEADING else "<br>\n")
        if len(html) > MAX_MARKUP_CHARACTERS + 2 * len(text):
            # Thousands of links to long addresses: the text matters more.
            html = escape(text, quote=False)
        self.blocks.append(
            Block(
                kind=place.kind, text=text, html=html,
                link_length=len(text) if place.linked else min(link_length, len(text)),
                level=place.level, group=place.group, path=place.path,
            )
        )  # fmt: skip

    def _read_list(self, node: Node, place: _Place) -> None:
        level = place.level + 1 if place.kind is Kind.ITEM else 0
        if place.kind is Kind.ITEM:
            group = place.group
        else:
            self.groups += 1
            group = self.groups
        tag, start = ("ol", _number(node.get("start"), 1, 999_999)) if node.tag == "ol" else ("ul", 1)
        inside = self._inside(place, tag, start=start)
        for child in node.children:
            if isinstance(child, str):
                continue
            if child.tag == "li":
                item = _Place(kind=Kind.ITEM, level=level, group=group, linked=place.linked, path=inside.path)
                self.read(child, self._inside(item, "li") if inside is not place else item)
            else:
                self._descend(child, place)

    def _add_code(self, node: Node, place: _Place) -> None:
        text = code_text(node)
        if text:
            self.blocks.append(Block(kind=Kind.CODE, text=text, path=place.path))

    def _read_rows(self, rows: list[list[Node]], place: _Place) -> None:
        self.groups += 1
        path = self._inside(place, "table").path
        for row in rows:
            read = [read_inline([cell], self.base) for cell in row]
            texts = [_one_line(plain_text(pieces)) for pieces, _ in read]
            if not any(texts):
                continue
            self.blocks.append(
                Block(
                    kind=Kind.ROW, text=" | ".join(texts), group=self.groups, path=path, level=len(texts),
                    link_length=sum(linked for _, linked in read),
                    cells=tuple(_cell(node, pieces) for node, (pieces, _) in zip(row, read, strict=True)),
                )
            )  # fmt: skip


def _cell(node: Node, pieces: list[Piece]) -> Cell:
    return Cell(
        html=render_inline(pieces, line_break=" "),
        is_heading=node.tag == "th",
        columns=_number(node.get("colspan"), 1, MAX_SPAN),
        rows=_number(node.get("rowspan"), 1, MAX_SPAN),
    )


def _number(text: str, default: int, most: int) -> int:
    text = text.strip()
    return (
        int(text)
        if text.isascii() and text.isdigit() and len(text) < 7 and 0 < int(text) <= most
        else default
    )


def _one_line(text: str) -> str:
    return " ".join(text.replace(BREAK, " ").split())


def _data_rows(table: Node) -> list[list[Node]] | None:
    """Return the cells of a data table by row, or None for a layout table."""
    rows: list[list[Node]] = []
    for node in table.descendants():
        if node.tag == "table":
            return None
        if node.tag == "tr":
            cells = [
                child for child in node.children if isinstance(child, Node) and child.tag in ("td", "th")
            ]
            if any(cell.text_length > _MAX_CELL_CHARACTERS for cell in cells):
                return None
            if cells:
                rows.append(cells)
    return rows if len(rows) > 1 and max(map(len, rows)) > 1 else None
