"""Signing with the admin token: CSRF tokens, and the addresses of pictures that we fetch for readers. Pure.

Each session has its own CSRF token, which only our own pages can know. The sessions themselves are in the database, so
that they can be listed and revoked.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

COOKIE = "inforadar_session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    token: str

    def is_token(self, given: str) -> bool:
        """Compare in constant time, so that timing reveals nothing about the token."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def csrf_token(self, cookie: str) -> str:
        return self._sign("csrf", cookie)

    def is_csrf_token(self, cookie: str, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.csrf_token(cookie).encode())

    def picture_signature(self, url: str) -> str:
        return self._sign("picture", url)[:32]

    def is_picture_signature(self, url: str, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.picture_signature(url).encode())

    def _sign(self, purpose: str, text: str) -> str:
        message = f"{purpose}\0{text}".encode("utf-8", "replace")
        return hmac.new(self.token.encode(), message, hashlib.sha256).hexdigest()


def session_cookies(headers: Iterable[tuple[bytes, bytes]]) -> Iterator[str]:
    """Read our cookies. The others belong to other programs on this host, and may be anything."""
    for header, cookies in headers:
        if header == b"cookie":
            for cookie in cookies.split(b";"):
                name, _, value = cookie.partition(b"=")
                if name.strip() == COOKIE.encode():
                    yield value.strip().decode("latin-1")
