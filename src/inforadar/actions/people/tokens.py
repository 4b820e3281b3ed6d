"""Secrets that are random: app passwords, feed tokens, login links and sessions. Each is shown once."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta

from inforadar.clock import utc_now
from inforadar.errors import UsageError
from inforadar.model.person import Person, PersonId, Token, TokenId, TokenKind
from inforadar.store.database import Database
from inforadar.store.people.queries import load_tokens
from inforadar.store.people.save_tokens import USE_NOTED_S, delete_token, insert_token, note_use, take_link

LINK_LIFETIME = timedelta(days=1)
SESSION_LIFETIME = timedelta(days=30)
MAX_TOKENS = 100
"""How many app passwords, or feed tokens, a person has at most."""


async def make_app_password(database: Database, person_id: PersonId, label: str) -> tuple[str, Token]:
    """Make a password for an app; return it and what is stored of it."""
    await _require_room(database, person_id, TokenKind.APP)
    # No hyphens or underscores: people type it on a phone.
    secret = secrets.token_hex(16)
    return secret, await database.write(
        insert_token, person_id, TokenKind.APP, secret, label=checked_label(label)
    )


async def make_feed_token(database: Database, person_id: PersonId, label: str) -> tuple[str, Token]:
    """Make a token that opens feeds by `token=` in their address."""
    await _require_room(database, person_id, TokenKind.FEED)
    secret = secrets.token_urlsafe(24)
    return secret, await database.write(
        insert_token, person_id, TokenKind.FEED, secret, label=checked_label(label)
    )


async def make_link(database: Database, person_id: PersonId) -> str:
    """Make a code for one login, good for a day."""
    secret = secrets.token_urlsafe(24)
    await database.write(insert_token, person_id, TokenKind.LINK, secret, lifetime=LINK_LIFETIME)
    return secret


async def use_link(database: Database, code: str) -> Person | None:
    """Use up a login code; return its person."""
    return await database.write(take_link, code)


async def begin_session(database: Database, person_id: PersonId, browser: str) -> str:
    """Log a person in; return the value of the session's cookie."""
    secret = secrets.token_urlsafe(32)
    await database.write(
        insert_token, person_id, TokenKind.SESSION, secret, label=browser, lifetime=SESSION_LIFETIME
    )
    return secret


async def revoke(
    database: Database, person_id: PersonId, token_id: TokenId, kinds: Sequence[TokenKind]
) -> None:
    """Revoke a secret of these kinds. It stops working with the next request."""
    await database.write(delete_token, person_id, token_id, kinds)


async def note_token_use(database: Database, token: Token) -> None:
    """Note that a secret is used, unless that was done lately."""
    if token.used_at is None or (utc_now() - token.used_at).total_seconds() > USE_NOTED_S:
        await database.write(note_use, token.id)


def checked_label(label: str) -> str:
    trimmed = " ".join(label.split())
    if not trimmed or len(trimmed) > 100:
        raise UsageError("The label has 1 to 100 characters. Name the app or the device.")
    return trimmed


async def _require_room(database: Database, person_id: PersonId, kind: TokenKind) -> None:
    if len(await database.read(load_tokens, person_id, [kind])) >= MAX_TOKENS:
        raise UsageError(f"There are {MAX_TOKENS} already. Revoke those that are not used any more.")
