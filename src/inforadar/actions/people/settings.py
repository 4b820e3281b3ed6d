"""Change a person's settings of the page."""

from __future__ import annotations

from collections.abc import Mapping

from inforadar.errors import UsageError
from inforadar.model.person import Person, PersonId
from inforadar.store.database import Database
from inforadar.store.people.save_people import update_person
from inforadar.views.settings import CHOICES, NAMES, PREFIX, is_choice


async def save_settings(database: Database, person_id: PersonId, changes: Mapping[str, str]) -> Person:
    """Save the given settings and leave the others; raise `UsageError` if one is not known."""
    for name, value in changes.items():
        if name not in NAMES:
            raise UsageError(f"There is no setting {name!r}; nothing was changed.")
        if not is_choice(name, value):
            known = ", ".join(CHOICES[name]) if name in CHOICES else "the name of a time zone"
            raise UsageError(f"{name} must be one of {known}; nothing was changed.")
    stored = {f"{PREFIX}{name}": value for name, value in changes.items()}
    return await database.write(update_person, person_id, settings=stored)
