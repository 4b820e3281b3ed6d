"""Add, change and remove people, and what they choose: hidden feeds, saved searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update

from inforadar.errors import UsageError
from inforadar.model.ids import FeedId, new_uuid
from inforadar.model.person import Person, PersonId, Role, TokenKind
from inforadar.store.people.queries import find_person, load_person, name_key
from inforadar.store.schema.people import (
    hidden_feeds,
    people,
    person_passwords,
    person_tokens,
    saved_searches,
)
from inforadar.store.types import one_of
from inforadar.store.upsert import upsert


def insert_person(connection: Connection, name: str, role: Role) -> Person:
    """Add a person; raise `UsageError` if the name is taken."""
    _require_free(connection, name)
    values = {"id": new_uuid(), "name": name, "name_key": name_key(name), "role": role.value}
    connection.execute(insert(people).values(**values))
    return find_person(connection, name)


def update_person(
    connection: Connection,
    person_id: PersonId,
    *,
    name: str | None = None,
    role: Role | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Person:
    """Change what is given; raise `UsageError` if that would leave no admin, or the name is taken."""
    person = _locked(connection, person_id)
    values: dict[str, Any] = {}
    if name is not None:
        if name_key(name) != name_key(person.name):
            _require_free(connection, name)
        values |= {"name": name, "name_key": name_key(name)}
    if role is not None and role is not person.role:
        _require_another_admin(connection, person)
        values["role"] = role.value
    if settings:
        kept = {**person.settings, **settings}
        values["settings"] = {key: value for key, value in kept.items() if value is not None}
    if values:
        connection.execute(update(people).where(people.c.id == person_id).values(**values))
    return _locked(connection, person_id)


def delete_person(connection: Connection, person_id: PersonId) -> None:
    """Remove a person with everything that is theirs; raise `UsageError` for the last admin."""
    _require_another_admin(connection, _locked(connection, person_id))
    connection.execute(delete(people).where(people.c.id == person_id))


def save_password(connection: Connection, person_id: PersonId, hash_: str, at: datetime) -> None:
    """Set a person's password, and end all sessions: whoever knew the old one is out."""
    row = upsert(connection, person_passwords).values(person_id=person_id, hash=hash_, changed_at=at)
    changed = {"hash": row.excluded.hash, "changed_at": row.excluded.changed_at}
    connection.execute(row.on_conflict_do_update(index_elements=["person_id"], set_=changed))
    ended = (TokenKind.SESSION.value, TokenKind.LINK.value)
    connection.execute(
        delete(person_tokens).where(person_tokens.c.person_id == person_id, person_tokens.c.kind.in_(ended))
    )


def hide_feeds(connection: Connection, person_id: PersonId, feed_ids: Iterable[FeedId]) -> None:
    rows = [{"person_id": person_id, "feed_id": feed_id} for feed_id in feed_ids]
    if rows:
        connection.execute(upsert(connection, hidden_feeds).on_conflict_do_nothing(), rows)


def show_feeds(connection: Connection, person_id: PersonId, feed_ids: Iterable[FeedId]) -> None:
    connection.execute(
        delete(hidden_feeds).where(
            hidden_feeds.c.person_id == person_id, one_of(hidden_feeds.c.feed_id, feed_ids)
        )
    )


def save_search(connection: Connection, person_id: PersonId, name: str, words: str) -> None:
    row = upsert(connection, saved_searches).values(person_id=person_id, name=name, words=words)
    connection.execute(
        row.on_conflict_do_update(index_elements=["person_id", "name"], set_={"words": row.excluded.words})
    )


def delete_search(connection: Connection, person_id: PersonId, name: str) -> bool:
    """Delete a saved search; return whether there was one."""
    s = saved_searches.c
    return (
        connection.execute(delete(saved_searches).where(s.person_id == person_id, s.name == name)).rowcount
        > 0
    )


def _locked(connection: Connection, person_id: PersonId) -> Person:
    connection.execute(select(people.c.id).where(people.c.id == person_id).with_for_update())
    person = load_person(connection, person_id)
    if person is None:
        raise UsageError("There is no such person any more; nothing was changed.")
    return person


def _require_free(connection: Connection, name: str) -> None:
    if connection.execute(select(people.c.id).where(people.c.name_key == name_key(name))).first():
        raise UsageError(f"{name} already exists; nothing was changed.")


def _require_another_admin(connection: Connection, person: Person) -> None:
    if not person.is_admin:
        return
    admins = select(people.c.id).where(people.c.role == Role.ADMIN.value)
    # All of them, so that two admins cannot remove each other at the same time.
    connection.execute(admins.order_by(people.c.id).with_for_update())
    if connection.execute(select(func.count()).select_from(admins.subquery())).scalar_one() < 2:
        raise UsageError(f"{person.name} is the only admin; nothing was changed. Make another one first.")
