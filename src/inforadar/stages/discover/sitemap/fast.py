"""The fast path for sitemaps written in the usual way, which is nearly all of them: three times as fast as expat.

A sitemap is a sequence of entries, each written by the same template. Without comments, CDATA and declarations
every `<` begins a tag, and a regular expression can read a whole entry at once. The first unusual thing ends the
fast path: the rest of the document goes to expat (`xml.py`), which reads all of XML. So this reader never has to
decide what a document means, only whether it is written in the usual way.

A property test checks that both readers return the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, tzinfo
from itertools import chain

from inforadar.model.sitemap import SitemapEntry, SitemapForm
from inforadar.stages.discover.dates.absolute import parse_date
from inforadar.stages.discover.sitemap.xml import MAX_ALTERNATES, MAX_IMAGES, ROOTS, Row, XmlSitemap

_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml version=[\"']1\.0[\"'](?:\s+encoding=[\"'](?i:utf-8)[\"'])?"
    rb"(?:\s+standalone=[\"'](?:yes|no)[\"'])?\s*+\?>)?(?:\s++|<\?xml-stylesheet [^<>]*\?>|<!--(?:(?!--)[^<>])*-->)*+"
    rb"<(urlset|sitemapindex)(?:\s[^<>]*)?(?<!/)>"
)
_SIMPLE_ENTRY = re.compile(
    r"\s*+<(url|sitemap)>\s*+<loc>([^<&]++)</loc>\s*+(?:<lastmod>([^<&]++)</lastmod>\s*+)?"
    r"(?:<changefreq>[^<&]*+</changefreq>\s*+)?(?:<priority>[^<&]*+</priority>\s*+)?</\1>"
)
_OPENING = re.compile(r"\s*+<(url|sitemap)>")
_LINK = re.compile(r"xhtml:link((?:\s++[\w:]++=(?:\"[^\"]*+\"|'[^']*+'))*+)\s*+/?")
_ATTRIBUTE = re.compile(r"\s++([\w:]++)=(?:\"([^\"]*+)\"|'([^']*+)')")
_ODD_REFERENCE = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|#(?:3[2-79]|[4-9]\d|1[01]\d|12[0-6]|1[6-9]\d|[2-9]\d\d|[1-9]\d{3}));)"
)
_NUMBER = re.compile(r"&#(\d+);")
_KEYS = {
    "loc": "loc",
    "lastmod": "lastmod",
    "changefreq": "",
    "priority": "",
    "news:news": "",
    "news:publication": "",
    "news:name": "publication",
    "news:language": "language",
    "news:publication_date": "published",
    "news:title": "title",
    "news:keywords": "keywords",
    "news:genres": "",
    "news:access": "",
    "news:stock_tickers": "",
    "image:image": "",
    "image:loc": "image",
    "image:title": "",
    "image:caption": "",
    "image:license": "",
    "image:geo_location": "",
}
"""The key each usual element is stored under; elements with '' are skipped."""


class _UnusualError(Exception):
    """The entry is not written in the usual way, so expat must read it."""


class FastSitemap:
    """Reads one document on the fast path as far as possible, and the rest with expat."""

    def __init__(self, url: str, encoding: str | None = None, zone: tzinfo = UTC) -> None:
        self.expat_reader = XmlSitemap(url, encoding, zone)
        """Holds the state of the document for both readers, and takes over where the fast path ends."""
        self.fast_rows = 0
        """Rows read on the fast path."""

    def read(self, pieces: Iterable[bytes]) -> Iterator[Row]:
        """Like `XmlSitemap.read`."""
        source = iter(pieces)
        head = b""
        for piece in source:
            head += piece
            if len(head) >= 4096:
                break
        root = _ROOT.match(head)
        if root is None:
            yield from self.expat_reader.read(chain([head], source))
            return
        name = root[1].decode()
        self.expat_reader.root, self.expat_reader.form = name, ROOTS[name]
        yield from self._entries(head[root.end() :], source, name)

    def _entries(self, rest: bytes, source: Iterator[bytes], root: str) -> Iterator[Row]:
        closing = b"</url>" if self.expat_reader.form is SitemapForm.URLSET else b"</sitemap>"
        rows: list[Row] = []
        while True:
            end = rest.rfind(closing) + len(closing)
            if end >= len(closing):
                block = rest[:end]
                read = self._block(block, rows.append)
                self.fast_rows += len(rows)
                yield from rows
                rows.clear()
                if read < len(block):
                    rest = rest[read:]
                    break
                rest = rest[end:]
            elif len(rest) > 1_000_000:
                break
            piece = next(source, None)
            if piece is None:
                break
            rest += piece
        # The rest is the end of the document, or for expat to read, which first gets the opening tag of the root.
        if rest.strip() != f"</{root}>".encode() or next(source, None) is not None:
            yield from self.expat_reader.read(chain([f"<{root}>".encode(), rest], source))

    def _block(self, block: bytes, emit: Callable[[Row], None]) -> int:
        """Read entries up to the first unusual one; return the number of bytes read."""
        if b"<!" in block or b"<?" in block or b"\x00" in block:
            return 0
        try:
            text = block.decode()
        except UnicodeDecodeError:
            return 0
        simple, page = _SIMPLE_ENTRY.match, self.expat_reader.urls.page
        expat_reader, zone, is_ascii = self.expat_reader, self.expat_reader.zone, text.isascii()
        row: Row | None
        position = 0
        while position < len(text):
            match = simple(text, position)
            if match is not None:
                kind, loc, lastmod = match.groups()
                end = match.end()
                date = parse_date(lastmod, zone) if lastmod else None
                if kind == "url":
                    url = page(loc)
                    row = (
                        None
                        if url is None
                        else _new(SitemapEntry, (url, date, None, None, None, None, (), (), ()))
                    )
                else:
                    row = expat_reader.ref(loc, date)
            else:
                match = _OPENING.match(text, position)
                end = text.find(f"</{match[1]}>", match.end()) if match else -1
                if match is None or end < 0:
                    break
                try:
                    row = self._extended_entry(match[1], text[match.end() : end])
                except _UnusualError:
                    break
                end += len(match[1]) + 3
            if row is None:
                expat_reader.without_url += 1
            else:
                emit(row)
            position = end
        return position if is_ascii else len(text[:position].encode())

    def _extended_entry(self, kind: str, inside: str) -> Row | None:
        """Read an entry with news, images or alternates from the text between its tags."""
        values: dict[str, str] = {}
        images: list[str] = []
        alternates: list[tuple[str, str]] = []
        for piece in inside.split("<")[1:]:
            if piece[:1] == "/":
                continue
            name, _, text = piece.partition(">")
            key = _KEYS.get(name)
            if not key:
                if key is None:
                    _add_alternate(alternates, name)
                continue
            if key == "image":
                if text and len(images) < MAX_IMAGES:
                    images.append(_resolve_references(text))
            elif text and key not in values:
                values[key] = _resolve_references(text)
        if kind == "url":
            return self.expat_reader.entry(values, images, alternates)
        return self.expat_reader.ref(values.get("loc"), self.expat_reader.date(values.get("lastmod")))


def _add_alternate(alternates: list[tuple[str, str]], tag: str) -> None:
    """Read an `xhtml:link`, the only usual tag with attributes instead of text."""
    link = _LINK.fullmatch(tag)
    if link is None:
        raise _UnusualError
    found = {
        name: _resolve_references(double or single) for name, double, single in _ATTRIBUTE.findall(link[1])
    }
    if "hreflang" in found and "href" in found and len(alternates) < MAX_ALTERNATES:
        alternates.append((found["hreflang"], found["href"]))


def _resolve_references(text: str) -> str:
    """Replace common character references; raises `_UnusualError` for others, which expat must read."""
    if "&" not in text:
        return text
    if _ODD_REFERENCE.search(text):
        raise _UnusualError
    if "&#" in text:
        text = _NUMBER.sub(lambda number: chr(int(number[1])), text)
    for reference, character in (
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", '"'),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ):
        text = text.replace(reference, character)
    return text


_new = tuple.__new__
