"""Header fields as they come in and go out: text from the web on one side, a wire on the other. Pure.

The HTTP library reads header values as UTF-8 and keeps other bytes as lone surrogates; writing, it drops
those and raises an error at control characters. Neither may reach a database, a page or a request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_CHANGED_ON_THE_WAY = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_RAW_BYTE = re.compile("[\udc80-\udcff]")

_SINGLE = frozenset(
    {"age", "content-length", "content-type", "date", "etag", "expires", "last-modified", "retry-after"}
)
"""Fields with one value: of several the first counts. Several of any other make one list."""


def is_sendable(value: str) -> bool:
    """Whether a header value reaches the server as it stands."""
    return _CHANGED_ON_THE_WAY.search(value) is None


def unsendable_name(headers: Mapping[str, str]) -> str | None:
    """The first field that cannot be sent, if there is one."""
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name) or not is_sendable(value):
            return name
    return None


def lower_headers(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Fields by their name in lower case, one value each, as text that can be stored."""
    headers: dict[str, str] = {}
    for name, value in fields:
        key = name.lower()
        if key not in headers:
            headers[key] = value if value.isascii() else _as_text(value)
        elif key not in _SINGLE:
            headers[key] = f"{headers[key]}, {_as_text(value)}"
    return headers


def _as_text(value: str) -> str:
    """Bytes that are no UTF-8 were meant as Latin-1, which HTTP used to be in."""
    if _RAW_BYTE.search(value) is None:
        return value
    return value.encode("utf-8", "surrogateescape").decode("latin-1")


def escape_raw_bytes(location: str) -> str:
    """A URL from a header, with bytes that are no UTF-8 escaped as they are."""
    return _RAW_BYTE.sub(lambda found: f"%{ord(found[0]) - 0xDC00:02X}", location)
