"""`inforadar db …`."""

from __future__ import annotations

import asyncio

from inforadar.app.store import open_store
from inforadar.cli.output import print_line
from inforadar.config import load_settings
from inforadar.errors import UsageError
from inforadar.store.upgrade import OURS, back_up_sqlite


def upgrade() -> None:
    """Bring the database to this program's schema; SQLite is backed up first."""
    settings = load_settings()

    async def work() -> str:
        async with open_store(settings, upgrade=True) as database:
            return database.name

    print_line(f"{asyncio.run(work())} is at schema {OURS.head}.")


def backup() -> None:
    """Copy the database beside itself, while it is in use."""
    settings = load_settings()

    async def work() -> str:
        async with open_store(settings) as database:
            if database.path is None:
                raise UsageError("This backs up SQLite only; use pg_dump for PostgreSQL.")
            return str(await asyncio.to_thread(back_up_sqlite, database.path))

    print_line(f"Backed up to {asyncio.run(work())}")
