"""`inforadar person …`: accounts, links, app passwords, sessions, feed tokens and saved searches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from inforadar.actions.people.passwords import verify_password
from inforadar.actions.people.tokens import begin_session, use_link
from inforadar.model.person import FIRST_PERSON, TokenKind
from inforadar.store.database import Database, open_database
from inforadar.store.people.queries import find_by_token
from tests.cli.calling import Call

T = TypeVar("T")


def on(home: Path, question: Callable[[Database], Awaitable[T]]) -> T:
    async def asked() -> T:
        async with open_database(f"sqlite:///{home / 'inforadar.db'}") as database:
            return await question(database)

    return asyncio.run(asked())


def test_people_are_added_listed_changed_and_removed(call: Call, home: Path) -> None:
    added = call("person", "add", "Ида", "--json", stdin="пароль-и-вода\n")
    assert (added.code, added.json["role"], added.json["has_password"]) == (0, "reader", True)
    assert on(home, lambda database: verify_password(database, "ида", "пароль-и-вода"))
    bare = call("person", "add", "Bo", "--role", "admin", "--no-password")
    assert "person link Bo" in bare.out
    assert [one["name"] for one in call("person", "list", "--json").json] == ["admin", "Ида", "Bo"]
    first, *others = call("person", "list", "--json").json
    assert first["created_at"] is None
    assert all(one["created_at"] for one in others)
    assert "2026-01-01" not in call("person", "list").out
    edited = call(
        "person", "edit", "ИДА", "--rename", "Eda", "--role", "admin", "--titles", "neutral", "--json"
    )
    assert (edited.json["name"], edited.json["role"]) == ("Eda", "admin")
    assert edited.json["settings"] == {"titles": "neutral"}
    assert call("person", "password", "Eda", stdin="another-one\n").code == 0
    assert on(home, lambda database: verify_password(database, "Eda", "another-one"))
    assert call("person", "remove", "Eda").code == 2
    assert call("person", "remove", "Eda", "--yes").code == 0
    assert [one["name"] for one in call("person", "list", "--json").json] == ["admin", "Bo"]


@pytest.mark.parametrize(
    ("arguments", "stdin", "words"),
    [
        (("add", "Admin"), "", "already exists"),
        (("add", " "), "", "name"),
        (("add", "Eda"), "short\n", "8 to"),
        (("edit", "admin"), "", "Nothing to change"),
        (("edit", "admin", "--role", "reader"), "", "only admin"),
        (("edit", "admin", "--hide", "https://nothing.example/"), "", "nothing.example"),
        (("edit", "nobody", "--role", "admin"), "", "no person 'nobody'"),
        (("remove", "admin", "--yes"), "", "only admin"),
        (("remove", "admin"), "", "--yes"),
        (("password", "admin"), "\n", "8 to"),
        (("link", "nobody"), "", "no person"),
        (("app-password", "remove", "admin", "x"), "", "no 'x'"),
        (("search", "remove", "admin", "x"), "", "no saved search"),
    ],
)
def test_what_makes_no_sense_is_refused(
    call: Call, arguments: tuple[str, ...], stdin: str, words: str
) -> None:
    refused = call("person", *arguments, stdin=stdin)
    assert refused.code in {1, 2}
    assert words in refused.err
    assert [one["role"] for one in call("person", "list", "--json").json] == ["admin"]


def test_a_link_logs_in_once(call: Call, home: Path) -> None:
    link = call("person", "link", "admin", "--json").json["link"]
    code = link.partition("code=")[2]
    person = on(home, lambda database: use_link(database, code))
    assert person
    assert person.id == FIRST_PERSON
    assert on(home, lambda database: use_link(database, code)) is None
    assert call("person", "link", "admin").out.startswith("http")


@pytest.mark.parametrize(
    ("noun", "field", "kind"),
    [("app-password", "password", TokenKind.APP), ("feed-token", "token", TokenKind.FEED)],
)
def test_secrets_are_shown_once_listed_without_and_revoked(
    call: Call, home: Path, noun: str, field: str, kind: TokenKind
) -> None:
    made = call("person", noun, "add", "admin", "my phone", "--json").json
    secret = made[field]
    again = call("person", noun, "add", "admin", "my phone").out.strip()
    listed = call("person", noun, "list", "admin", "--json")
    assert [one["label"] for one in listed.json] == ["my phone", "my phone"]
    assert secret not in listed.out + call("person", noun, "list", "admin").out
    assert "several" in call("person", noun, "remove", "admin", "my phone").err
    assert call("person", noun, "remove", "admin", made["id"]).code == 0
    assert on(home, lambda database: database.read(find_by_token, secret, kind)) is None
    assert on(home, lambda database: database.read(find_by_token, again, kind))


def test_sessions_are_listed_and_ended(call: Call, home: Path) -> None:
    cookie = on(home, lambda database: begin_session(database, FIRST_PERSON, "Fire\x1b[31mfox"))
    listed = call("person", "session", "list", "admin")
    assert "fox" in listed.out
    assert "\x1b[31m" not in listed.out
    (session,) = call("person", "session", "list", "admin", "--json").json
    assert call("person", "session", "remove", "admin", session["id"]).code == 0
    assert on(home, lambda database: database.read(find_by_token, cookie, TokenKind.SESSION)) is None


def test_searches_are_saved_and_feeds_hidden(call: Call) -> None:
    assert call("person", "search", "add", "admin", "Коты", "кот OR cat").code == 0
    assert call("person", "search", "list", "admin", "--json").json == [
        {"name": "Коты", "words": "кот OR cat"}
    ]
    assert call("person", "search", "remove", "admin", "Коты").code == 0
    assert call("person", "search", "list", "admin", "--json").json == []
    assert call("feed", "add", "https://one.example/feed").code == 0
    assert call("person", "edit", "admin", "--hide", "https://one.example/feed").code == 0
    assert call("person", "edit", "admin", "--show", "https://one.example/feed").code == 0
