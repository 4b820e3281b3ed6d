"""Auth tokens, which clients send with each request, and short-lived tokens for changes.

Both are derived from the stored hash of an app password, so nothing else is stored, and both end when that is revoked.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inforadar.actions.people.tokens import note_token_use
from inforadar.model.person import Person, Token, TokenId, TokenKind
from inforadar.store.database import Database
from inforadar.store.people.queries import find_by_token, load_app_token, name_key

CHANGE_TOKEN_LIFETIME_S = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The person behind a request, and how tokens for changes are made."""

    person: Person
    auth: str
    secret: str

    def change_token(self, now: datetime) -> str:
        until = int(now.timestamp()) + CHANGE_TOKEN_LIFETIME_S
        return f"{until}/{_sign(self.secret, f'change {until}')}"

    def is_change_token(self, given: str, now: datetime) -> bool:
        """Whether it is a token for changes that is not too old, or the auth token, which Liferea sends instead."""
        if hmac.compare_digest(given.encode("utf-8", "replace"), self.auth.encode()):
            return True
        until, _, signature = given.partition("/")
        if not (until.isascii() and until.isdigit() and len(until) < 13):
            return False
        right = _sign(self.secret, f"change {until}")
        is_right = hmac.compare_digest(signature.encode("utf-8", "replace"), right.encode())
        return is_right and int(until) > now.timestamp()


async def log_in(database: Database, name: str, password: str) -> Caller | None:
    """Check a name and an app password."""
    found = await database.read(find_by_token, password, TokenKind.APP) if password else None
    if found is None or name_key(found[0].name) != name_key(name):
        return None
    caller = await _caller(database, found[1].id)
    return caller[0] if caller else None


async def find_caller(database: Database, auth: str) -> Caller | None:
    """Find the person behind an auth token."""
    token_id, _, _ = auth.rpartition("/")[2].partition(".")
    try:
        found = await _caller(database, TokenId(UUID(token_id)))
    except ValueError:
        return None
    if found is None:
        return None
    caller, token = found
    if not hmac.compare_digest(auth.encode("utf-8", "replace"), caller.auth.encode()):
        return None
    await note_token_use(database, token)
    return caller


async def _caller(database: Database, token_id: TokenId) -> tuple[Caller, Token] | None:
    stored = await database.read(load_app_token, token_id)
    if stored is None:
        return None
    person, token, secret = stored
    return Caller(person=person, auth=_auth(person, token_id, secret), secret=secret), token


def _auth(person: Person, token_id: TokenId, secret: str) -> str:
    return f"{person.id.hex}/{token_id.hex}.{_sign(secret, 'auth')}"


def _sign(secret: str, message: str) -> str:
    return hmac.new(secret.encode(), f"greader {message}".encode(), hashlib.sha256).hexdigest()[:40]
