"""Add, change and remove people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from inforadar.actions.people.passwords import check_password, set_password
from inforadar.errors import UsageError
from inforadar.model.ids import FeedId
from inforadar.model.person import MAX_NAME_CHARACTERS, Person, PersonId, Role
from inforadar.model.search import parse_search
from inforadar.store.database import Database
from inforadar.store.people.save_people import (
    delete_person,
    delete_search,
    hide_feeds,
    insert_person,
    save_search,
    show_feeds,
    update_person,
)

MAX_SEARCH_CHARACTERS = 500
TITLES = ("original", "neutral")


async def add_person(database: Database, name: str, role: Role, password: str | None, at: datetime) -> Person:
    """Add a person. Without a password they enter by a link."""
    if password is not None:
        check_password(password)
    person = await database.write(insert_person, checked_name(name), role)
    if password is not None:
        await set_password(database, person.id, password, at)
    return person


async def edit_person(
    database: Database,
    person_id: PersonId,
    *,
    name: str | None = None,
    role: Role | None = None,
    titles: str | None = None,
) -> Person:
    """Change a person's name, role, or which title apps show."""
    if titles is not None and titles not in TITLES:
        raise UsageError(f"titles must be one of {', '.join(TITLES)}.")
    settings: Mapping[str, Any] | None = {"titles": titles} if titles is not None else None
    checked = checked_name(name) if name is not None else None
    return await database.write(update_person, person_id, name=checked, role=role, settings=settings)


async def remove_person(database: Database, person_id: PersonId) -> None:
    """Remove a person with marks, labels, notes, searches, sessions and app passwords."""
    await database.write(delete_person, person_id)


async def hide_feed(database: Database, person_id: PersonId, feed_ids: Iterable[FeedId]) -> None:
    await database.write(hide_feeds, person_id, list(feed_ids))


async def show_feed(database: Database, person_id: PersonId, feed_ids: Iterable[FeedId]) -> None:
    await database.write(show_feeds, person_id, list(feed_ids))


async def keep_search(database: Database, person_id: PersonId, name: str, words: str) -> None:
    """Save a search under a name; one with the same name is replaced."""
    for text in (name, words):
        if not text.strip() or len(text) > MAX_SEARCH_CHARACTERS:
            raise UsageError(f"Name and words of a search have 1 to {MAX_SEARCH_CHARACTERS} characters.")
    parse_search(words)
    await database.write(save_search, person_id, name.strip()[:200], words.strip())


async def drop_search(database: Database, person_id: PersonId, name: str) -> bool:
    """Delete a saved search; return whether there was one."""
    return await database.write(delete_search, person_id, name)


def checked_name(name: str) -> str:
    """Return the name without surrounding white space; raise `UsageError` if it cannot be a name."""
    trimmed = name.strip()
    if not trimmed or len(trimmed) > MAX_NAME_CHARACTERS or not trimmed.isprintable() or ":" in trimmed:
        # Basic authentication ends the name at a colon.
        raise UsageError(f"A name has 1 to {MAX_NAME_CHARACTERS} printable characters and no colon.")
    return trimmed
