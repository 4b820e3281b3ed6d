"""Derives Markdown from a block's inline HTML, as `inline.py` writes it.

Markdown cannot express everything: `a**"b"**c` is no bold text, but shows its stars. Where the rules of CommonMark
would not read the marks as marks, they are left out.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from html import unescape

HARD_BREAK = "  \n"
_TOKEN = re.compile(r'<(/?)([a-z]+)(?: href="([^"]*)")?>\n?')
_SPECIAL = re.compile(r"[\\`*_\[\]<~]|&(?=#?\w+;)")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_TICKS = re.compile(r"`+")
_MARKS = {"strong": "**", "em": "*", "s": "~~"}
_SUPERSCRIPTS = str.maketrans("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ")
_SUBSCRIPTS = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_RAISED = {
    "sup": (_SUPERSCRIPTS, re.compile(r"[0-9+\-−=()ni]+")),
    "sub": (_SUBSCRIPTS, re.compile(r"[0-9+\-−=()]+")),
}


@dataclass(slots=True)
class _Span:
    """An element that is being read: its Markdown so far, and where in it the elements with marks are."""

    tag: str = ""
    address: str = ""
    parts: list[_Part] = field(default_factory=list)


@dataclass(slots=True)
class _Part:
    """A piece of Markdown."""

    text: str
    bare: str
    """Without any marks of emphasis."""
    tag: str = ""
    """Of an element that is to be put between marks, if its neighbours allow that."""


def inline_markdown(html: str) -> str:
    """Derive Markdown from inline HTML; a break is two spaces and a new line."""
    if "<" not in html:
        return escape_text(unescape(html))
    open_spans = [_Span()]
    at = 0
    for token in _TOKEN.finditer(html):
        _add_text(open_spans[-1], html[at : token.start()])
        at = token.end()
        is_end, tag, address = token.groups()
        if tag == "br":
            open_spans[-1].parts.append(_Part(HARD_BREAK, HARD_BREAK))
        elif not is_end:
            open_spans.append(_Span(tag, unescape(address or "")))
        elif len(open_spans) > 1:
            done = open_spans.pop()
            outside = {span.tag for span in open_spans}
            open_spans[-1].parts.append(_closed(done, outside))
    _add_text(open_spans[-1], html[at:])
    return _joined(open_spans[0].parts, outside=set())


def escape_text(text: str) -> str:
    """Escape all that means something inside a line of Markdown."""
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)


def link_target(address: str) -> str:
    """An address as it can stand between the parentheses of a link."""
    escaped = address.replace("(", "%28").replace(")", "%29").replace("\\", "%5C").replace(" ", "%20")
    return _ENTITY.sub("&amp;", escaped.replace("<", "%3C").replace(">", "%3E"))


def _add_text(span: _Span, html: str) -> None:
    if html:
        text = unescape(html)
        text = text if span.tag == "code" else escape_text(text)
        span.parts.append(_Part(text, text))


def _closed(span: _Span, outside: set[str]) -> _Part:
    if span.tag == "code":
        code = _code("".join(part.text for part in span.parts))
        return _Part(code, code)
    inner = _joined(span.parts, outside | {span.tag})
    bare = "".join(part.bare for part in span.parts)
    if span.tag == "a" and span.address:
        target = link_target(span.address)
        return _Part(f"[{inner}]({target})", f"[{bare}]({target})")
    if span.tag == "q":
        return _Part(f"“{inner}”", f"“{bare}”")
    if span.tag in _RAISED:
        letters, all_known = _RAISED[span.tag]
        if all_known.fullmatch(bare):
            inner = bare = bare.translate(letters)
        return _Part(inner, bare)
    return _Part(inner, bare, span.tag if span.tag in _MARKS else "")


def _code(text: str) -> str:
    text = " ".join(text.split())
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _joined(parts: list[_Part], outside: set[str]) -> str:
    # At the edge of an element, its own mark or bracket is the neighbour: punctuation. At the edge of a block, nothing.
    edge = "*" if outside - {""} else " "
    out: list[str] = []
    before = edge
    for number, part in enumerate(parts):
        follower = parts[number + 1] if number + 1 < len(parts) else None
        preceding = parts[number - 1] if number else None
        # `![` would be a picture.
        if before == "!" and out and part.text.startswith("["):
            out[-1] = f"{out[-1][:-1]}\\!"
        if not part.tag:
            text = part.text
        elif (follower and follower.tag) or (preceding and preceding.tag):
            text = part.bare
        else:
            text = _with_marks(part, before, follower.text[:1] if follower else edge, outside)
        if text:
            out.append(text)
            before = text[-1]
    return "".join(out)


def _with_marks(part: _Part, before: str, after: str, outside: set[str]) -> str:
    text = part.text
    if not text.strip():
        return part.bare
    mark = _MARKS[part.tag]
    if part.tag == "em" and (outside & {"strong", "em"} or "**" in text or before == "*" or after == "*"):
        mark = "_"
    if mark[0] in (before, after) or HARD_BREAK in text[:3]:
        return part.bare
    # A mark right beside a word on the outside and punctuation on the inside is not read as one.
    opens = _is_word(text[0]) or _is_free(before)
    closes = _is_word(text[-1]) or _is_free(after)
    if mark == "_":
        opens, closes = opens and _is_free(before), closes and _is_free(after)
    return f"{mark}{text}{mark}" if opens and closes else part.bare


def _is_word(char: str) -> bool:
    return not char.isspace() and unicodedata.category(char)[0] not in "PS"


def _is_free(char: str) -> bool:
    """White space, or what every reader of Markdown takes for punctuation."""
    return char.isspace() or unicodedata.category(char)[0] == "P"
