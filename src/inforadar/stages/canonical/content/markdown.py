"""Renders blocks as plain text for analysis and search, and as Markdown for terminals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby

from inforadar.stages.canonical.content.blocks import Block, Box, Kind
from inforadar.stages.canonical.content.figures import Figure
from inforadar.stages.canonical.content.html import MAX_HTML_CHARACTERS, TOP_HEADING_LEVEL
from inforadar.stages.canonical.content.inline_markdown import (
    HARD_BREAK,
    escape_text,
    inline_markdown,
    link_target,
)

_LINE_START = re.compile(
    r"^(?:(?P<sign>#{1,6}(?=\s|$)|[-+](?=\s|$)|>|[=|:]|-(?=[-\s|:]*$))|(?P<number>\d{1,9})(?P<dot>[.)])(?=\s|$))",
    re.MULTILINE,
)
_FENCE = re.compile(r"^\s*`{3,}", re.MULTILINE)


def render_text(blocks: Iterable[Block]) -> str:
    """Render plain text; paragraphs are separated by a blank line, list items and rows by a line break."""
    parts = []
    for (kind, _), run in groupby((block for block in blocks if block.text), key=_run_key):
        separator = "\n" if kind in (Kind.ITEM, Kind.ROW) else "\n\n"
        parts.append(separator.join(block.text for block in run))
    return "\n\n".join(parts)


def _run_key(block: Block) -> tuple[Kind, int]:
    return (block.kind, block.group)


def render_markdown(blocks: Sequence[Block]) -> str:
    """Render CommonMark with pipe tables. Text of the page that looks like Markdown is escaped."""
    sizes = accumulate(len(block.html) or len(block.text) for block in blocks)
    shown = [block for block, size in zip(blocks, sizes, strict=True) if size <= MAX_HTML_CHARACTERS]
    return "\n\n".join(_parts(shown, 0))


def _parts(blocks: Sequence[Block], depth: int) -> list[str]:
    """The blocks at one depth of nesting, as parts with a blank line between them."""
    parts: list[str] = []
    before = ""
    for box, members in _by_box(blocks, depth):
        if box is None:
            parts += [_leaf(block) for block in members]
        elif box.tag == "table":
            parts.append(_table(members))
        elif box.tag == "blockquote":
            quoted = "\n\n".join(_parts(members, depth + 1))
            parts.append("\n".join(f"> {line}" if line else ">" for line in quoted.split("\n")))
        elif box.tag in ("ul", "ol", "dl"):
            # Two lists in a row would be read as one, unless their marks differ.
            is_other = before == box.tag
            parts.append(_list(box, members, depth, is_other=is_other))
            before = "" if is_other else box.tag
            continue
        else:
            parts += _parts(members, depth + 1)
        before = ""
    return [part for part in parts if part]


def _by_box(blocks: Sequence[Block], depth: int) -> Iterator[tuple[Box | None, list[Block]]]:
    for _, run in groupby(
        blocks, key=lambda block: block.path[depth].number if len(block.path) > depth else 0
    ):
        members = list(run)
        yield (members[0].path[depth] if len(members[0].path) > depth else None), members


def _list(box: Box, members: Sequence[Block], depth: int, *, is_other: bool) -> str:
    items: list[list[str]] = []
    is_loose = False
    was_term = False
    for inner, own in _by_box(members, depth + 1):
        parts = _parts(own, depth + 2) if inner else [_leaf(block) for block in own]
        is_term = inner is not None and inner.tag == "dt"
        if box.tag == "dl" and items and (was_term or not is_term) and inner is not None:
            items[-1] += parts
        else:
            items.append(parts)
        was_term = is_term
        is_loose = is_loose or sum(not _is_list(own_block, depth + 2) for own_block in own) > 1
    lines = []
    for number, parts in enumerate(items, box.start):
        mark = (
            (f"{number}) " if is_other else f"{number}. ")
            if box.tag == "ol"
            else ("* " if is_other else "- ")
        )
        between = "\n\n" if is_loose or box.tag == "dl" or not _can_follow(parts) else "\n"
        body = between.join(parts).split("\n")
        indent = " " * len(mark)
        lines.append("\n".join([mark + body[0], *(indent + line if line else "" for line in body[1:])]))
    return ("\n\n" if is_loose else "\n").join(lines)


def _is_list(block: Block, depth: int) -> bool:
    return len(block.path) > depth


def _can_follow(parts: Sequence[str]) -> bool:
    """Whether each part but the first is one that ends a paragraph: a list that starts with a bullet or with 1."""
    return all(part.startswith(("- ", "* ", "1. ", "1) ", "> ")) for part in parts[1:])


def _leaf(block: Block) -> str:
    kind = block.kind
    if kind is Kind.RULE:
        return "---"
    if kind is Kind.CODE:
        return _fenced(block.text)
    if block.figure is not None:
        return _figure(block.figure)
    if kind is Kind.HEADING:
        return f"{'#' * max(TOP_HEADING_LEVEL, block.level)} {_heading(inline_markdown(block.html))}"
    is_term = bool(block.path) and block.path[-1].tag == "dt"
    return _escape_starts(inline_markdown(f"<strong>{block.html}</strong>" if is_term else block.html))


def _heading(text: str) -> str:
    return f"{text[:-1]}\\#" if text.endswith("#") else text


def _figure(figure: Figure) -> str:
    pictures = [f"![{escape_text(one.alt)}]({link_target(one.src)})" for one in figure.pictures]
    caption = [_escape_starts(inline_markdown(figure.caption))] if figure.caption else []
    return HARD_BREAK.join([*pictures, *caption])


def _table(rows: Sequence[Block]) -> str:
    lines = [[_cell(cell.html, cell.columns) for cell in row.cells] for row in rows]
    cells = [[one for cell in line for one in cell] for line in lines]
    width = max(map(len, cells))
    texts = [f"| {' | '.join([*line, *[''] * (width - len(line))])} |" for line in cells]
    return "\n".join([texts[0], "|" + " --- |" * width, *texts[1:]])


def _cell(html: str, columns: int) -> list[str]:
    return [inline_markdown(html).replace("|", "\\|"), *[""] * (columns - 1)]


def _fenced(code: str) -> str:
    longest = max((len(fence.strip()) for fence in _FENCE.findall(code)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"


def _escape_starts(text: str) -> str:
    return _LINE_START.sub(_escape_start, text)


def _escape_start(match: re.Match[str]) -> str:
    return f"\\{match['sign']}" if match["sign"] else f"{match['number']}\\{match['dot']}"
