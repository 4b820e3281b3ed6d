"""Make well-formed XML of an OPML file that is not: raw quotes and angle brackets in names, or half a file.

Only the outlines matter, so each of their tags is read on its own: a value ends at the quote that another attribute
or the end of the tag follows. Each pattern consumes what it examines, so any input takes linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from inforadar.model.opml import OPML_NAMESPACE, OPML_PREFIX

_PART = re.compile(r"<!--.*?(?:-->|\Z)|<(/?)(?:[\w.-]+:)?outline(?=[\s/>]|\Z)", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(r"\s*([A-Za-z_][\w.:-]*)\s*=\s*(?:([\"'])|([^\s\"'<>]+))")
_FOLLOWED = r"(?=\s*(?:/?\s*>|[A-Za-z_][\w.:-]*\s*=\s*[\"']|\Z))"
_VALUE_END = {quote: re.compile(quote + _FOLLOWED) for quote in "\"'"}
_TAG_END = re.compile(r"\s*(/?)\s*>")
_LOST_URL = re.compile(r"\bxml_?url\s*=\s*[\"']?([^\s\"'<>]+)", re.IGNORECASE)
_ROOT = re.compile(r"<(?:[\w.-]+:)?opml(?=[\s/>]|\Z)", re.IGNORECASE)
_ROOT_END = re.compile(r"</(?:[\w.-]+:)?(?:opml|body)\s*>", re.IGNORECASE)
_TAIL_CHARS = 1_000
_MAX_DEPTH = 200
"""The parser fails at 256."""


class RepairedOpml(NamedTuple):
    """The outlines of a file as well-formed XML."""

    text: str
    is_cut_off: bool
    """The file ends too early; an outline that it ends in is left out."""


def repair_opml(text: str) -> RepairedOpml | None:
    """Rewrite the outlines of a file, in which every `&` already begins a reference; None if it is not OPML."""
    parts = list(_PART.finditer(text))
    has_root = _ROOT.search(text) is not None
    if not has_root and not any(part[1] is not None for part in parts):
        return None
    written: list[str] = []
    depth, is_unfinished = 0, False
    for index, part in enumerate(parts):
        if part[1] is None:
            continue
        if part[1]:
            if depth:
                depth -= 1
                written.append("</outline>")
            continue
        is_last = index + 1 == len(parts)
        tag = _read_tag(text[part.end() : len(text) if is_last else parts[index + 1].start()])
        if is_last and tag.end is None:
            is_unfinished = True
            break
        is_open = tag.end == ">" and depth < _MAX_DEPTH
        depth += is_open
        written.append(f"<outline{_rendered(tag.attributes)}{'>' if is_open else '/>'}")
    has_end = _ROOT_END.search(text, max(0, len(text) - _TAIL_CHARS)) is not None
    body = "".join(written) + "</outline>" * depth
    return RepairedOpml(
        f'<opml xmlns:{OPML_PREFIX}="{OPML_NAMESPACE}"><body>{body}</body></opml>',
        is_cut_off=not has_end if has_root else is_unfinished,
    )


class _Tag(NamedTuple):
    attributes: dict[str, str]
    end: str | None
    """`>` or `/>`; None if the tag has no end."""


def _read_tag(text: str) -> _Tag:
    """Read the attributes of a tag; the text is what follows its name, up to the next outline."""
    found: dict[str, str] = {}
    position = 0
    while (match := _ATTRIBUTE.match(text, position)) is not None:
        name, quote, bare = match.groups()
        value, position = bare, match.end()
        if quote:
            end = _VALUE_END[quote].search(text, position)
            value, position = (
                (text[position : end.start()], end.end()) if end else (text[position:], len(text))
            )
        found.setdefault(name, value)
    if not any(name.lower() in {"xmlurl", "xml_url"} for name in found) and (lost := _LOST_URL.search(text)):
        # The quote before it is missing, so it was read as a part of the value there.
        found["xmlUrl"] = lost[1]
    closing = _TAG_END.match(text, position)
    return _Tag(found, None if closing is None else f"{closing[1]}>")


def _rendered(attributes: dict[str, str]) -> str:
    written = ""
    for name, value in attributes.items():
        # A prefix that nothing declares would make the document invalid again.
        if ":" not in name or name.startswith(f"{OPML_PREFIX}:"):
            safe = value.replace("<", "&lt;").replace('"', "&quot;")
            written += f' {name}="{safe}"'
    return written
