"""The article as a list of blocks: paragraphs, headings, list items, quotes, code and table rows.

Each block has its text twice, plain and as Markdown, because links and emphasis are known only while the
elements are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from inforadar.stages.canonical.content.inline import BREAK, code_text, read_inline
from inforadar.stages.canonical.document.dom import INLINE, Node

_SPACE = re.compile(r"[^\S\x00]+")
_PARAGRAPH_BREAK = re.compile(rf"(?:\s*{BREAK}\s*){{2,}}")
_LINE_BREAK = re.compile(rf"\s*{BREAK}\s*")
_MAX_CELL_CHARACTERS = 400
"""A table with longer cells is used for page layout, not for data."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    kind: Kind
    text: str
    markdown: str
    link_length: int = 0
    level: int = 0
    """For a heading 1–6, for a list item its nesting depth, for a row its number of cells."""
    marker: str = ""
    """The bullet or number of a list item; empty for its second paragraph."""
    group: int = 0
    """The same number for all blocks of one list or table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The position in the document: what a run of text found here belongs to."""

    kind: Kind
    level: int = 0
    marker: str = ""
    group: int = 0
    linked: bool = False


def read_blocks(main: Node, base: str) -> list[Block]:
    """Read the blocks of an element in reading order; `base` makes links absolute."""
    reader = _Reader(base)
    reader.read(main, _Place(kind=Kind.BARE))
    return reader.blocks


class _Reader:
    def __init__(self, base: str) -> None:
        self.base = base
        self.blocks: list[Block] = []
        self.groups = 0

    def read(self, node: Node, place: _Place) -> None:
        if node.tag == "a" and not place.linked:
            place = _Place(
                kind=place.kind, level=place.level, marker=place.marker, group=place.group, linked=True
            )
        run: list[Node | str] = []
        for child in node.children:
            if isinstance(child, str) or (child.tag in INLINE and not child.has_block):
                run.append(child)
                continue
            place = self._flush(run, place)
            place = self._descend(child, place)
        self._flush(run, place)

    def _descend(self, child: Node, place: _Place) -> _Place:
        tag = child.tag
        before = len(self.blocks)
        if tag == "p":
            kind = Kind.PARAGRAPH if place.kind is Kind.BARE else place.kind
            self.read(
                child,
                _Place(
                    kind=kind, level=place.level, marker=place.marker, group=place.group, linked=place.linked
                ),
            )
        elif len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            self.read(child, _Place(kind=Kind.HEADING, level=int(tag[1]), linked=place.linked))
        elif tag in ("ul", "ol", "menu", "dir"):
            self._read_list(child, place)
        elif tag == "blockquote":
            self.read(child, _Place(kind=Kind.QUOTE, linked=place.linked))
        elif tag in ("pre", "xmp", "listing"):
            self._add_code(child)
        elif tag == "table" and (rows := _data_rows(child)):
            self._read_rows(rows)
        elif tag == "figcaption":
            self.read(child, _Place(kind=Kind.CAPTION, linked=place.linked))
        else:
            self.read(child, place)
        if place.marker and len(self.blocks) > before:
            return _Place(kind=place.kind, level=place.level, group=place.group, linked=place.linked)
        return place

    def _flush(self, run: list[Node | str], place: _Place) -> _Place:
        """Turn the gathered text into blocks; the returned place has used up its marker."""
        if not run:
            return place
        if all(isinstance(part, str) and part.isspace() for part in run):
            run.clear()
            return place
        plain, markdown, link_length = read_inline(run, self.base)
        run.clear()
        texts, markdowns = [_SPACE.sub(" ", plain)], [_SPACE.sub(" ", markdown)]
        length = max(1, len(texts[0]))
        if BREAK in plain:
            texts, markdowns = _PARAGRAPH_BREAK.split(texts[0]), _PARAGRAPH_BREAK.split(markdowns[0])
            if len(markdowns) != len(texts):
                markdowns = texts
        for piece, marked in zip(texts, markdowns, strict=True):
            text = _LINE_BREAK.sub("\n", piece).strip()
            if not text:
                continue
            self.blocks.append(
                Block(
                    kind=place.kind, text=text, markdown=_LINE_BREAK.sub("\n", marked).strip(),
                    link_length=len(text) if place.linked else link_length * len(piece) // length,
                    level=place.level, marker=place.marker, group=place.group,
                )
            )  # fmt: skip
            if place.marker:
                place = _Place(kind=place.kind, level=place.level, group=place.group, linked=place.linked)
        return place

    def _read_list(self, node: Node, place: _Place) -> None:
        level = place.level + 1 if place.kind is Kind.ITEM else 0
        if place.kind is Kind.ITEM:
            group = place.group
        else:
            self.groups += 1
            group = self.groups
        number = 0
        for child in node.children:
            if isinstance(child, str):
                continue
            if child.tag == "li":
                number += 1
                marker = f"{number}." if node.tag == "ol" else "-"
                self.read(
                    child,
                    _Place(kind=Kind.ITEM, level=level, marker=marker, group=group, linked=place.linked),
                )
            else:
                self._descend(child, place)

    def _add_code(self, node: Node) -> None:
        text = code_text(node)
        if text:
            self.blocks.append(Block(kind=Kind.CODE, text=text, markdown=text))

    def _read_rows(self, rows: list[list[Node]]) -> None:
        self.groups += 1
        for row in rows:
            cells = [read_inline([cell], self.base) for cell in row]
            texts = [_one_line(text) for text, _, _ in cells]
            if not any(texts):
                continue
            marked = " | ".join(_one_line(markdown).replace("|", "\\|") for _, markdown, _ in cells)
            self.blocks.append(
                Block(
                    kind=Kind.ROW, text=" | ".join(texts), group=self.groups, markdown=f"| {marked} |",
                    link_length=sum(linked for _, _, linked in cells), level=len(texts),
                )
            )  # fmt: skip


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
