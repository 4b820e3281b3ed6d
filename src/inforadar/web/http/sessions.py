"""Sessions without a table: the cookie holds its expiry time, signed with the admin token. Pure.

A new admin token ends all sessions. Each session has its own CSRF token, which only our own pages can know. The
addresses of pictures that we fetch for readers are signed in the same way.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

COOKIE = "inforadar_session"
SESSION_LIFETIME = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    token: str

    def is_token(self, given: str) -> bool:
        """Compare in constant time, so that timing reveals nothing about the token."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def begin(self, now: datetime) -> str:
        """Start a session; return the cookie's value."""
        claim = f"{int((now + SESSION_LIFETIME).timestamp())}.{secrets.token_hex(16)}"
        return f"{claim}.{self._sign('session', claim)}"

    def is_valid(self, cookie: str, now: datetime) -> bool:
        claim, _, signature = cookie.rpartition(".")
        until, _, _ = claim.partition(".")
        signed = hmac.compare_digest(
            signature.encode("utf-8", "replace"), self._sign("session", claim).encode()
        )
        return signed and int(until) > now.timestamp()

    def find_valid(self, headers: Iterable[tuple[bytes, bytes]], now: datetime) -> str | None:
        """Return the valid session among a request's cookies."""
        return next((cookie for cookie in _cookies(headers) if self.is_valid(cookie, now)), None)

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


def _cookies(headers: Iterable[tuple[bytes, bytes]]) -> Iterator[str]:
    """Read our cookies. The others belong to other programs on this host, and may be anything."""
    for header, cookies in headers:
        if header == b"cookie":
            for cookie in cookies.split(b";"):
                name, _, value = cookie.partition(b"=")
                if name.strip() == COOKIE.encode():
                    yield value.strip().decode("latin-1")
