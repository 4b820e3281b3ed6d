"""Renders blocks as clean HTML: the form in which an article is kept. Each element starts on a line of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

from inforadar.stages.canonical.content.blocks import Block, Box, Kind
from inforadar.stages.canonical.content.figures import Figure
from inforadar.stages.canonical.content.safe_html import safe_html

MAX_HTML_CHARACTERS = 1_000_000
"""Blocks beyond this are left out."""
TOP_HEADING_LEVEL = 2
"""The article's title is the first level."""
_LISTS = {"ul": "li", "ol": "li", "dl": "dd"}


def render_html(blocks: Sequence[Block]) -> str:
    """Render clean HTML. Only known tags are written, and the sanitizer checks it once more."""
    writer = _Writer(_loose_items(blocks))
    for block in blocks:
        writer.write(block)
        if writer.size > MAX_HTML_CHARACTERS:
            break
    return safe_html(writer.finish())


def _loose_items(blocks: Iterable[Block]) -> set[int]:
    """The list items with more than one block of their own: their text is in paragraphs."""
    counts = Counter(block.path[-1].number for block in blocks if block.path)
    return {number for number, count in counts.items() if count > 1}


class _Writer:
    def __init__(self, loose: set[int]) -> None:
        self.loose = loose
        self.out: list[str] = []
        self.size = 0
        self.open: list[Box] = []
        self.section = ""
        """The part of the table that is open."""
        self.is_tight = False
        """The last line is text of an item, which ends on the same line."""

    def write(self, block: Block) -> None:
        shared = 0
        for box, opened in zip(block.path, self.open, strict=False):
            if box.number != opened.number:
                break
            shared += 1
        self._close_to(shared)
        for box in block.path[shared:]:
            start = f' start="{box.start}"' if box.tag == "ol" and box.start != 1 else ""
            self._add(f"<{box.tag}{start}>")
            self.open.append(box)
        if block.kind is Kind.ROW:
            self._write_row(block)
        elif self._is_item_text(block):
            self.out[-1] += block.html
            self.size += len(block.html)
            self.is_tight = True
        else:
            self._add(self._rendered(block))

    def finish(self) -> str:
        self._close_to(0)
        return "\n".join(self.out)

    def _is_item_text(self, block: Block) -> bool:
        """Is it the only text of a list item, or a term?"""
        if not self.open or block.kind in (Kind.HEADING, Kind.CODE, Kind.FIGURE, Kind.RULE):
            return False
        box = self.open[-1]
        return box.tag in ("li", "dt", "dd") and box.number not in self.loose

    def _add(self, html: str) -> None:
        self.is_tight = False
        self.out.append(html)
        self.size += len(html) + 1

    def _close_to(self, depth: int) -> None:
        while len(self.open) > depth:
            if self.section:
                self._add(f"</{self.section}>")
                self.section = ""
            end = f"</{self.open.pop().tag}>"
            if self.is_tight:
                self.out[-1] += end
                self.is_tight = False
            else:
                self._add(end)

    def _write_row(self, block: Block) -> None:
        is_head = all(cell.is_heading for cell in block.cells) and self.section != "tbody"
        section = "thead" if is_head else "tbody"
        if section != self.section:
            if self.section:
                self._add(f"</{self.section}>")
            self._add(f"<{section}>")
            self.section = section
        cells = []
        for cell in block.cells:
            tag = "th" if cell.is_heading else "td"
            spans = "".join(
                f' {name}="{number}"'
                for name, number in (("colspan", cell.columns), ("rowspan", cell.rows))
                if number > 1
            )
            cells.append(f"<{tag}{spans}>{cell.html}</{tag}>")
        self._add(f"<tr>{''.join(cells)}</tr>")

    def _rendered(self, block: Block) -> str:
        inner = self._element(block)
        # Text beside the items of a list, which HTML does not allow.
        if self.open and (tag := _LISTS.get(self.open[-1].tag)):
            return f"<{tag}>{inner}</{tag}>"
        return inner

    def _element(self, block: Block) -> str:
        if block.kind is Kind.RULE:
            return "<hr>"
        if block.kind is Kind.CODE:
            return f"<pre><code>{escape(block.text, quote=False)}</code></pre>"
        if block.kind is Kind.HEADING:
            level = max(TOP_HEADING_LEVEL, block.level)
            return f"<h{level}>{block.html}</h{level}>"
        if block.figure is not None:
            return _figure(block.figure)
        return f"<p>{block.html}</p>"


def _figure(figure: Figure) -> str:
    pictures = []
    for picture in figure.pictures:
        size = (
            f' width="{picture.width}" height="{picture.height}"' if picture.width and picture.height else ""
        )
        pictures.append(f'<img src="{escape(picture.src)}" alt="{escape(picture.alt)}"{size}>')
    caption = f"<figcaption>{figure.caption}</figcaption>" if figure.caption else ""
    return f"<figure>{''.join(pictures)}{caption}</figure>"
