"""Sitemaps that are gzip files, unfolded piece by piece and never beyond a limit.

What a server compresses for the way is unpacked by the client; here come files that are gzip themselves,
whatever their name. A bomb is found by unfolding it once without keeping anything, before anyone reads it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from inforadar.errors import ParseError

MAX_BYTES = 64 * 2**20
"""The protocol allows 50 MB (52,428,800 bytes)."""

_MAGIC = b"\x1f\x8b"
_PIECE = 64 * 1024
_MAX_LAYERS = 2
_MAX_MEMBERS = 1000
"""Gzip members in one file; each start of one costs a copy of what is left."""


class SitemapTooLargeError(ParseError):
    """More than any sitemap may hold."""


class Unpacked:
    """The bytes of a sitemap, as often as they are asked for."""

    def __init__(self, body: bytes, max_bytes: int = MAX_BYTES) -> None:
        self._body = body
        self.is_whole = True
        """Whether the gzip stream, if it is one, goes to its end."""
        self._layers = 0
        while self._layers <= _MAX_LAYERS and next(self.pieces(), b"").startswith(_MAGIC):
            self._layers += 1
        if self._layers > _MAX_LAYERS:
            raise ParseError(f"This sitemap is packed more than {_MAX_LAYERS} times.")
        size = 0
        if self._layers and not self.head(1):
            raise ParseError("This is a damaged gzip file, not a sitemap.")
        for piece in self.pieces():
            size += len(piece)
            if size > max_bytes:
                raise SitemapTooLargeError(
                    f"This sitemap is larger than {max_bytes / 2**20:g} MB"
                    f"{' once unpacked' if self._layers else ''}; sitemaps have at most 50."
                )

    def pieces(self) -> Iterator[bytes]:
        source: Iterator[bytes] = (
            self._body[start : start + _PIECE] for start in range(0, len(self._body), _PIECE)
        )
        for _ in range(self._layers):
            source = self._inflated(source)
        return source

    def head(self, size: int = _PIECE) -> bytes:
        """The first bytes, for a look at what it is."""
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
                    piece = decompressor.decompress(rest, _PIECE)
                except zlib.error:
                    self.is_whole = False
                    return
                if piece:
                    yield piece
                if decompressor.eof:
                    rest = decompressor.unused_data.lstrip(b"\x00")
                    members += 1
                    if not rest.startswith(_MAGIC) or members > _MAX_MEMBERS:
                        break
                    decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS)
                else:
                    rest = decompressor.unconsumed_tail
        if not decompressor.eof:
            self.is_whole = False
