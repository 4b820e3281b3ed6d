"""Renders blocks: as plain text for analysis and search, as Markdown for reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import groupby

from inforadar.stages.canonical.content.blocks import Block, Kind

_LINE_START = re.compile(r"^(\s*)(#{1,6}(?=\s)|[-+>=](?=\s|$)|~{3,}|(\d{1,9})([.)])(?=\s))", re.MULTILINE)
_FENCE = re.compile(r"^`{3,}", re.MULTILINE)


def render_text(blocks: Iterable[Block]) -> str:
    """Render plain text; paragraphs are separated by a blank line, list items and rows by a line break."""
    return _joined(blocks, lambda run: [block.text for block in run])


def render_markdown(blocks: Iterable[Block]) -> str:
    """Render CommonMark with pipe tables. Text of the page that looks like Markdown is escaped."""
    return _joined(blocks, _marked)


def _joined(blocks: Iterable[Block], lines: Callable[[list[Block]], list[str]]) -> str:
    parts = []
    for (kind, _), members in groupby(blocks, key=_run_key):
        separator = "\n" if kind in (Kind.ITEM, Kind.ROW) else "\n\n"
        parts.append(separator.join(lines(list(members))))
    return "\n\n".join(parts)


def _run_key(block: Block) -> tuple[Kind, int]:
    return (block.kind, block.group)


def _marked(run: list[Block]) -> list[str]:
    kind = run[0].kind
    if kind is Kind.ROW:
        width = max(block.level for block in run)
        rows = [block.markdown + " |" * (width - block.level) for block in run]
        return [rows[0], "|" + " --- |" * width, *rows[1:]]
    if kind is Kind.CODE:
        return [_fenced(block.text) for block in run]
    if kind is Kind.HEADING:
        return [f"{'#' * block.level} {_escaped(block.markdown)}".replace("\n", " ") for block in run]
    if kind is Kind.QUOTE:
        return ["\n>\n".join("> " + _escaped(block.markdown).replace("\n", "\n> ") for block in run)]
    if kind is Kind.ITEM:
        return [_item(block) for block in run]
    return [_escaped(block.markdown).replace("\n", "  \n") for block in run]


def _item(block: Block) -> str:
    indent = "    " * block.level
    text = _escaped(block.markdown).replace("\n", f"\n{indent}    ")
    return f"{indent}{block.marker} {text}" if block.marker else f"\n{indent}    {text}"


def _fenced(code: str) -> str:
    longest = max((len(fence) for fence in _FENCE.findall(code)), default=2)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{code}\n{fence}"


def _escaped(text: str) -> str:
    return _LINE_START.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    space, sign, number, dot = match.groups()
    return f"{space}{number}\\{dot}" if number else f"{space}\\{sign}"
