"""Find people, and the people behind their secrets. Nothing here changes anything."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, or_, select

from inforadar.errors import NotFoundError
from inforadar.model.person import Person, PersonId, Role, Token, TokenId, TokenKind
from inforadar.store.schema.people import (
    people,
    person_passwords,
    person_tokens,
    saved_searches,
    secret_keys,
)
from inforadar.store.types import db_now
from inforadar.texts import storable_text

TOKEN_KEY = "tokens"  # noqa: S105 - the name of the key, not the key


def name_key(name: str) -> str:
    """The name by which a person is found: without regard to case and surrounding white space."""
    return storable_text(name).strip().casefold()


def load_people(connection: Connection) -> list[Person]:
    """Load all people, in the order in which they were added."""
    return [_person(row) for row in connection.execute(_select().order_by(people.c.created_at, people.c.id))]


def load_person(connection: Connection, person_id: PersonId) -> Person | None:
    row = connection.execute(_select().where(people.c.id == person_id)).first()
    return _person(row) if row else None


def find_person(connection: Connection, name: str) -> Person:
    """Find a person by name; raise `NotFoundError` if there is none."""
    row = connection.execute(_select().where(people.c.name_key == name_key(name))).first()
    if row is None:
        raise NotFoundError(f"There is no person {name!r}. `inforadar person list` shows all.")
    return _person(row)


def load_first_admin(connection: Connection) -> Person:
    """Load the admin who was added first: the admin token and the terminal act as this person."""
    admins = _select().where(people.c.role == Role.ADMIN.value).order_by(people.c.created_at, people.c.id)
    row = connection.execute(admins.limit(1)).first()
    if row is None:
        raise NotFoundError("There is no admin. Add one with `inforadar person add NAME --role admin`.")
    return _person(row)


def load_password(connection: Connection, name: str) -> tuple[Person, str] | None:
    """Load the person with this name and the hash of the password; None if there is no person or no password."""
    query = (
        _select()
        .add_columns(person_passwords.c.hash.label("hash"))
        .where(people.c.name_key == name_key(name))
    )
    row = connection.execute(query).first()
    return (_person(row), row.hash) if row and row.hash else None


_LOAD_KEY = select(secret_keys.c.secret).where(secret_keys.c.name == TOKEN_KEY)
_KNOWN_KEY = "inforadar.token_key"
"""Under this name a connection remembers the key: it is made once, and needed for each request."""


def load_token_key(connection: Connection) -> str | None:
    """The key of all hashes of secrets; None as long as there is no secret."""
    key: str | None = connection.execute(_LOAD_KEY).scalar_one_or_none()
    connection.info[_KNOWN_KEY] = key
    return key


def token_hash(key: str, secret: str) -> str:
    """The keyed hash of a secret, as it is stored.

    A fast hash is enough: the secrets are random, and it is computed for each request.
    """
    data = secret.encode("utf-8", "replace")
    return hashlib.blake2b(data, key=bytes.fromhex(key), digest_size=32).hexdigest()


def find_by_token(connection: Connection, secret: str, kind: TokenKind) -> tuple[Person, Token] | None:
    """Find the owner of a secret of this kind; None if it is wrong, revoked or expired."""
    known: str | None = connection.info.get(_KNOWN_KEY)
    found = _find_by_token(connection, known, secret, kind)
    if found is None and (key := load_token_key(connection)) != known:
        # Another database has taken the place of the one that the connection has seen.
        found = _find_by_token(connection, key, secret, kind)
    return found


def _find_by_token(
    connection: Connection, key: str | None, secret: str, kind: TokenKind
) -> tuple[Person, Token] | None:
    if key is None:
        return None
    asked = {"hash": token_hash(key, secret), "kind": kind.value}
    row = connection.execute(_valid_token(), asked).first()
    return (_person(row), _token(row, "token_")) if row else None


@cache
def _valid_token() -> Select[Any]:
    t = person_tokens.c
    return _with_token().where(
        t.hash == bindparam("hash"),
        t.kind == bindparam("kind"),
        or_(t.expires_at.is_(None), t.expires_at > db_now()),
    )


def _with_token() -> Select[Any]:
    t = person_tokens.c
    columns = (column.label(f"token_{column.name}") for column in t)
    return _select().add_columns(*columns).join(person_tokens, t.person_id == people.c.id)


def load_app_token(connection: Connection, token_id: TokenId) -> tuple[Person, Token, str] | None:
    """Load an app password with its owner and its stored hash, from which its auth tokens are derived."""
    row = connection.execute(_app_token(), {"token": token_id}).first()
    return (_person(row), _token(row, "token_"), row.token_hash) if row else None


@cache
def _app_token() -> Select[Any]:
    t = person_tokens.c
    return _with_token().where(t.id == bindparam("token"), t.kind == TokenKind.APP.value)


def load_tokens(connection: Connection, person_id: PersonId, kinds: Sequence[TokenKind]) -> list[Token]:
    """Load a person's valid secrets, newest first, without the secrets."""
    t = person_tokens.c
    query = (
        select(*(column.label(f"token_{column.name}") for column in t))
        .where(
            t.person_id == person_id,
            t.kind.in_([kind.value for kind in kinds]),
            or_(t.expires_at.is_(None), t.expires_at > db_now()),
        )
        .order_by(t.id.desc())
    )
    return [_token(row, "token_") for row in connection.execute(query)]


def load_searches(connection: Connection, person_id: PersonId) -> dict[str, str]:
    """Load a person's saved searches: {name: words}."""
    s = saved_searches.c
    query = select(s.name, s.words).where(s.person_id == person_id).order_by(s.name)
    return {row.name: row.words for row in connection.execute(query)}


def _select() -> Select[Any]:
    return select(people, person_passwords.c.person_id.is_not(None).label("has_password")).join_from(
        people, person_passwords, person_passwords.c.person_id == people.c.id, isouter=True
    )


def _person(row: Row[Any]) -> Person:
    return Person(
        id=row.id,
        name=row.name,
        role=Role(row.role),
        created_at=row.created_at,
        settings=row.settings,
        has_password=bool(row.has_password),
    )


def _token(row: Row[Any], prefix: str) -> Token:
    r = row._mapping
    return Token(
        id=TokenId(r[f"{prefix}id"]),
        person_id=r[f"{prefix}person_id"],
        kind=TokenKind(r[f"{prefix}kind"]),
        label=r[f"{prefix}label"],
        created_at=r[f"{prefix}created_at"],
        used_at=r[f"{prefix}used_at"],
        expires_at=r[f"{prefix}expires_at"],
    )
