"""Run a command's coroutine on an open database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from inforadar.app.store import open_store
from inforadar.cli.terminal.logs import configure_logs
from inforadar.config import Settings, load_settings
from inforadar.store.database import Database

T = TypeVar("T")


def on_store(work: Callable[[Database, Settings], Awaitable[T]]) -> T:
    """Load the settings, open the database and run `work`."""
    settings = load_settings()
    configure_logs(settings.log, quiet=True)

    async def opened() -> T:
        async with open_store(settings) as database:
            return await work(database, settings)

    return asyncio.run(opened())
