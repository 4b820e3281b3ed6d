"""Starting the terminal app from the command line."""

from __future__ import annotations

import asyncio

from inforadar.app.store import open_store
from inforadar.config import load_settings


def run_terminal() -> int:
    """Runs until the reader leaves."""
    settings = load_settings()

    async def run() -> int:
        async with open_store(settings) as database:
            from inforadar.tui.app import RadarApp  # noqa: PLC0415 - a database that cannot be used is said first

            app = RadarApp(settings, database)
            await app.run_async()
            return app.return_code or 0

    return asyncio.run(run())
