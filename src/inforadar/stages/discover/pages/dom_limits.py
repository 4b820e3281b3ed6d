"""Whether a page is safe to build a tree of, seen from its text alone.

A builder is quadratic in nested elements (100,000 `<div>` take 14 s) and in the attributes of one tag, a selector
climbs through all that is nested, and formatting elements left open are opened anew in every later paragraph: 14 kB
become 374 MB. So they are counted in one linear pass before any tree is built. A page that has too many is refused;
no listing that people read comes near.

The count follows the builder in what decides: scripts and comments hold no tags, and `<path/>` is closed inside a
drawing but not outside of one. Where it is not exact it counts too much, never too little.
"""

from __future__ import annotations

import re
from collections import defaultdict

from inforadar.errors import ParseError

MAX_CHARACTERS = 10_000_000
MAX_DEPTH = 1_000
"""Real pages nest some 60 elements."""
MAX_FORMATTING = 60
MAX_ATTRIBUTES = 1_000

# Possessive, so that a page cannot make it go back over what it read.
_TAG = re.compile(
    r"<!--(?:-?>|.*?--!?>|.*+)"
    r"|<(/?)([a-z][^\s/>]*+)((?:[^>\"'=]++|=\s*+(?:\"[^\"]*+\"?|'[^']*+'?)?+|[\"'])*+)",
    re.IGNORECASE | re.DOTALL,
)
_RAW_END = {
    name: re.compile(rf"</{name}", re.IGNORECASE)
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
}
_ATTRIBUTE = re.compile(r"""[^\s/=]++(?:\s*+=\s*+(?:"[^"]*+"?|'[^']*+'?|[^\s"']\S*+))?+""")
_FORMATTING = frozenset(
    ["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"]
)
_UNCOUNTED = frozenset(
    [
        # Empty ones, and those that the next of their kind closes.
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
        "a", "p", "li", "dt", "dd", "tr", "td", "th", "tbody", "thead", "tfoot", "option", "html", "head", "body",
    ]
)  # fmt: skip
_DRAWINGS = ("svg", "math")
_HTML_IN_DRAWING = frozenset(["foreignobject", "desc", "title", "annotation-xml"])
_ENDS_DRAWING = _FORMATTING | _UNCOUNTED | _HTML_IN_DRAWING | {
    "blockquote", "center", "div", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "listing", "menu", "ol", "pre", "ruby",
    "span", "sub", "sup", "table", "ul", "var",
}  # fmt: skip
"""Where the builder goes back to HTML, if only for what stands in between."""


def refuse_costly(html: str) -> None:
    """`ParseError` if a tree of this page would cost more than any listing is worth."""
    if len(html) > MAX_CHARACTERS:
        raise ParseError(f"The page has more than {MAX_CHARACTERS:,} characters.")
    open_tags: dict[str, int] = defaultdict(int)
    depth = formatting = position = 0
    is_drawing = False
    while match := _TAG.search(html, position):
        position = match.end()
        is_close, name, attributes = match.groups()
        if name is None:
            continue
        name = name.lower()
        if len(attributes) > 2 * MAX_ATTRIBUTES and len(_ATTRIBUTE.findall(attributes)) > MAX_ATTRIBUTES:
            raise ParseError(f"The page has a tag with more than {MAX_ATTRIBUTES:,} attributes.")
        if is_drawing and attributes[-1:] == "/":
            continue
        if name in _RAW_END and not is_close and not is_drawing:
            end = _RAW_END[name].search(html, position)
            position = end.start() if end else len(html)
        if name not in _UNCOUNTED and (not is_close or open_tags[name]):
            step = -1 if is_close else 1
            open_tags[name] += step
            depth += step
            if name in _FORMATTING:
                formatting += step
            if depth > MAX_DEPTH or formatting > MAX_FORMATTING:
                raise ParseError("The page nests its elements deeper than any listing does.")
        if name in _DRAWINGS or (is_close and name in _HTML_IN_DRAWING):
            is_drawing = any(open_tags[drawing] for drawing in _DRAWINGS)
        elif is_drawing:
            is_drawing = name not in _ENDS_DRAWING
