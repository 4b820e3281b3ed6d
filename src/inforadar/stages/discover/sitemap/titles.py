"""Make a title from a URL, for pages without a better one: `/2026/apple-harvest.html` is "Apple harvest"."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from inforadar.stages.discover.feed.text import title_text

_FILE_EXTENSION = re.compile(r"\.(?:html?|php|aspx?|jsp|shtml|xhtml|amp|pdf)$", re.IGNORECASE)
_SEPARATORS = re.compile(r"[-_+\s]+")
_WITHOUT_LETTERS = re.compile(r"[\W\d_]*")
_TRAILING_ID = re.compile(r"(?<=\w)[-_](?:id)?\d{5,}$|[-_][0-9a-f]{12,}$", re.IGNORECASE)
_INDEX_NAMES = frozenset({"index", "default", "home", "amp"})


def slug_title(url: str) -> str:
    """Make a title from the last words in the URL's path, or from its host if there are none. Never empty."""
    parts = urlsplit(url)
    for segment in reversed(parts.path.split("/")):
        words = _words(unquote(segment, errors="replace"))
        if words and words.lower() not in _INDEX_NAMES:
            return words[:1].upper() + words[1:]
    rest = unquote(parts.path, errors="replace").strip("/")
    return title_text(f"{parts.hostname or url} {rest}".strip(), is_plain=True) or url


def _words(segment: str) -> str | None:
    slug = _TRAILING_ID.sub("", _FILE_EXTENSION.sub("", segment))
    if _WITHOUT_LETTERS.fullmatch(slug) or "\ufffd" in slug:
        return None
    return title_text(_SEPARATORS.sub(" ", slug).strip(), is_plain=True)
