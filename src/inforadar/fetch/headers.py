"""Header fields: made safe to store when received, and checked before they are sent. Pure.

The HTTP library reads header values as UTF-8 and keeps other bytes as lone surrogates. When writing, it drops
those and raises an error at control characters. Neither may reach a database, a page or a request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_UNSENDABLE = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_RAW_BYTE = re.compile("[\udc80-\udcff]")

_SINGLE_VALUED = frozenset(
    {"age", "content-length", "content-type", "date", "etag", "expires", "last-modified", "retry-after"}
)
"""Fields with one value: the first one counts. Repeated values of other fields are joined into a list."""


def is_sendable(value: str) -> bool:
    """Would this header value reach the server unchanged?"""
    return _UNSENDABLE.search(value) is None


def find_unsendable_header(headers: Mapping[str, str]) -> str | None:
    """Return the name of the first header that cannot be sent, or None."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or not is_sendable(value):
            return name
    return None


def lower_headers(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map lower-case field names to one value each, as text that can be stored."""
    headers: dict[str, str] = {}
    for name, value in fields:
        key = name.lower()
        if key not in headers:
            headers[key] = value if value.isascii() else _as_text(value)
        elif key not in _SINGLE_VALUED:
            headers[key] = f"{headers[key]}, {_as_text(value)}"
    return headers


def _as_text(value: str) -> str:
    """Read bytes that are not UTF-8 as Latin-1, the former encoding of HTTP headers."""
    if _RAW_BYTE.search(value) is None:
        return value
    return value.encode("utf-8", "surrogateescape").decode("latin-1")


def escape_raw_bytes(location: str) -> str:
    """Percent-encode the bytes of a Location header that are not UTF-8."""
    return _RAW_BYTE.sub(lambda found: f"%{ord(found[0]) - 0xDC00:02X}", location)
