"""Render the small Markdown of the stories: paragraphs, headings, quotes, lists, tables, emphasis.

A full Markdown library would be one more dependency for six kinds of blocks. Everything is escaped, so a story cannot
break the page around it.
"""

from __future__ import annotations

import re
from html import escape

_EMPHASIS = re.compile(r"\*([^*\n]+)\*")


def render_body(text: str) -> str:
    """Render a story's text as HTML."""
    return "\n".join(_block(block) for block in _blocks(text))


def _blocks(text: str) -> list[str]:
    return [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip()]


def _block(block: str) -> str:
    lines = block.splitlines()
    if block.startswith("## "):
        return f"<h2>{_inline(block[3:])}</h2>"
    if block.startswith("> "):
        quoted = " ".join(line.removeprefix(">").strip() for line in lines)
        return f"<blockquote><p>{_inline(quoted)}</p></blockquote>"
    if block.startswith("- "):
        points = "".join(f"<li>{_inline(line.removeprefix('- '))}</li>" for line in lines)
        return f"<ul>{points}</ul>"
    if block.startswith("|"):
        return _table(lines)
    return f"<p>{_inline(' '.join(line.strip() for line in lines))}</p>"


def _table(lines: list[str]) -> str:
    head, _rule, *rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    header = "".join(f'<th scope="col">{_inline(cell)}</th>' for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table>"


def _inline(text: str) -> str:
    return _EMPHASIS.sub(r"<em>\1</em>", escape(text, quote=False))
