"""Unpack sitemaps that are gzip files, piece by piece and never beyond a limit.

The HTTP client already undoes compression in transit; these are files that are themselves gzip, whatever their
name. A gzip bomb is detected by unpacking once without keeping anything, before anyone reads it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from inforadar.errors import ParseError

MAX_BYTES = 64 * 2**20
"""The protocol allows 50 MB (52,428,800 bytes)."""

_GZIP_MAGIC = b"\x1f\x8b"
_PIECE_BYTES = 64 * 1024
_MAX_LAYERS = 2
_MAX_MEMBERS = 1000
"""Gzip members in one file; starting each one copies the remaining bytes."""


class SitemapTooLargeError(ParseError):
    """The sitemap is larger than the limit."""


class Unpacked:
    """The unpacked bytes of a sitemap; can be read more than once."""

    def __init__(self, body: bytes, max_bytes: int = MAX_BYTES) -> None:
        self._body = body
        self.is_whole = True
        """Whether the gzip stream, if there is one, is complete."""
        self._layers = 0
        while self._layers <= _MAX_LAYERS and next(self.pieces(), b"").startswith(_GZIP_MAGIC):
            self._layers += 1
        if self._layers > _MAX_LAYERS:
            raise ParseError(f"This sitemap is compressed more than {_MAX_LAYERS} times over.")
        size = 0
        if self._layers and not self.head(1):
            raise ParseError("This is a damaged gzip file, not a sitemap.")
        for piece in self.pieces():
            size += len(piece)
            if size > max_bytes:
                raise SitemapTooLargeError(
                    f"This sitemap is larger than {max_bytes / 2**20:g} MB"
                    f"{' once unpacked' if self._layers else ''}; the protocol allows 50 MB."
                )

    def pieces(self) -> Iterator[bytes]:
        """Yield the bytes from the beginning, in pieces."""
        source: Iterator[bytes] = (
            self._body[start : start + _PIECE_BYTES] for start in range(0, len(self._body), _PIECE_BYTES)
        )
        for _ in range(self._layers):
            source = self._inflated(source)
        return source

    def head(self, size: int = _PIECE_BYTES) -> bytes:
        """The first bytes, to detect what the document is."""
        head = b""
        for piece in self.pieces():
            head += piece
            if len(head) >= size:
                break
        return head[:size]

    def _inflated(self, source: Iterator[bytes]) -> Iterator[bytes]:
        decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS)
        members = 1
        for packed in source:
            rest = packed
            while rest:
                try:
                    piece = decompressor.decompress(rest, _PIECE_BYTES)
                except zlib.error:
                    self.is_whole = False
                    return
                if piece:
                    yield piece
                if decompressor.eof:
                    rest = decompressor.unused_data.lstrip(b"\x00")
                    members += 1
                    if not rest.startswith(_GZIP_MAGIC) or members > _MAX_MEMBERS:
                        break
                    decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS)
                else:
                    rest = decompressor.unconsumed_tail
        if not decompressor.eof:
            self.is_whole = False
