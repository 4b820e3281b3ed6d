"""`inforadar sample …`: add, remove and serve the sample news."""

from __future__ import annotations

import asyncio

from inforadar.app.process import run_async
from inforadar.app.store import open_store
from inforadar.cli.system.signals import until_signal
from inforadar.cli.terminal.output import print_line
from inforadar.cli.terminal.run import on_store
from inforadar.clock import utc_now
from inforadar.config import Settings, load_settings
from inforadar.errors import UsageError
from inforadar.sample.install import add_sample, load_world, remove_sample, request_changed_feeds
from inforadar.sample.server import serve_sample
from inforadar.store.database import Database
from inforadar.texts import counted


def add() -> None:
    """Add the sample feeds with some history."""

    async def work(database: Database, settings: Settings) -> int:
        return len(await add_sample(database, settings, utc_now))

    print_line(f"Added {counted(on_store(work), 'sample feed')}. `inforadar up` serves them.")


def remove() -> None:
    """Delete the sample feeds and their items."""

    async def work(database: Database, _: Settings) -> int:
        return await remove_sample(database)

    print_line(f"Deleted {counted(on_store(work), 'sample feed')} with all their items.")


def serve() -> None:
    """Serve the sample feeds on a local port until stopped."""
    settings = load_settings()

    async def work(stop: asyncio.Event) -> None:
        async with open_store(settings) as database:
            world = await load_world(database)
            if world is None:
                raise UsageError("There is no sample. Add it with `inforadar sample add`.")
            runner = await serve_sample(world, int(world.base_url.rpartition(":")[2]))
            try:
                await request_changed_feeds(database, world, utc_now, stop)
            finally:
                await runner.cleanup()

    run_async(until_signal(work))
