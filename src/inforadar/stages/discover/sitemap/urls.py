"""The addresses in a sitemap: made absolute and normal, cheaply, because nearly all are so already."""

from __future__ import annotations

import re

from inforadar.errors import InvalidUrlError
from inforadar.urls import canonical_form, normalize

_PLAIN_PATH = re.compile(r"[A-Za-z0-9_~!$&()*+,;=:@./-]*+")
"""Signs of a path that stand in its normal form as they are: no escapes, no query."""

_is_plain_path = _PLAIN_PATH.fullmatch

MAX_URL = 2048
"""The protocol's limit, and what fits into an index of PostgreSQL, whose B-trees refuse rows over 2.7 KB."""

_MAX_ORIGINS = 1000


class UrlReader:
    """Reads the addresses of one document, which nearly all begin alike: what was seen of one serves the others."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._origins: dict[str, bool] = {}

    def page(self, text: str) -> str | None:
        """The normal form of a page's address; nothing if there is none."""
        url = text.strip()
        slash = url.find("/", 8)
        if slash > 0 and _is_plain_path(url, slash) and "/." not in url and len(url) <= MAX_URL:
            origin = url[:slash]
            is_normal = self._origins.get(origin)
            if is_normal is None:
                is_normal = self._learn(origin)
            if is_normal:
                return url
        try:
            address = normalize(url, self._base) if url else ""
        except InvalidUrlError:
            return None
        return address if 0 < len(address) <= MAX_URL else None

    def sitemap(self, text: str) -> str | None:
        """A sitemap's address, with everything in it that the server may want back."""
        try:
            return canonical_form(text, self._base) if text.strip() else None
        except InvalidUrlError:
            return None

    def _learn(self, origin: str) -> bool:
        """Whether `origin` is written as a browser would; remembered, within bounds."""
        try:
            is_normal = normalize(f"{origin}/") == f"{origin}/"
        except InvalidUrlError:
            is_normal = False
        if len(self._origins) < _MAX_ORIGINS:
            self._origins[origin] = is_normal
        return is_normal
