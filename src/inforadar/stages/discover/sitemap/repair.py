"""Read sitemaps that are not well-formed XML, entry by entry, so that a broken entry does not affect the others.

The text is split where an entry begins, and each piece is repaired and parsed on its own. If a piece stays broken, at
least its URL is kept if that is complete; the same goes for the last entry of a file that is cut off.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from html.entities import html5
from itertools import pairwise

from inforadar.encoding_guess import is_nearly_utf8
from inforadar.model.sitemap import SitemapForm
from inforadar.stages.discover.feed.encoding import (
    CP1252_FALLBACK,
    bom_encoding,
    claimed_encodings,
    claims_utf8,
)
from inforadar.stages.discover.sitemap.xml import BrokenXmlError, Row, XmlSitemap
from inforadar.texts import unescape_html

_ENTRY_START = re.compile(r"<(?:[\w.-]+:)?(url|sitemap)(?=[\s>])[^<>]*>", re.IGNORECASE)
_INDEX = re.compile(r"<(?:[\w.-]+:)?sitemapindex[\s>]", re.IGNORECASE)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7};|#[xX][0-9a-fA-F]{1,6};|([A-Za-z][A-Za-z0-9]*);)?")
_XML_ENTITIES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_LOC = re.compile(r"<(?:[\w.-]+:)?loc(?:\s[^<>]*)?>([^<]*)</", re.IGNORECASE)
_LASTMOD = re.compile(r"<(?:[\w.-]+:)?lastmod(?:\s[^<>]*)?>([^<]*)</", re.IGNORECASE)
_ROOT_END = re.compile(r"</(?:[\w.-]+:)?(?:urlset|sitemapindex)\s*>\s*\Z", re.IGNORECASE)
_MAX_ENTRY_CHARS = 1_000_000
_MAX_LOST = 10_000
"""A document with more entries beyond repair is not a sitemap; reading stops."""


class BrokenSitemap:
    """Reads one document that expat rejected; counts and form are kept in `sitemap`."""

    def __init__(self, sitemap: XmlSitemap) -> None:
        self.sitemap = sitemap
        sitemap.root = sitemap.root or "(broken)"
        self.lost = 0
        """Number of entries that could not be read at all."""
        self.is_cut_off = False

    def read(self, pieces: Iterable[bytes], encoding: str, errors: str) -> Iterator[Row]:
        """Yield rows in document order."""
        entry = ""
        tail = ""
        for text in decoded(pieces, encoding, errors):
            if self.sitemap.form is None:
                self.sitemap.form = SitemapForm.INDEX if _INDEX.search(text) else SitemapForm.URLSET
            entry += text
            tail = (tail + text)[-200:]
            entry = _without_comments(entry)
            starts = [match.start() for match in _ENTRY_START.finditer(entry)]
            for start, end in pairwise(starts):
                yield from self._entry(entry[start:end])
                if self.lost > _MAX_LOST:
                    self.is_cut_off = True
                    return
            if starts:
                entry = entry[starts[-1] :]
            elif len(entry) > 200:
                entry = entry[-200:]  # a tag may continue in the next piece
            if len(entry) > _MAX_ENTRY_CHARS:
                self.lost += 1
                entry = ""
        self.is_cut_off = _ROOT_END.search(tail) is None
        if _ENTRY_START.match(entry):
            yield from self._entry(entry)

    def _entry(self, text: str) -> list[Row]:
        name = _ENTRY_START.match(text)
        assert name is not None
        closing = re.compile(rf"</(?:[\w.-]+:)?{name[1]}\s*>", re.IGNORECASE).search(text)
        if closing is not None:
            repaired = _repair(text[: closing.end()]).encode("utf-8", "replace")
            rows: list[Row] = []
            try:
                rows.extend(self.sitemap.read([b"<r>", repaired, b"</r>"]))
            except BrokenXmlError:
                pass
            else:
                return rows
        row = self._url_only(text, is_index=name[1].lower() == "sitemap")
        if row is None:
            self.lost += 1
            return []
        return [row]

    def _url_only(self, text: str, *, is_index: bool) -> Row | None:
        """Rescue the URL and date of an entry that cannot be parsed."""
        loc, lastmod = _LOC.search(text), _LASTMOD.search(text)
        if loc is None:
            return None
        values = {"loc": unescape_html(loc[1])} | ({"lastmod": lastmod[1]} if lastmod else {})
        if is_index:
            return self.sitemap.ref(values["loc"], self.sitemap.date(values.get("lastmod")))
        return self.sitemap.entry(values, [], [])


def _without_comments(text: str) -> str:
    """Remove comments. By hand, because a regular expression would search for the end of each of a million
    unclosed ones.
    """
    parts, position = [], 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts.append(text[position:start])
        position = end + 3
    parts.append(text[position:])
    return "".join(parts)


def choose_encoding(pieces: Iterable[bytes], head: bytes, content_type: str) -> tuple[str, str]:
    """The encoding of a document and the error handler for invalid bytes, judged by the whole document.

    Decides like `feed/encoding.py`, without holding the whole text at once.
    """
    if marked := bom_encoding(head):
        return marked, "replace"
    claims = claimed_encodings(head, content_type)
    trials = {name: codecs.getincrementaldecoder(name)() for name in ("utf-8", *claims)}
    for piece in pieces:
        for name, decoder in list(trials.items()):
            try:
                decoder.decode(piece)
            except UnicodeError:
                del trials[name]
        if not trials:
            break
    is_utf8 = "utf-8" in trials or is_nearly_utf8(head, is_claimed=claims_utf8(head, content_type))
    if trials and ("utf-8" in trials or not is_utf8):
        return next(iter(trials)), "replace"
    return "utf-8", CP1252_FALLBACK


def decoded(pieces: Iterable[bytes], encoding: str, errors: str) -> Iterator[str]:
    """Decode the pieces of a document one by one."""
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for piece in pieces:
        yield decoder.decode(piece)
    yield decoder.decode(b"", True)


def _repair(text: str) -> str:
    """Drop the characters XML forbids and rewrite the references it does not know."""
    return _REFERENCE.sub(_reference, _CONTROLS.sub("", text))


def _reference(match: re.Match[str]) -> str:
    whole, name = match[0], match[1]
    if name is None:
        if whole == "&":
            return "&amp;"
        number = int(whole[3:-1], 16) if whole[2] in "xX" else int(whole[2:-1])
        is_allowed = number in {9, 10, 13} or 32 <= number < 0xD800 or 0xE000 <= number < 0xFFFE
        return whole if is_allowed or 0x10000 <= number <= 0x10FFFF else ""
    if name in _XML_ENTITIES:
        return whole
    character = html5.get(f"{name};")
    return f"&amp;{name};" if character is None else character.replace("&", "&amp;").replace("<", "&lt;")
