"""Opens the database from the settings. Light to import: every command needs it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from inforadar.config import Settings
from inforadar.errors import StoreError
from inforadar.store.database import LOCK_TIMEOUT_S, Database, open_database
from inforadar.store.upkeep.revision import is_empty_database, require_current

SAMPLE = "sample"
"""`feeds.origin` of the sample's feeds."""


def make_home(home: Path) -> None:
    """Create the home folder, readable only by its owner because it contains secrets."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = home / ".writable"
        probe.touch()
        probe.unlink(missing_ok=True)  # another process may be checking at the same time
    except OSError as fault:
        raise StoreError(
            f"The home folder {home} cannot be used: {fault.strerror}. "
            "Choose another with --home or INFORADAR_HOME."
        ) from None


@asynccontextmanager
async def open_unchecked_store(
    settings: Settings, *, lock_timeout_s: float = LOCK_TIMEOUT_S, sharers: int = 1
) -> AsyncIterator[Database]:
    """Open the database whatever its schema, for callers that check or upgrade it."""
    if settings.database_url.startswith("sqlite"):
        make_home(settings.home)
    password = settings.database.password
    secret = password.get_secret_value() if password else None
    async with open_database(
        settings.database_url, secret, lock_timeout_s=lock_timeout_s, sharers=sharers
    ) as database:
        yield database


@asynccontextmanager
async def open_store(
    settings: Settings, *, upgrade: bool = False, lock_timeout_s: float = LOCK_TIMEOUT_S, sharers: int = 1
) -> AsyncIterator[Database]:
    """Open the database with the current schema. With `upgrade`, or if the file is new, create or upgrade it.

    Without `upgrade`, an existing database with another schema is refused. `sharers` processes like this one have the
    connections of one.
    """
    async with open_unchecked_store(settings, lock_timeout_s=lock_timeout_s, sharers=sharers) as database:
        # A new file may already exist: another process has just created it and is about to set it up.
        if upgrade or (database.path and await database.read(is_empty_database)):
            # Imported only where it is used: it is slow, and every command needs this module.
            from inforadar.store.upkeep.upgrade import upgrade_database  # noqa: PLC0415

            await upgrade_database(database)
        else:
            await require_current(database)
        yield database
