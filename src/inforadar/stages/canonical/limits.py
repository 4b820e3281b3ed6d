"""Whether a page is safe to parse, seen from its text alone.

An HTML5 tree builder is quadratic in nested blocks (100,000 `<div>` take 14 s), in the attributes of one
tag (50,000 take 8 s) and in formatting elements left open, which it opens anew in every later paragraph:
14 kB of `<b id=1><b id=2>…<p>…<p>` become 374 MB. All three are counted here in one linear pass before any
parser sees the page. Depth and attributes beyond reason refuse the page; formatting tags carry no text, so
they are taken out and the page is read without them.
"""

from __future__ import annotations

import re

MAX_CHARACTERS = 10_000_000
"""A page longer than this is a download, not an article."""
MAX_BLOCK_DEPTH = 1_000
"""Real pages nest some 60 blocks deep at most; at 1,000 the tree builder still needs only milliseconds."""
MAX_DEPTH = 100_000
"""For elements that cost nothing to nest: old pages leave thousands of `<span>` open."""
MAX_TAGS = 500_000
"""A parsed element takes some 250 bytes; the longest real pages have a tenth of this."""
MAX_ATTRIBUTES = 2_000
MAX_OPEN_FORMATTING = 60

# Possessive throughout: a page cannot make it go back over what it read. Case is ignored for names only,
# because each character of an attribute would pay for it.
_ATTRIBUTES = r"""(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])*+"""
_RAW = "script|style|textarea|title|xmp|iframe|noembed|noframes"
_TAG = re.compile(
    r"<(?:!--[^>]*+(?:(?<!--)(?<!--!)>[^>]*+)*+"
    rf"|(?=[stxinSTXIN])(?i:({_RAW}))(?=[\s/>])({_ATTRIBUTES})>[^<]*+(?:<(?!/(?i:\1)[\s/>])[^<]*+)*+"
    rf"|(/?[a-zA-Z][a-zA-Z0-9]*+){_ATTRIBUTES}>?)"
)
_ATTRIBUTE = re.compile(r"""[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+""")
_LONG_TAG = 2 * MAX_ATTRIBUTES

_VOID = (
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen",
    "link", "meta", "param", "source", "track", "wbr",
)  # fmt: skip
# Closed by their next sibling, or nested only through an element that is counted.
_IMPLIED = (
    "a", "body", "dd", "dt", "head", "html", "li", "optgroup", "option", "p", "tbody", "td", "tfoot", "th",
    "thead", "tr",
)  # fmt: skip
_UNCOUNTED = frozenset((*_VOID, *_IMPLIED, *(f"/{name}" for name in (*_VOID, *_IMPLIED))))
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "button", "center", "details", "dialog", "dir", "div",
        "dl", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hgroup", "main", "menu", "nav", "ol", "pre", "search", "section", "summary", "table",
        "ul",
    )
)  # fmt: skip
_FORMATTING = frozenset(
    ("b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u")
)
_FORMATTING_TAG = re.compile(rf"</?(?:{'|'.join(sorted(_FORMATTING))})(?:[\s/][^>]*+)?+>", re.IGNORECASE)


class TooComplexError(ValueError):
    """The page would cost more to parse than an article is worth; its text says of what there is too much."""


def parseable(html: str) -> str:
    """The page as it may be given to a parser, or `TooComplexError`."""
    if len(html) > MAX_CHARACTERS:
        raise TooComplexError(f"more than {MAX_CHARACTERS // 1_000_000} million characters")
    if _formatting_left_open(html) > MAX_OPEN_FORMATTING:
        return _FORMATTING_TAG.sub("", html)
    return html


def _formatting_left_open(html: str) -> int:
    """Refuses what is too deep; returns how many formatting elements are open at once at most."""
    open_tags: dict[str, int] = {}
    depth = block_depth = formatting = most_formatting = 0
    for count, match in enumerate(_TAG.finditer(html)):
        if count > MAX_TAGS:
            raise TooComplexError(f"more than {MAX_TAGS:,} tags")
        _, raw, name = match.groups()
        start, end = match.span()
        if end - start > _LONG_TAG and (raw or name):
            _refuse_many_attributes(raw or html[start:end])
        if name is None or name in _UNCOUNTED:
            continue
        name = name.lower()
        step = 1
        if name[0] == "/":
            name = name[1:]
            step = -1
        if name in _UNCOUNTED:
            continue
        block, inline = name in _BLOCKS, name in _FORMATTING
        already = open_tags.get(name, 0)
        if already + step < 0 or (html[end - 2] == "/" and not block and not inline):
            continue
        open_tags[name] = already + step
        depth += step
        if block:
            block_depth += step
        elif inline:
            formatting += step
            most_formatting = max(most_formatting, formatting)
        if block_depth > MAX_BLOCK_DEPTH or depth > MAX_DEPTH:
            raise TooComplexError(f"{depth:,} nested elements deep")
    return most_formatting


def _refuse_many_attributes(tag: str) -> None:
    for count, _ in enumerate(_ATTRIBUTE.finditer(tag), 1):
        if count > MAX_ATTRIBUTES:
            raise TooComplexError(f"more than {MAX_ATTRIBUTES:,} attributes on one element")
