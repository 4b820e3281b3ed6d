"""Reads a sitemap, whatever form it has: what it lists comes out as it is read, so that size costs no memory.

    bytes ──► unpack ──► fast ──► xml ──► repair ──► SitemapEntry | SitemapRef
              gzip       usual    any XML  the rest

Text files and feeds that serve as sitemaps have readers of their own. A document that is none of these is
refused at once, before anything was read from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, tzinfo
from itertools import islice

from inforadar.errors import ParseError
from inforadar.model.sitemap import SitemapEntry, SitemapForm
from inforadar.stages.discover.feed.encoding import UTF8_DECLARATIONS, bom_encoding, declared_encoding, decode
from inforadar.stages.discover.feed.parse import parse_feed
from inforadar.stages.discover.feed.sniff import document_kind
from inforadar.stages.discover.sitemap.fast import FastSitemap
from inforadar.stages.discover.sitemap.repair import BrokenSitemap, choose_encoding, decoded
from inforadar.stages.discover.sitemap.unpack import MAX_BYTES, Unpacked
from inforadar.stages.discover.sitemap.urls import UrlReader
from inforadar.stages.discover.sitemap.xml import BrokenXmlError, Row

_PROLOG = re.compile(
    r"(?:\s++|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*+(?:\[.*?\]\s*+)?>)*+", re.DOTALL | re.IGNORECASE
)
_NAME = re.compile(r"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)(?=[\s/>])")
_FORMS = {
    "urlset": SitemapForm.URLSET,
    "url": SitemapForm.URLSET,
    "sitemapindex": SitemapForm.INDEX,
    "sitemap": SitemapForm.INDEX,
    "rss": SitemapForm.FEED,
    "feed": SitemapForm.FEED,
    "rdf": SitemapForm.FEED,
}
_ADDRESS = re.compile(r"https?://\S", re.IGNORECASE)
_LONGEST_LINE = 10_000


class NotASitemapError(ParseError):
    """A document that is something else; says what."""


class SitemapReader:
    """One sitemap. Iterate it once; `warnings` are complete when it has ended."""

    def __init__(
        self,
        body: bytes,
        url: str,
        content_type: str = "",
        *,
        max_bytes: int = MAX_BYTES,
        zone: tzinfo = UTC,
    ) -> None:
        """Raises `NotASitemapError`, or `SitemapTooLargeError` for what unfolds to more than `max_bytes`.

        `zone` is that of dates that name none; a day begins at its midnight.
        """
        self._source = Unpacked(body, max_bytes)
        self._url = url
        self._content_type = content_type
        self._zone = zone
        self.warnings: list[str] = []
        """Sentences: what was wrong with it and what was done about it."""
        self.is_whole = True
        """Whether it was read to its end; known when the reader has ended."""
        self.form = form_of(self._source.head(), content_type)

    def __iter__(self) -> Iterator[Row]:
        match self.form:
            case SitemapForm.TEXT:
                yield from self._lines()
            case SitemapForm.FEED:
                yield from self._feed()
            case _:
                yield from self._xml()
        if not self._source.is_whole:
            self.is_whole = False
            self.warnings.append("The gzip file is damaged or ends early; what could be unpacked was read.")

    def _xml(self) -> Iterator[Row]:
        pieces, encoding = self._utf8()
        reader = FastSitemap(self._url, encoding, self._zone)
        read = 0
        try:
            for row in reader.read(pieces):
                read += 1
                yield row
        except BrokenXmlError as fault:
            self.warnings.append(f"It is not well-formed XML (line {fault.line}: {fault}); it was mended.")
            yield from self._mended(reader, read)
        self.form = reader.whole.form or self.form
        if count := reader.whole.without_url:
            self.warnings.append(f"{_entries(count)} without a usable address left out.")

    def _utf8(self) -> tuple[Iterator[bytes], str | None]:
        """The document in an encoding that expat need not guess: many declare another than they have."""
        head, pieces = self._source.head(), self._source.pieces()
        if bom_encoding(head):
            return pieces, None
        if declared_encoding(head) in UTF8_DECLARATIONS:
            return pieces, "utf-8"
        encoding, errors = choose_encoding(self._source.pieces(), head, self._content_type)
        if encoding == "utf-8" and errors == "replace":
            return pieces, "utf-8"
        return (text.encode() for text in decoded(pieces, encoding, errors)), "utf-8"

    def _mended(self, reader: FastSitemap, read: int) -> Iterator[Row]:
        """From the beginning again, without what was given out already."""
        reader.whole.without_url = 0
        broken = BrokenSitemap(reader.whole)
        head = self._source.head()
        encoding, errors = choose_encoding(self._source.pieces(), head, self._content_type)
        yield from islice(broken.read(self._source.pieces(), encoding, errors), read, None)
        if broken.lost:
            self.warnings.append(f"{_entries(broken.lost)} too broken to be read.")
        if broken.is_cut_off:
            self.is_whole = False
            self.warnings.append("It ends in the middle; what came before was kept.")

    def _lines(self) -> Iterator[SitemapEntry]:
        urls = UrlReader(self._url)
        head = self._source.head()
        encoding, errors = choose_encoding(self._source.pieces(), head, self._content_type)
        lost = 0
        for line in _lines(self._source, encoding, errors):
            url = urls.page(line) if _ADDRESS.match(line) else None
            if url is not None:
                yield SitemapEntry(url)
            elif line and not line.startswith("#"):
                lost += 1
        if lost:
            self.warnings.append(f"{_entries(lost)} no address and left out.")

    def _feed(self) -> Iterator[SitemapEntry]:
        body = b"".join(self._source.pieces())
        listing = parse_feed(body, self._url, self._content_type, self._zone)
        self.warnings += listing.warnings
        for item in listing.items:
            yield SitemapEntry(
                item.url,
                item.updated_at or item.published_at,
                item.title,
                item.published_at,
                item.language,
                None,
                item.tags,
                (item.image,) if item.image else (),
            )


def form_of(head: bytes, content_type: str = "") -> SitemapForm:
    """What form of sitemap begins so; raises `NotASitemapError` for what is none."""
    text = decode(head, content_type).lstrip("\ufeff \t\r\n")
    prolog = _PROLOG.match(text)
    name = _NAME.match(text, prolog.end() if prolog else 0)
    if name is not None and name[1].lower() in _FORMS:
        return _FORMS[name[1].lower()]
    if not text.startswith("<"):
        lines = [line.strip() for line in text.splitlines()[:-1] or [text]]
        named = [line for line in lines if line and not line.startswith("#")]
        addresses = sum(1 for line in named if _ADDRESS.match(line) and " " not in line)
        if addresses and addresses * 2 >= len(named):
            return SitemapForm.TEXT
    if not text:
        raise NotASitemapError("The document is empty.")
    raise NotASitemapError(f"This is {document_kind(head, text)[0]}, not a sitemap.")


def is_sitemap(head: bytes, content_type: str = "") -> bool:
    """Whether a document that is no feed is a sitemap: how a feed's kind is seen from its content."""
    try:
        form = form_of(Unpacked(head).head(), content_type)
    except ParseError:
        return False
    return form is not SitemapForm.FEED


def _lines(source: Unpacked, encoding: str, errors: str) -> Iterator[str]:
    rest = b""
    if encoding.startswith(("utf-16", "utf-32")):
        yield from (
            line.strip("\ufeff \t\r")
            for line in b"".join(source.pieces()).decode(encoding, errors).split("\n")
        )
        return
    for piece in source.pieces():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode(encoding, errors).strip("\ufeff \t\r")
        if len(rest) > _LONGEST_LINE:
            rest = rest[:_LONGEST_LINE]
    yield rest.decode(encoding, errors).strip("\ufeff \t\r")


def _entries(count: int) -> str:
    return "One entry was" if count == 1 else f"{count:,} entries were"
