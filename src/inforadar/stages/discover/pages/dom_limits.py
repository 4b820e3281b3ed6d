"""Check from a page's text whether it is safe to build a tree of it.

The tree builder is quadratic in nested elements (100,000 `<div>` take 14 s) and in the attributes of one tag; a
selector climbs through every level of nesting; and unclosed formatting elements are opened again in every later
paragraph, which turns 14 kB into 374 MB. So all of these are counted in one linear pass before a tree is built, and a
page with too many is refused. No listing that people read comes near the limits.

The count follows the builder where it matters: scripts and comments contain no tags, and `<path/>` is self-closing
inside a drawing but not outside. Where the count is not exact, it is too high, never too low.
"""

from __future__ import annotations

import re
from collections import defaultdict

from inforadar.errors import ParseError

MAX_CHARACTERS = 10_000_000
MAX_DEPTH = 1_000
"""Real pages nest about 60 elements."""

MAX_FORMATTING = 60
MAX_ATTRIBUTES = 1_000

# Possessive quantifiers, so that no page can cause backtracking.
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
        # Void elements, and elements that the next of their kind closes.
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
"""Elements that make the builder return to HTML, if only for their content."""


def refuse_costly_page(html: str) -> None:
    """Raise `ParseError` if building a tree of this page would cost too much."""
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
                raise ParseError("The page nests its elements too deeply for a listing.")
        if name in _DRAWINGS or (is_close and name in _HTML_IN_DRAWING):
            is_drawing = any(open_tags[drawing] for drawing in _DRAWINGS)
        elif is_drawing:
            is_drawing = name not in _ENDS_DRAWING
