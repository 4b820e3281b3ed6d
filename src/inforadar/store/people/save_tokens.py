"""Make and revoke the secrets of people. Only keyed hashes are stored; the key is in the database and moves with it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Connection, delete, insert, or_, update

from inforadar.errors import NotFoundError
from inforadar.model.ids import new_uuid
from inforadar.model.person import Person, PersonId, Token, TokenId, TokenKind
from inforadar.store.people.queries import (
    TOKEN_KEY,
    find_by_token,
    load_token_key,
    load_tokens,
    token_hash,
)
from inforadar.store.schema.people import person_tokens, secret_keys
from inforadar.store.types import db_later, db_now
from inforadar.store.upsert import upsert

MAX_LABEL_CHARACTERS = 200
USE_NOTED_S = 3600
"""How often the use of a secret is noted: not with each request."""


def insert_token(
    connection: Connection,
    person_id: PersonId,
    kind: TokenKind,
    secret: str,
    *,
    label: str = "",
    lifetime: timedelta | None = None,
) -> Token:
    """Store a new secret of a person. Expired ones of all people are deleted on the way."""
    first = upsert(connection, secret_keys).values(name=TOKEN_KEY, secret=secrets.token_hex(32))
    connection.execute(first.on_conflict_do_nothing())
    key = load_token_key(connection)
    assert key is not None
    connection.execute(delete(person_tokens).where(person_tokens.c.expires_at < db_now()))
    token_id = TokenId(new_uuid())
    values = {
        "id": token_id,
        "person_id": person_id,
        "kind": kind.value,
        "hash": token_hash(key, secret),
        "label": label[:MAX_LABEL_CHARACTERS],
        "expires_at": db_later(lifetime.total_seconds()) if lifetime else None,
    }
    connection.execute(insert(person_tokens).values(**values))
    return next(token for token in load_tokens(connection, person_id, [kind]) if token.id == token_id)


def take_link(connection: Connection, secret: str) -> Person | None:
    """Use up a login link; return its person, or None if it is wrong, expired or used already."""
    found = find_by_token(connection, secret, TokenKind.LINK)
    if found is None:
        return None
    person, token = found
    gone = connection.execute(delete(person_tokens).where(person_tokens.c.id == token.id)).rowcount
    return person if gone else None


def delete_token(
    connection: Connection, person_id: PersonId, token_id: TokenId, kinds: Sequence[TokenKind]
) -> None:
    """Revoke a secret; raise `NotFoundError` if the person has none like that."""
    t = person_tokens.c
    mine = (t.person_id == person_id, t.id == token_id, t.kind.in_([kind.value for kind in kinds]))
    if not connection.execute(delete(person_tokens).where(*mine)).rowcount:
        raise NotFoundError("There is nothing like that to revoke; nothing was changed.")


def note_use(connection: Connection, token_id: TokenId) -> None:
    t = person_tokens.c
    is_old = or_(t.used_at.is_(None), t.used_at < db_later(-float(USE_NOTED_S)))
    connection.execute(update(person_tokens).where(t.id == token_id, is_old).values(used_at=db_now()))
