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
    safe = plain_html_or_none(html)
    return cleaned_html(html, base) if safe is None else safe


def plain_html_or_none(html: str) -> str | None:
    """HTML that needs no cleaning, as the cleaner would write it; None if it is not certain that it needs none.

    It has no "<" or ">" except around its tags, which are written as below.
    """
    if _IS_SAFE.fullmatch(html) is None:
        return None
    return _LINK_START.sub(_with_rel, html) if "<a " in html else html


def cleaned_html(html: str, base: str = "") -> str:
    """The same as `safe_html`, for what is known not to be plain."""
    _page.base = base
    return _CLEANER.clean(html)


def _with_rel(link_start: re.Match[str]) -> str:
    return f'{link_start[1]} rel="{_REL}">'


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


_CHARACTERS = "[^<>&\u00a0\ufeff]*+"
_WORDS = f"{_CHARACTERS}(?:&(?:amp|lt|gt);{_CHARACTERS})*+"
_NUMBER = "(?:[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])"
_HOST = rf"(?:(?:(?!xn--)[a-z0-9-]++\.)++(?:[a-z]{{2,}})(?![a-z0-9.-])|{_NUMBER}(?:\.{_NUMBER}){{3}}(?![a-z0-9.-]))"
_URL = rf"https?://{_HOST}(?::[1-5]?[0-9]{{1,4}})?(?:/(?:[A-Za-z0-9/._~%+:@!$*(),;=?#-]++|&amp;)*+)?+"
"""Matches addresses that the cleaner keeps, and not all of those: it drops one whose host or port is impossible."""
_ALT = '[^"<>&\u00a0\ufeff]*+'
_IMAGE = rf'<img src="{_URL}"(?: alt="{_ALT}")?+(?: width="[0-9]{{1,6}}")?+(?: height="[0-9]{{1,6}}")?+>'
_INLINE = "|".join(
    [
        "<br>",
        *(f"<{tag}>{_WORDS}</{tag}>" for tag in ("em", "strong", "b", "i", "u", "s", "sub", "sup", "code")),
        f'<a href="{_URL}">{_WORDS}(?:{_IMAGE}{_WORDS})*+</a>',
        _IMAGE,
    ]
)
_INLINES = f"{_WORDS}(?:(?:{_INLINE}){_WORDS})*+"
_BLOCK = "|".join(
    [
        *(f"<{tag}>{_INLINES}</{tag}>" for tag in ("p", "h2", "h3", "h4", "blockquote")),
        f"<figure>{_IMAGE}</figure>",
    ]
)
_IS_SAFE = re.compile(f"{_WORDS}(?:(?:{_BLOCK}|{_INLINE}){_WORDS})*+")
"""Matches words in plain tags, as most summaries are: the cleaner would write them as they are, but for what it adds
to links. Possessive, so that nothing is tried twice."""
_REL = "noopener noreferrer nofollow"
_LINK_START = re.compile('(<a href="[^"]*")>')

_page = threading.local()
"""The `base` of the text that this thread is cleaning: the cleaner calls `_attribute` without it."""
# Made once: building it takes longer than cleaning a usual entry.
_CLEANER = nh3.Cleaner(
    tags=TAGS,
    clean_content_tags=_DROPPED,
    attributes=_ATTRIBUTES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto"},
    link_rel=_REL,
    strip_comments=True,
)
