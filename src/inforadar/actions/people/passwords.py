"""Passwords of people: hashed with argon2id, in a thread, because each takes tens of milliseconds on purpose."""

from __future__ import annotations

import asyncio
from datetime import datetime

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from inforadar.errors import UsageError
from inforadar.model.person import Person, PersonId
from inforadar.store.database import Database
from inforadar.store.people.queries import load_password
from inforadar.store.people.save_people import save_password

MIN_PASSWORD_CHARACTERS = 8
MAX_PASSWORD_CHARACTERS = 1000
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
_NOBODYS_HASH = _HASHER.hash("nobody has this password")
"""Checked for unknown names, so that the time of an answer does not tell which names exist."""


def check_password(password: str) -> None:
    """Raise `UsageError` if the text cannot be a password."""
    if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS:
        raise UsageError(
            f"A password has {MIN_PASSWORD_CHARACTERS} to {MAX_PASSWORD_CHARACTERS} characters; "
            "nothing was changed."
        )


async def set_password(database: Database, person_id: PersonId, password: str, at: datetime) -> None:
    """Set a person's password. All their sessions end."""
    check_password(password)
    hashed = await asyncio.to_thread(_HASHER.hash, password)
    await database.write(save_password, person_id, hashed, at)


async def verify_password(database: Database, name: str, password: str) -> Person | None:
    """Return the person if name and password are right."""
    found = await database.read(load_password, name)
    person, stored = found or (None, _NOBODYS_HASH)
    if len(password) > MAX_PASSWORD_CHARACTERS:
        return None
    return person if await asyncio.to_thread(_is_right, stored, password) else None


def _is_right(stored: str, password: str) -> bool:
    try:
        return _HASHER.verify(stored, password)
    except (VerificationError, InvalidHashError):
        return False
