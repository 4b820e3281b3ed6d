"""Identify documents that are not feeds, and find the feeds an HTML page links to.

The error a person sees then says what the document is and what to do with it.
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from inforadar.errors import InvalidUrlError
from inforadar.texts import unescape_html
from inforadar.urls import canonical_form

_HEAD_CHARS = 300_000
"""How much of a page is searched for feed links: they stand near its beginning."""

_FEED_TYPES = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "application/x.atom+xml",
    }
)
_HTML = re.compile(r"<!doctype\s+html|<(?:html|head|body)[\s>]", re.IGNORECASE)
_HTML_FRAGMENT = re.compile(
    r"\s*<(?:title|meta|link|script|style|div|p|h[1-6]|span|table|br|center|a|ul|img)[\s>/]", re.IGNORECASE
)
_LINK = re.compile(r"<(link|base|a)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(?<![a-z-])([a-z-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_MAGIC_BYTES = (
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a media file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"ID3", "an audio file"),
)
HTML_PAGE = "an HTML page"
_ROOTS = {
    "urlset": ("a sitemap", "; add it as kind sitemap"),
    "sitemapindex": ("a sitemap index", "; add it as kind sitemap"),
    "opml": ("an OPML list of feeds", "; import it instead"),
    "svg": ("an SVG image", ""),
    "error": ("a server's error message", ""),
}
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*(?::[\w.-]+)?)")


def is_page(text: str) -> bool:
    """Whether a text begins like an HTML page."""
    return bool(_HTML.search(text, 0, 4096) or _HTML_FRAGMENT.match(text))


def find_feed_links(html: str, url: str) -> tuple[str, ...]:
    """The absolute URLs of the feeds that a page links to in its head, in page order."""
    base, found = url, dict[str, None]()
    for match in _LINK.finditer(html, 0, _HEAD_CHARS):
        attributes = {
            name.lower(): unescape_html(double or single or bare)
            for name, double, single, bare in _ATTRIBUTE.findall(match[2])
        }
        href = attributes.get("href", "").strip()
        if not href:
            continue
        kind = match[1].lower()
        if kind == "base":
            base = _join(url, href) or url
        elif kind == "link" and _is_feed_link(attributes) and (address := _join(base, href)):
            found[address] = None
    return tuple(found)


def describe_non_feed(data: bytes, text: str, url: str) -> tuple[str, tuple[str, ...]]:
    """A sentence that says what the document is, and the feeds it links to."""
    if not data.strip():
        return "The document is empty.", ()
    kind, advice = document_kind(data, text)
    if kind == HTML_PAGE:
        links = find_feed_links(text, url)
        if not links:
            return "This is an HTML page, not a feed, and it links to no feed.", ()
        more = f" and {len(links) - 1} more" if len(links) > 1 else ""
        return f"This is an HTML page, not a feed. It links to the feed {links[0]}{more}.", links
    return f"This is {kind}, not a feed{advice}.", ()


def document_kind(data: bytes, text: str) -> tuple[str, str]:
    """The kind of a document, to follow "This is", and advice on what to do with it ('' if none)."""
    magic = next((name for magic, name in _MAGIC_BYTES if data.startswith(magic)), None)
    if magic is not None:
        return magic, ""
    return (HTML_PAGE, "") if is_page(text) else _text_kind(text)


def _text_kind(text: str) -> tuple[str, str]:
    root = _ROOT.search(text, 0, 20_000)
    if root is not None and text.lstrip()[:1] == "<":
        return _ROOTS.get(root[1].rpartition(":")[2].lower(), (f"an XML document ({root[1][:40]})", ""))
    is_binary = "\ufffd" in text[:1000] or "\0" in text[:1000]
    return ("binary data", "") if is_binary else ("plain text", "")


def _is_feed_link(attributes: dict[str, str]) -> bool:
    relations = attributes.get("rel", "").lower().split()
    kind = attributes.get("type", "").partition(";")[0].strip().lower()
    return ("alternate" in relations and kind in _FEED_TYPES) or "feed" in relations


def _join(base: str, href: str) -> str | None:
    try:
        return canonical_form(urljoin(base, href))
    except (InvalidUrlError, ValueError):
        return None
