"""Whether a page is safe to parse, seen from its text alone.

An HTML5 tree builder is quadratic in nested blocks (100,000 `<div>` take 14 s), in the attributes of one
tag (50,000 take 8 s) and in formatting elements left open, which it opens anew in every later paragraph:
14 kB of `<b id=1><b id=2>…<p>…<p>` become 374 MB. All three are counted here in one linear pass before any
parser sees the page. Depth and attributes beyond reason refuse the page; formatting tags carry no text, so
they are taken out and the page is read without them.
"""

from __future__ import annotations

import re
from collections import Counter

MAX_CHARACTERS = 10_000_000
"""A page longer than this is a download, not an article."""
MAX_BLOCK_DEPTH = 1_000
"""Real pages nest some 60 blocks deep at most; at 1,000 the tree builder still needs only milliseconds."""
MAX_DEPTH = 100_000
"""For elements that cost nothing to nest: old pages leave thousands of `<span>` open."""
MAX_ATTRIBUTES = 2_000
MAX_OPEN_FORMATTING = 60

# Possessive throughout: a page cannot make it go back over what it read.
_TAG = re.compile(
    r"""<(?:!--(?:.*?--!?>|.*+)"""
    r"""|(?:script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>])[^>]*+>"""
    r"""(?:.*?</(?:script|style|textarea|title|xmp|iframe|noembed|noframes)|.*+)"""
    r"""|(/?[a-z][a-z0-9]*+)(?:[^>"'=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+|["'])*+>?)""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+""")
_LONG_TAG = 2 * MAX_ATTRIBUTES

_VOID = frozenset(
    [
        "area",
        "base",
        "basefont",
        "bgsound",
        "br",
        "col",
        "embed",
        "frame",
        "hr",
        "img",
        "input",
        "keygen",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
# Closed by their next sibling, or nested only through an element that is counted.
_IMPLIED = frozenset(
    [
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "tbody",
        "thead",
        "tfoot",
        "option",
        "optgroup",
        "html",
        "head",
        "body",
        "a",
    ]
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "button",
        "center",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "main",
        "menu",
        "nav",
        "ol",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "ul",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    ]
)
_FORMATTING = frozenset(
    ["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"]
)
_FORMATTING_TAG = re.compile(
    r"</?(?:b|big|em|font|i|nobr|s|small|strike|strong|tt|u|code)(?:[\s/][^>]*+)?+>", re.I
)


class TooComplexError(ValueError):
    """The page would cost more to parse than any article is worth; the text says what there is too much of."""


def parseable(html: str) -> str:
    """The page as it may be given to a parser, or `TooComplexError`."""
    if len(html) > MAX_CHARACTERS:
        raise TooComplexError(f"more than {MAX_CHARACTERS // 1_000_000} million characters")
    open_tags: Counter[str] = Counter()
    depth = block_depth = formatting = deepest_formatting = 0
    for match in _TAG.finditer(html):
        name = match[1]
        if name is None:
            continue
        if match.end() - match.start() > _LONG_TAG:
            _refuse_many_attributes(match[0])
        name = name.lower()
        closing = name[0] == "/"
        if closing:
            name = name[1:]
        if name in _VOID or name in _IMPLIED:
            continue
        if closing:
            if not open_tags[name]:
                continue
            step = -1
        elif match[0].endswith("/>") and name not in _BLOCKS and name not in _FORMATTING:
            continue
        else:
            step = 1
        open_tags[name] += step
        depth += step
        if name in _BLOCKS:
            block_depth += step
            if block_depth > MAX_BLOCK_DEPTH:
                raise TooComplexError(f"more than {MAX_BLOCK_DEPTH:,} nested elements")
        elif name in _FORMATTING:
            formatting += step
            deepest_formatting = max(deepest_formatting, formatting)
        if depth > MAX_DEPTH:
            raise TooComplexError(f"more than {MAX_DEPTH:,} nested elements")
    return _FORMATTING_TAG.sub("", html) if deepest_formatting > MAX_OPEN_FORMATTING else html


def _refuse_many_attributes(tag: str) -> None:
    for count, _ in enumerate(_ATTRIBUTE.finditer(tag), 1):
        if count > MAX_ATTRIBUTES:
            raise TooComplexError(f"more than {MAX_ATTRIBUTES:,} attributes on one element")
