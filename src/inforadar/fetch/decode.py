"""Bodies: decoded as they stream in, never larger than the limit, never truncated unnoticed.

The HTTP library's own decoding is switched off: it returns a truncated gzip body as if it were whole, leaves
stacked encodings undecoded, and has no limit on the decoded size. Here each decoder asks its decompressor
for at most one byte more than is still allowed, so that a bomb is detected before it unpacks.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Callable
from typing import Final, Protocol

if sys.version_info >= (3, 14):
    from compression.zstd import DecompressionParameter, ZstdDecompressor, ZstdError
else:
    from backports.zstd import DecompressionParameter, ZstdDecompressor, ZstdError

try:
    import brotli  # type: ignore[import-untyped]
except ModuleNotFoundError:  # the extra `speed`
    brotli = None

ACCEPT_ENCODING: Final = "gzip, deflate, br, zstd" if brotli else "gzip, deflate, zstd"

MAX_STACKED_ENCODINGS: Final = 4
"""Maximum number of encodings on one body. One is usual, two are a mistake, more are an attack."""

MAX_MEMBERS: Final = 1000
"""Maximum number of gzip members or zstd frames in one body; starting one copies the remaining data."""

_ZSTD_WINDOW_LOG_MAX: Final = 23
"""8 MB, the largest window that a zstd body on the web may use (RFC 9659)."""


class BodyError(Exception):
    """The body cannot be decoded; the text continues "The response from example.org …"."""


class BodyTooLargeError(BodyError):
    """The body is larger than allowed, as sent or as decoded."""


class StreamDecoder(Protocol):
    """Decode one encoding of a body, piece by piece."""

    def feed(self, data: bytes, limit: int) -> bytes:
        """Decode all of `data`; may stop early once it has more than `limit` bytes, which is too much anyway."""
        ...

    def is_complete(self) -> bool:
        """Has the compressed stream ended properly?"""
        ...


class _Gzip:
    """One gzip member after another. Anything else after the last one is ignored as padding, as in browsers."""

    def __init__(self) -> None:
        self._decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self._members = 1
        self._padding = False
        self._head = b""

    def feed(self, data: bytes, limit: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        while data and not self._padding:
            if self._decompressor.eof:
                # The two bytes that distinguish the next member from padding may arrive in two pieces.
                data = self._head + data
                self._head = b""
                if len(data) < 2 and data == b"\x1f":
                    self._head = data
                    break
                if not data.startswith(b"\x1f\x8b"):
                    self._padding = True
                    break
                self._members += 1
                if self._members > MAX_MEMBERS:
                    raise BodyError(f"contains more than {MAX_MEMBERS} gzip members")
                self._decompressor = zlib.decompressobj(16 + zlib.MAX_WBITS)
            part = _inflate(self._decompressor, data, limit + 1 - size, "gzip")
            parts.append(part)
            size += len(part)
            if size > limit:
                break
            data = self._decompressor.unused_data if self._decompressor.eof else b""
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def is_complete(self) -> bool:
        return self._decompressor.eof


class _Deflate:
    """`deflate`: with the zlib header that the standard requires, or raw, as many servers send it."""

    def __init__(self) -> None:
        self._decompressor = zlib.decompressobj()
        self._head: bytes | None = b""

    def feed(self, data: bytes, limit: int) -> bytes:
        if self._head is not None:
            data = self._head + data
            if len(data) < 2:
                self._head = data
                return b""
            self._head = None
            if data[0] & 0x0F != zlib.DEFLATED or int.from_bytes(data[:2], "big") % 31:
                self._decompressor = zlib.decompressobj(-zlib.MAX_WBITS)
        return b"" if self._decompressor.eof else _inflate(self._decompressor, data, limit + 1, "deflate")

    def is_complete(self) -> bool:
        return self._decompressor.eof


def _inflate(decompressor: zlib._Decompress, data: bytes, max_length: int, name: str) -> bytes:
    try:
        return decompressor.decompress(data, max_length)
    except zlib.error:
        raise BodyError(f"is labelled {name} but is not valid {name}") from None


class _Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()

    def feed(self, data: bytes, limit: int) -> bytes:
        if self._decompressor.is_finished():
            return b""
        try:
            part: bytes = self._decompressor.process(data, output_buffer_limit=limit + 1)
        except brotli.error:
            raise BodyError("is labelled br but is not valid br") from None
        return part

    def is_complete(self) -> bool:
        finished: bool = self._decompressor.is_finished()
        return finished


class _Zstd:
    """One zstd frame after another."""

    def __init__(self) -> None:
        self._decompressor = self._new()
        self._frames = 1

    @staticmethod
    def _new() -> ZstdDecompressor:
        return ZstdDecompressor(options={DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG_MAX})

    def feed(self, data: bytes, limit: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        while data:
            if self._decompressor.eof:
                self._frames += 1
                if self._frames > MAX_MEMBERS:
                    raise BodyError(f"contains more than {MAX_MEMBERS} zstd frames")
                self._decompressor = self._new()
            try:
                part = self._decompressor.decompress(data, limit + 1 - size)
            except ZstdError:
                raise BodyError("is labelled zstd but is not valid zstd") from None
            parts.append(part)
            size += len(part)
            if size > limit:
                break
            data = self._decompressor.unused_data if self._decompressor.eof else b""
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def is_complete(self) -> bool:
        return self._decompressor.eof


_NO_ENCODING: Final = re.compile(
    r"identity|none|binary|text|[78]bit|(?:utf|ucs|us-ascii|ascii|iso|latin|windows|cp|koi8|mac|gb|big5|euc|shift)[\w-]*"
)
"""Names that say nothing about compression: some servers put the character set here."""

_DECODERS: Final[dict[str, Callable[[], StreamDecoder]]] = {
    "gzip": _Gzip,
    "x-gzip": _Gzip,
    "deflate": _Deflate,
    **({"br": _Brotli} if brotli else {}),
    "zstd": _Zstd,
}


class BodyDecoder:
    """Collect and decode one body: `feed` each piece as it arrives, then `finish`."""

    def __init__(self, content_encoding: str, max_bytes: int) -> None:
        names = [name for part in content_encoding.split(",") if (name := part.strip().lower())]
        names = [name for name in names if not _NO_ENCODING.fullmatch(name)]
        if len(names) > MAX_STACKED_ENCODINGS:
            raise BodyError(
                f"has {len(names)} stacked encodings; at most {MAX_STACKED_ENCODINGS} are supported"
            )
        for name in names:
            if name not in _DECODERS:
                hint = "; pip install 'inforadar[speed]' to read it" if name == "br" else ""
                raise BodyError(f"has the unknown encoding {name[:40]!r}{hint}")
        self._names = names[::-1]
        self._decoders = [_DECODERS[name]() for name in self._names]
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._received = 0
        self._sizes = [0] * len(names)

    def feed(self, data: bytes) -> None:
        # Received bytes count too: empty blocks could continue forever without producing output.
        self._received += len(data)
        if self._received > self._max_bytes:
            self._raise_too_large()
        for index, decoder in enumerate(self._decoders):
            data = decoder.feed(data, self._max_bytes - self._sizes[index])
            self._sizes[index] += len(data)
            if self._sizes[index] > self._max_bytes:
                self._raise_too_large()
        if data:
            self._parts.append(data)

    def finish(self) -> bytes:
        """Return the whole body. Ending inside a compressed stream is an error, but an empty body is fine."""
        if self._received:
            for name, decoder in zip(self._names, self._decoders, strict=True):
                if not decoder.is_complete():
                    raise BodyError(f"ends in the middle of its {name} stream")
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)

    def _raise_too_large(self) -> None:
        raise BodyTooLargeError(f"is larger than {_format_size(self._max_bytes)}")


def check_announced_length(content_length: str | None, max_bytes: int) -> None:
    """Refuse a body whose Content-Length is too large before transferring it."""
    if content_length is None or not content_length.isdecimal():
        return
    # Python refuses to convert a number with thousands of digits.
    if len(content_length) > 18 or int(content_length) > max_bytes:
        raise BodyTooLargeError(f"is larger than {_format_size(max_bytes)}")


def _format_size(size: int) -> str:
    for unit, factor in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"
