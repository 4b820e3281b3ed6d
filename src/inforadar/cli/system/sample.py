"""`inforadar sample …`: the sample news world."""

from __future__ import annotations

import asyncio

import uvloop

from inforadar.app.store import open_store
from inforadar.cli.system.serve import until_signal
from inforadar.cli.terminal.output import print_line
from inforadar.cli.terminal.run import on_store
from inforadar.clock import utc_now
from inforadar.config import Settings, load_settings
from inforadar.errors import UsageError
from inforadar.sample.install import add_sample, load_world, remove_sample, request_changed_feeds
from inforadar.sample.server import serve_sample
from inforadar.store.database import Database


def add() -> None:
    """Add the sample feeds with their recorded past."""

    async def work(database: Database, settings: Settings) -> int:
        return len(await add_sample(database, settings, utc_now))

    print_line(f"The sample's {on_store(work)} feeds are there. `inforadar up` serves them.")


def remove() -> None:
    """Delete the sample and everything it brought."""

    async def work(database: Database, _: Settings) -> int:
        return await remove_sample(database)

    print_line(f"Removed the sample's {on_store(work)} feeds and all that came with them.")


def serve() -> None:
    """Serve the sample world on its port, until stopped."""
    settings = load_settings()

    async def work(stop: asyncio.Event) -> None:
        async with open_store(settings) as database:
            world = await load_world(database)
            if world is None:
                raise UsageError("The sample is not there. Add it with `inforadar sample add`.")
            runner = await serve_sample(world, int(world.base_url.rpartition(":")[2]))
            try:
                await request_changed_feeds(database, world, utc_now, stop)
            finally:
                await runner.cleanup()

    uvloop.run(until_signal(work))
