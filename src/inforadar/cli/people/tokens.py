"""`inforadar person app-password|feed-token|session …`: a person's secrets, listed and revoked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any
from uuid import UUID

from cyclopts import Parameter

from inforadar.actions.people.tokens import make_app_password, make_feed_token, revoke
from inforadar.cli.people.person import Json, Name
from inforadar.cli.terminal.output import print_json, print_line, safe, short_time
from inforadar.cli.terminal.run import on_store
from inforadar.cli.terminal.tables import print_table
from inforadar.config import Settings
from inforadar.errors import NotFoundError, UsageError
from inforadar.model.ids import short_id
from inforadar.model.person import PersonId, Token, TokenId, TokenKind
from inforadar.store.database import Database
from inforadar.store.people.queries import find_person, load_tokens

Label = Annotated[str, Parameter(help="The app or device it is for.")]
Reference = Annotated[str, Parameter(help="Its id, the end of its id, or its label.")]


def add_app_password(name: Name, label: Label, *, json: Json = False) -> None:
    """Make a password for an app and print it once."""
    _add(name, label, make_app_password, "password", json=json)


def list_app_passwords(name: Name, *, json: Json = False) -> None:
    """List a person's app passwords, without the passwords."""
    _list(name, TokenKind.APP, "No app passwords yet.", json=json)


def remove_app_password(name: Name, which: Reference, *, json: Json = False) -> None:
    """Revoke an app password."""
    _remove(name, which, TokenKind.APP, json=json)


def add_feed_token(name: Name, label: Label, *, json: Json = False) -> None:
    """Make a token that opens private feeds by `token=` in their address, and print it once."""
    _add(name, label, make_feed_token, "token", json=json)


def list_feed_tokens(name: Name, *, json: Json = False) -> None:
    """List a person's feed tokens, without the tokens."""
    _list(name, TokenKind.FEED, "No feed tokens yet.", json=json)


def remove_feed_token(name: Name, which: Reference, *, json: Json = False) -> None:
    """Revoke a feed token."""
    _remove(name, which, TokenKind.FEED, json=json)


def list_sessions(name: Name, *, json: Json = False) -> None:
    """List the browsers in which a person is logged in."""
    _list(name, TokenKind.SESSION, "No sessions.", json=json)


def remove_session(name: Name, which: Reference, *, json: Json = False) -> None:
    """End a session."""
    _remove(name, which, TokenKind.SESSION, json=json)


_Make = Callable[[Database, PersonId, str], Awaitable[tuple[str, Token]]]


def _add(name: str, label: str, make: _Make, field: str, *, json: bool) -> None:
    async def work(database: Database, _: Settings) -> tuple[str, Token]:
        person = await database.read(find_person, name)
        return await make(database, person.id, label)

    secret, token = on_store(work)
    if json:
        print_json({field: secret} | _document(token))
    else:
        print(secret)  # not masked: it is asked for, and shown only now


def _list(name: str, kind: TokenKind, empty: str, *, json: bool) -> None:
    async def work(database: Database, _: Settings) -> list[Token]:
        person = await database.read(find_person, name)
        return await database.read(load_tokens, person.id, [kind])

    tokens = on_store(work)
    if json:
        print_json([_document(token) for token in tokens])
        return
    print_table(
        ["Id!", "Label", "Made!", "Last used!"],
        (
            (short_id(token.id), token.label, short_time(token.created_at), short_time(token.used_at))
            for token in tokens
        ),
        empty=empty,
    )


def _remove(name: str, which: str, kind: TokenKind, *, json: bool) -> None:
    async def work(database: Database, _: Settings) -> Token:
        person = await database.read(find_person, name)
        token = _choose(await database.read(load_tokens, person.id, [kind]), which)
        await revoke(database, person.id, token.id, [kind])
        return token

    token = on_store(work)
    if json:
        print_json(_document(token))
    else:
        print_line(f"Revoked {safe(token.label) or short_id(token.id)}.")


def _choose(tokens: list[Token], which: str) -> Token:
    try:
        exact: TokenId | None = TokenId(UUID(which))
    except ValueError:
        exact = None
    by_id = [
        token for token in tokens if token.id == exact or (which and token.id.hex.endswith(which.lower()))
    ]
    found = by_id or [token for token in tokens if token.label == which]
    if not found:
        raise NotFoundError(f"There is no {which!r} to revoke; nothing was changed.")
    if len(found) > 1:
        raise UsageError(f"{which!r} fits several; give the id. Nothing was changed.")
    return found[0]


def _document(token: Token) -> dict[str, Any]:
    return {
        "id": str(token.id),
        "label": token.label,
        "created_at": token.created_at,
        "used_at": token.used_at,
        "expires_at": token.expires_at,
    }
