"""Checks from its text alone that a page is safe to parse.

An HTML5 tree builder is quadratic in nested blocks (100,000 `<div>` take 14 s), in the attributes of one tag
(50,000 take 8 s), in the options of a list (30,000 take 7 s) and in unclosed formatting elements, which it reopens
in every later paragraph: 14 kB of `<b id=1><b id=2>…<p>…<p>` become 374 MB. All are counted here in one linear
pass before any parser sees the page. A page with excessive depth or attributes is refused; formatting tags and
options contain nothing to read, so too many of them are removed and the page is read without them.

Only the tree builder knows which end tags it will ignore, so a page made for the purpose can still get past. It
is stopped by the deadline or the memory limit of the process that reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from inforadar.stages.canonical.document.tags import ATTRIBUTE, Tag, read_tags

MAX_CHARACTERS = 10_000_000
"""A longer page is a download, not an article."""
MAX_BLOCK_DEPTH = 1_000
"""Real pages nest at most about 60 blocks; at 1,000 the tree builder still takes only milliseconds."""
MAX_DEPTH = 100_000
"""The limit for elements that are cheap to nest: old pages leave thousands of `<span>` open."""
MAX_TAGS = 500_000
"""A parsed element takes about 250 bytes; the longest real pages have a tenth of this many."""
MAX_ATTRIBUTES = 500
MAX_OPEN_FORMATTING = 60
MAX_REOPENED = 400_000
"""The limit for the open formatting elements at all blocks together: each block may reopen all of them."""
MAX_OPTIONS = 1_000
"""Each option of a list looks through all before it: 30,000 take 7 s. Nobody reads them in an article."""

_LONG_TAG_CHARACTERS = 2 * MAX_ATTRIBUTES

_VOID = (
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
)  # fmt: skip
# Closed by their next sibling, or nested only inside an element that is counted.
_IMPLIED = (
    "a", "body", "dd", "dt", "head", "html", "li", "optgroup", "option", "p", "tbody", "td", "tfoot", "th",
    "thead", "tr",
)  # fmt: skip
_UNCOUNTED = frozenset((*_VOID, *_IMPLIED, *(f"/{name}" for name in (*_VOID, *_IMPLIED))))
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "button", "center", "details", "dialog", "dir", "div",
        "dl", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hgroup", "main", "marquee", "menu", "nav", "object", "ol", "pre", "search", "section",
        "summary", "table", "ul",
    )
)  # fmt: skip
_FORMATTING = frozenset(
    ("b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)
_OPTIONS = frozenset(("option", "optgroup"))
_SCOPE_BOUNDARIES = frozenset(("applet", "marquee", "object", "table", "template"))
"""An end tag inside these closes nothing opened outside: `<div><object></div></object>` leaves the div open."""
_FORMATTING_TAG = re.compile(rf"</?(?:{'|'.join(sorted(_FORMATTING))})(?:[\s/][^>]*+)?+>", re.IGNORECASE)

_OPTION_TAG = re.compile(r"</?(?:option|optgroup)(?:[\s/][^>]*+)?+>", re.IGNORECASE)


class TooComplexError(ValueError):
    """The page is too expensive to parse; the message says what there is too much of."""


def make_parseable(html: str, tags: Sequence[Tag] | None = None) -> str:
    """Return a version of the page that is safe to parse, or raise `TooComplexError`.

    `tags` are those of the page, where the caller has read them already.
    """
    if len(html) > MAX_CHARACTERS:
        raise TooComplexError(f"more than {MAX_CHARACTERS // 1_000_000} million characters")
    if tags is not None and len(tags) <= MAX_OPEN_FORMATTING:
        # So few cannot reach any limit, except that of attributes.
        for _, start, end in tags:
            if end - start > _LONG_TAG_CHARACTERS:
                _refuse_many_attributes(html[start:end])
        return html
    open_formatting, options = _count_costly(html, read_tags(html) if tags is None else tags)
    if options > MAX_OPTIONS:
        html = _OPTION_TAG.sub("", html)
    if open_formatting > MAX_OPEN_FORMATTING:
        html = _FORMATTING_TAG.sub("", html)
    return html


def _count_costly(html: str, tags: Iterable[Tag]) -> tuple[int, int]:
    """Refuse a page that is too deep; return the most formatting elements open at once, and the number of options."""
    depth = block_depth = formatting = most_formatting = options = reopened = 0
    open_tags: dict[str, int] = {}
    outside: list[tuple[str, dict[str, int]]] = []
    for count, (tag, start, end) in enumerate(tags):
        if count > MAX_TAGS:
            raise TooComplexError(f"more than {MAX_TAGS:,} tags")
        if end - start > _LONG_TAG_CHARACTERS:
            _refuse_many_attributes(html[start:end])
        if tag in _UNCOUNTED:
            options += tag in _OPTIONS
            reopened += formatting
            continue
        name, step = tag, 1
        if tag[0] == "/":
            name, step = tag[1:], -1
            if outside and name == outside[-1][0]:
                # It closes everything that is still open inside.
                depth -= sum(open_tags.values())
                block_depth -= sum(open_tags[inner] for inner in open_tags if inner in _BLOCKS)
                formatting -= sum(open_tags[inner] for inner in open_tags if inner in _FORMATTING)
                open_tags = outside.pop()[1]
        block, inline = name in _BLOCKS, name in _FORMATTING
        already = open_tags.get(name, 0)
        if already + step < 0 or (html[end - 2] == "/" and not block and not inline):
            continue
        open_tags[name] = already + step
        depth += step
        if block:
            block_depth += step
            reopened += formatting
        elif inline:
            formatting += step
            most_formatting = max(most_formatting, formatting)
        if block_depth > MAX_BLOCK_DEPTH or depth > MAX_DEPTH:
            raise TooComplexError(f"{depth:,} nested elements deep")
        if step > 0 and name in _SCOPE_BOUNDARIES:
            outside.append((name, open_tags))
            open_tags = {}
    return (MAX_OPEN_FORMATTING + 1 if reopened > MAX_REOPENED else most_formatting), options


def _refuse_many_attributes(tag: str) -> None:
    for count, _ in enumerate(ATTRIBUTE.finditer(tag), 1):
        if count > MAX_ATTRIBUTES:
            raise TooComplexError(f"more than {MAX_ATTRIBUTES:,} attributes on one element")
