"""Sessions that need no table: the cookie says until when it holds, signed with the admin token. Pure.

A new token ends all sessions. The CSRF token belongs to one session and is what a page of ours can know and
a page of anybody else cannot.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

COOKIE = "inforadar_session"
LIFE = timedelta(days=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    token: str

    def is_token(self, given: str) -> bool:
        """In constant time: how long it takes tells nothing about the token."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def begin(self, now: datetime) -> str:
        """The cookie's value."""
        claim = f"{int((now + LIFE).timestamp())}.{secrets.token_hex(16)}"
        return f"{claim}.{self._sign('session', claim)}"

    def holds(self, cookie: str, now: datetime) -> bool:
        claim, _, signature = cookie.rpartition(".")
        until, _, _ = claim.partition(".")
        signed = hmac.compare_digest(
            signature.encode("utf-8", "replace"), self._sign("session", claim).encode()
        )
        return signed and int(until) > now.timestamp()

    def csrf_token(self, cookie: str) -> str:
        return self._sign("csrf", cookie)

    def is_csrf_token(self, cookie: str, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.csrf_token(cookie).encode())

    def _sign(self, purpose: str, text: str) -> str:
        message = f"{purpose}\0{text}".encode("utf-8", "replace")
        return hmac.new(self.token.encode(), message, hashlib.sha256).hexdigest()
