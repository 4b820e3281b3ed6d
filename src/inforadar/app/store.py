"""The database, put together from the settings. Light to import: every command needs it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from inforadar.config import Settings
from inforadar.errors import StoreError
from inforadar.store.database import Database, open_database
from inforadar.store.upkeep.revision import is_bare, require_current
from inforadar.store.upkeep.upgrade import upgrade_database

SAMPLE = "sample"
"""`feeds.origin` of the sample world."""


def make_home(home: Path) -> None:
    """The home folder, readable by its owner alone: secrets lie there."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = home / ".writable"
        probe.touch()
        probe.unlink(missing_ok=True)  # another process may be looking just now, too
    except OSError as fault:
        raise StoreError(
            f"The home folder {home} cannot be used: {fault.strerror}. "
            "Name another with --home or INFORADAR_HOME."
        ) from None


@asynccontextmanager
async def open_unchecked_store(settings: Settings) -> AsyncIterator[Database]:
    """The database as it is, for those who bring it to this program's schema."""
    if settings.database_url.startswith("sqlite"):
        make_home(settings.home)
    password = settings.database.password
    secret = password.get_secret_value() if password else None
    async with open_database(settings.database_url, secret) as database:
        yield database


@asynccontextmanager
async def open_store(settings: Settings, *, upgrade: bool = False) -> AsyncIterator[Database]:
    """The database, at this program's schema; with `upgrade`, or a new file, it is brought there, else refused."""
    async with open_unchecked_store(settings) as database:
        # A new file may be there already: another process has just made it, and is about to set it up.
        if upgrade or (database.path and await database.read(is_bare)):
            await upgrade_database(database)
        else:
            await require_current(database)
        yield database
