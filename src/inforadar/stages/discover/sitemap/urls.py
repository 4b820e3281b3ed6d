"""Normalize the URLs in a sitemap cheaply, because nearly all of them already are normal."""

from __future__ import annotations

import re

from inforadar.errors import InvalidUrlError
from inforadar.urls import canonical_form, normalize

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_~!$&()*+,;=:@./-]*+")
"""A path that normalizing leaves unchanged: no escapes, no query."""

_is_plain_path = _PLAIN_PATH.fullmatch

MAX_URL_CHARS = 2048
"""The protocol's limit. It also fits a PostgreSQL index, whose B-trees refuse rows over 2.7 KB."""

_MAX_CACHED_ORIGINS = 1000


class UrlReader:
    """Reads the URLs of one document. Nearly all share an origin, so each origin is checked once."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._origins: dict[str, bool] = {}

    def page(self, text: str) -> str | None:
        """The normalized URL of a page; None if the text is not a usable URL."""
        url = text.strip()
        slash = url.find("/", 8)
        if slash > 0 and _is_plain_path(url, slash) and "/." not in url and len(url) <= MAX_URL_CHARS:
            origin = url[:slash]
            is_normal = self._origins.get(origin)
            if is_normal is None:
                is_normal = self._check_origin(origin)
            if is_normal:
                return url
        try:
            address = normalize(url, self._base) if url else ""
        except InvalidUrlError:
            return None
        return address if 0 < len(address) <= MAX_URL_CHARS else None

    def sitemap(self, text: str) -> str | None:
        """The URL of a sitemap, with every parameter kept, because the server may need them."""
        try:
            return canonical_form(text, self._base) if text.strip() else None
        except InvalidUrlError:
            return None

    def _check_origin(self, origin: str) -> bool:
        """Whether `origin` is written as a browser would write it; cached, up to a limit."""
        try:
            is_normal = normalize(f"{origin}/") == f"{origin}/"
        except InvalidUrlError:
            is_normal = False
        if len(self._origins) < _MAX_CACHED_ORIGINS:
            self._origins[origin] = is_normal
        return is_normal
