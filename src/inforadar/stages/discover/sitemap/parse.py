"""Read a sitemap of any form, yielding entries while reading, so that large ones need no more memory.

    bytes ──► unpack ──► fast ──► xml ──► repair ──► SitemapEntry | SitemapRef
              gzip       usual    any XML  broken

Text files and feeds that serve as sitemaps have their own readers. Any other document is refused at once, before
anything is read from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, tzinfo
from itertools import islice

from inforadar.errors import ParseError
from inforadar.model.feed_warning import FeedWarning, left_out
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
_MAX_LINE_BYTES = 10_000


class NotASitemapError(ParseError):
    """The document is not a sitemap; the message says what it is."""


CUT_OFF = FeedWarning(text="It is cut off; the entries before that were kept.", is_loss=True)
_DAMAGED_GZIP = FeedWarning(
    text="The gzip file is damaged or cut off; the part that could be unpacked was read.", is_loss=True
)


class SitemapReader:
    """Reads one sitemap. Iterate over it once; `warnings` is complete when the iteration ends."""

    def __init__(
        self,
        body: bytes,
        url: str,
        content_type: str = "",
        *,
        max_bytes: int = MAX_BYTES,
        zone: tzinfo = UTC,
    ) -> None:
        """Raises `NotASitemapError`, or `SitemapTooLargeError` if it unpacks to more than `max_bytes`.

        `zone` applies to dates without a time zone; a day starts at midnight there.
        """
        self._source = Unpacked(body, max_bytes)
        self._url = url
        self._content_type = content_type
        self._zone = zone
        self.warnings: list[FeedWarning] = []
        self.is_whole = True
        """Whether it was read to its end; known when the iteration ends."""
        self.form = detect_form(self._source.head(), content_type)

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
            self.warnings.append(_DAMAGED_GZIP)

    def _xml(self) -> Iterator[Row]:
        pieces, encoding = self._utf8()
        reader = FastSitemap(self._url, encoding, self._zone)
        read = 0
        try:
            for row in reader.read(pieces):
                read += 1
                yield row
        except BrokenXmlError as fault:
            said = f"It is not well-formed XML (line {fault.line}: {fault}); it was repaired."
            self.warnings.append(FeedWarning(text=said))
            yield from self._read_repaired(reader, read)
        self.form = reader.expat_reader.form or self.form
        self.warnings += left_out(reader.expat_reader.without_url, "no usable URL", is_loss=True)

    def _utf8(self) -> tuple[Iterator[bytes], str | None]:
        """The document in an encoding that expat need not guess: many declare one they do not use."""
        head, pieces = self._source.head(), self._source.pieces()
        if bom_encoding(head):
            return pieces, None
        if declared_encoding(head) in UTF8_DECLARATIONS:
            return pieces, "utf-8"
        encoding, errors = choose_encoding(self._source.pieces(), head, self._content_type)
        if encoding == "utf-8" and errors == "replace":
            return pieces, "utf-8"
        return (text.encode() for text in decoded(pieces, encoding, errors)), "utf-8"

    def _read_repaired(self, reader: FastSitemap, already_read: int) -> Iterator[Row]:
        """Read from the beginning again, skipping the rows that were already yielded."""
        reader.expat_reader.without_url = 0
        broken = BrokenSitemap(reader.expat_reader)
        head = self._source.head()
        encoding, errors = choose_encoding(self._source.pieces(), head, self._content_type)
        yield from islice(broken.read(self._source.pieces(), encoding, errors), already_read, None)
        self.warnings += left_out(broken.lost, "too broken to read", is_loss=True)
        if broken.is_cut_off:
            self.is_whole = False
            self.warnings.append(CUT_OFF)

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
        self.warnings += left_out(lost, "not a URL", is_loss=True)

    def _feed(self) -> Iterator[SitemapEntry]:
        body = b"".join(self._source.pieces())
        listing = parse_feed(body, self._url, self._content_type, self._zone)
        self.warnings += listing.warnings
        self.is_whole = not listing.is_cut_off
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


def detect_form(head: bytes, content_type: str = "") -> SitemapForm:
    """Detect the form of a sitemap from its beginning; raises `NotASitemapError` if it is not a sitemap."""
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
    """Whether a document that is not a feed is a sitemap: this detects a feed's kind from its content."""
    try:
        form = detect_form(Unpacked(head).head(), content_type)
    except ParseError:
        return False
    return form is not SitemapForm.FEED


def _lines(source: Unpacked, encoding: str, errors: str) -> Iterator[str]:
    rest = b""
    if encoding.startswith(("utf-16", "utf-32")):
        *texts, last = b"".join(source.pieces()).decode(encoding, errors).split("\n")
        for text in texts if not source.is_whole else (*texts, last):
            yield text.strip("\ufeff \t\r")
        return
    for piece in source.pieces():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode(encoding, errors).strip("\ufeff \t\r")
        if len(rest) > _MAX_LINE_BYTES:
            rest = rest[:_MAX_LINE_BYTES]
    # The last line of a file that was cut off may be half a URL.
    if source.is_whole:
        yield rest.decode(encoding, errors).strip("\ufeff \t\r")
