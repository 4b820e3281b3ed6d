"""Which HTML an article may consist of. Everything that is kept or shown passes through here.

`nh3` is quadratic in nested blocks, so deeply nested input must never reach it (`document/limits.py`).
"""

from __future__ import annotations

import re
import threading
from urllib.parse import urljoin

import nh3

TAGS = {
    "p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "code",
    "kbd", "samp", "em", "strong", "b", "i", "u", "s", "del", "ins", "sub", "sup", "small", "q", "cite", "abbr", "time",
    "a", "img", "figure", "figcaption", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "width", "height"},
    "abbr": {"title"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
}
_DROPPED = {
    "script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "math", "form", "title",
}  # fmt: skip
"""Elements removed together with their text."""
_ABSOLUTE = ("http://", "https://", "mailto:")
_NUMBERS = frozenset(("width", "height", "colspan", "rowspan", "start"))


def safe_html(html: str, base: str = "") -> str:
    """Keep only the tags and attributes above. What is written has each attribute in double quotes.

    Relative URLs are made absolute by `base`; without one they are dropped.
    """
    if _IS_SAFE.fullmatch(html):
        return html
    _page.base = base
    return _CLEANER.clean(html)


def _attribute(_tag_name: str, name: str, value: str) -> str | None:
    """Drop sizes that are no numbers, and URLs that are relative: they would point to our own server."""
    if name in ("href", "src"):
        return value if value.startswith(_ABSOLUTE) else _joined(_page.base, value)
    if name in _NUMBERS:
        return value if value.isascii() and value.isdigit() and len(value) <= 6 else None
    return value


def _joined(base: str, url: str) -> str | None:
    try:
        address = urljoin(base, url) if base else ""
    except ValueError:
        return None
    return address if address.startswith(_ABSOLUTE) else None


_WORDS = "[^<>&\u00a0\ufeff]*+"
_INLINE = "|".join(
    [
        "<br>",
        *(f"<{tag}>{_WORDS}</{tag}>" for tag in ("em", "strong", "b", "i", "u", "s", "sub", "sup", "code")),
    ]
)
_INLINES = f"{_WORDS}(?:(?:{_INLINE}){_WORDS})*+"
_BLOCK = "|".join(f"<{tag}>{_INLINES}</{tag}>" for tag in ("p", "h2", "h3", "h4", "blockquote"))
_IS_SAFE = re.compile(f"{_WORDS}(?:(?:{_BLOCK}|{_INLINE}){_WORDS})*+")
"""Matches words in plain tags, as most summaries are: the cleaner would write them as they are. Possessive, so that
nothing is tried twice."""

_page = threading.local()
"""The `base` of the text that this thread is cleaning: the cleaner calls `_attribute` without it."""
# Made once: building it takes longer than cleaning a usual entry.
_CLEANER = nh3.Cleaner(
    tags=TAGS,
    clean_content_tags=_DROPPED,
    attributes=_ATTRIBUTES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto"},
    link_rel="noopener noreferrer nofollow",
    strip_comments=True,
)
