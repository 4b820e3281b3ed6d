"""What a document is that is no feed, in a sentence; and the feeds that an HTML page names."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from inforadar.errors import InvalidUrlError
from inforadar.texts import unescaped
from inforadar.urls import canonical_form

_HEAD = 300_000
"""Pages name their feeds early."""

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
_HTML_PIECE = re.compile(
    r"\s*<(?:title|meta|link|script|style|div|p|h[1-6]|span|table|br|center|a|ul|img)[\s>/]", re.IGNORECASE
)
_LINK = re.compile(r"<(link|base|a)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"(?<![a-z-])([a-z-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)
_MAGIC = (
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a media file"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"ID3", "an audio file"),
)
PAGE = "an HTML page"
_ROOTS = {
    "urlset": ("a sitemap", "; add it with the kind sitemap"),
    "sitemapindex": ("an index of sitemaps", "; add it with the kind sitemap"),
    "opml": ("an OPML list of feeds", "; import it"),
    "svg": ("an SVG image", ""),
    "error": ("a server's error message", ""),
}
_ROOT = re.compile(r"<([A-Za-z_][\w.-]*(?::[\w.-]+)?)")


def is_page(text: str) -> bool:
    """Whether a text is an HTML page, by how it begins."""
    return bool(_HTML.search(text, 0, 4096) or _HTML_PIECE.match(text))


def find_feed_links(html: str, url: str) -> tuple[str, ...]:
    """The feeds that a page names in its head, absolute, in the order of the page."""
    base, found = url, dict[str, None]()
    for match in _LINK.finditer(html, 0, _HEAD):
        attributes = {
            name.lower(): unescaped(double or single or bare)
            for name, double, single, bare in _ATTRIBUTE.findall(match[2])
        }
        href = attributes.get("href", "").strip()
        if not href:
            continue
        kind = match[1].lower()
        if kind == "base":
            base = _joined(url, href) or url
        elif kind == "link" and _names_feed(attributes) and (address := _joined(base, href)):
            found[address] = None
    return tuple(found)


def describe(data: bytes, text: str, url: str) -> tuple[str, tuple[str, ...]]:
    """A sentence about what the document is, and the feeds that it names."""
    if not data.strip():
        return "The document is empty.", ()
    kind, advice = kind_of(data, text)
    if kind == PAGE:
        links = find_feed_links(text, url)
        if not links:
            return "This is an HTML page, not a feed, and it names none.", ()
        more = f" and {len(links) - 1} more" if len(links) > 1 else ""
        return f"This is an HTML page, not a feed. It names one: {links[0]}{more}.", links
    return f"This is {kind}, not a feed{advice}.", ()


def kind_of(data: bytes, text: str) -> tuple[str, str]:
    """What a document is, as in "This is …", and what to do with it, if there is something."""
    magic = next((name for magic, name in _MAGIC if data.startswith(magic)), None)
    if magic is not None:
        return magic, ""
    return (PAGE, "") if is_page(text) else _kind_of_text(text)


def _kind_of_text(text: str) -> tuple[str, str]:
    root = _ROOT.search(text, 0, 20_000)
    if root is not None and text.lstrip()[:1] == "<":
        return _ROOTS.get(root[1].rpartition(":")[2].lower(), (f"an XML document ({root[1][:40]})", ""))
    is_binary = "\ufffd" in text[:1000] or "\0" in text[:1000]
    return ("binary data", "") if is_binary else ("plain text", "")


def _names_feed(attributes: dict[str, str]) -> bool:
    relations = attributes.get("rel", "").lower().split()
    kind = attributes.get("type", "").partition(";")[0].strip().lower()
    return ("alternate" in relations and kind in _FEED_TYPES) or "feed" in relations


def _joined(base: str, href: str) -> str | None:
    try:
        return canonical_form(urljoin(base, href))
    except (InvalidUrlError, ValueError):
        return None
