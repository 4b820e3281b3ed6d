"""A title out of an address, for pages that give no other: `/2026/apple-harvest.html` is "Apple harvest"."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from inforadar.stages.discover.feed.text import title_text

_ENDING = re.compile(r"\.(?:html?|php|aspx?|jsp|shtml|xhtml|amp|pdf)$", re.IGNORECASE)
_SEPARATORS = re.compile(r"[-_+\s]+")
_NO_WORDS = re.compile(r"[\W\d_]*")
_NUMBER_AT_THE_END = re.compile(r"(?<=\w)[-_](?:id)?\d{5,}$|[-_][0-9a-f]{12,}$", re.IGNORECASE)
_INDEX = frozenset({"index", "default", "home", "amp"})


def slug_title(url: str) -> str:
    """Never empty: without any words in its path, a page goes by its host."""
    parts = urlsplit(url)
    for segment in reversed(parts.path.split("/")):
        words = _words(unquote(segment, errors="replace"))
        if words and words.lower() not in _INDEX:
            return words[:1].upper() + words[1:]
    rest = unquote(parts.path, errors="replace").strip("/")
    return title_text(f"{parts.hostname or url} {rest}".strip(), is_plain=True) or url


def _words(segment: str) -> str | None:
    slug = _NUMBER_AT_THE_END.sub("", _ENDING.sub("", segment))
    if _NO_WORDS.fullmatch(slug) or "\ufffd" in slug:
        return None
    return title_text(_SEPARATORS.sub(" ", slug).strip(), is_plain=True)
