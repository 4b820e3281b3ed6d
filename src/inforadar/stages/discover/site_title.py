"""The name of a site, from the head of one of its pages. Feeds say theirs; sitemaps and paged sites do not."""

from __future__ import annotations

import re
from html import unescape

from inforadar.stages.discover.feed.text import fold_whitespace

HEAD_CHARS = 100_000
MAX_CHARS = 200
_META = re.compile(r"<meta\b([^<>]{0,2000})>", re.IGNORECASE)
_NAMES = ("og:site_name", "application-name")
_ATTRIBUTE = re.compile(
    r"""([a-z]{1,20})\s{0,9}=\s{0,9}(?:"([^"]{0,1000})"|'([^']{0,1000})')""", re.IGNORECASE
)
_TITLE = re.compile(r"<title\b[^<>]{0,500}>([^<]{1,1000})</title", re.IGNORECASE)


def find_site_title(html: str) -> str | None:
    """The name that a page gives its site, else the page's own title. Plain text that may be hostile."""
    head = html[:HEAD_CHARS]
    stated: dict[str, str] = {}
    for meta in _META.finditer(head):
        given = {name.lower(): one or other for name, one, other in _ATTRIBUTE.findall(meta[1])}
        name = (given.get("property") or given.get("name") or "").lower()
        if name in _NAMES and name not in stated:
            stated[name] = given.get("content", "")
    title = _TITLE.search(head)
    for found in (*(stated.get(name) for name in _NAMES), title[1] if title else None):
        if text := fold_whitespace(unescape(found or "")):
            return text if len(text) <= MAX_CHARS else text[: MAX_CHARS - 1] + "…"
    return None
