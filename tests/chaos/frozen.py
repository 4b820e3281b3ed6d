"""A worker that sleeps through its lease with its request out, while another does its work."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

from inforadar.store.database import Database
from tests.chaos.audit import find_violations, install_audit
from tests.chaos.rounds import expire_leases, subscribe
from tests.chaos.site import NumberedSite
from tests.chaos.workers import PROGRAM, Setup, WorkerProcess, work_once, worker
from tests.support.site import Site

FEEDS = 3
NEWER = 3


class Overtaken:
    """The sleeper holds old answers in its hands; what is newer is stored already."""

    def __init__(self, sleeper: WorkerProcess, numbered: NumberedSite, database: Database) -> None:
        self.sleeper = sleeper
        self._numbered = numbered
        self._database = database

    async def violations(self) -> list[str]:
        return await find_violations(self._database, self._numbered.feeds)


@asynccontextmanager
async def overtaken_worker(
    site: Site, database: Database, database_url: str, home: Path, program: tuple[str, ...] = PROGRAM
) -> AsyncIterator[Overtaken]:
    """Frozen until SIGCONT; then the answers it waited for are there."""
    numbered = NumberedSite(site, FEEDS, Random(1))
    numbered.is_growing = False
    await database.write(install_audit)
    await subscribe(database, numbered)
    # Nothing becomes due by itself again: what changes after that, the sleeper did.
    extra = {"FETCHER_SUCCESS_INTERVAL": "3600"}
    setup = Setup(home=home, database_url=database_url, site=site, extra=extra)
    held = numbered.hold("sleeper", FEEDS)
    async with worker(replace(setup, program=program), "sleeper") as sleeper:
        await held.all_asked()
        sleeper.signal(signal.SIGSTOP)
        await database.write(expire_leases, wait=True)
        for feed in numbered.feeds:
            feed.version += NEWER
        await work_once(setup, "overtaker")
        held.let_go()
        yield Overtaken(sleeper, numbered, database)
