"""A worker that sleeps through its lease with its request out, while another does its work."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

from sqlalchemy import Connection, text

from inforadar.errors import StoreError
from inforadar.store.database import Database
from tests.chaos.audit import find_violations, install_audit
from tests.chaos.rounds import expire_leases, subscribe
from tests.chaos.site import NumberedSite
from tests.chaos.workers import PROGRAM, Setup, WorkerProcess, work_once, worker
from tests.support.site import Site

FEEDS = 3
NEWER = 3
FREEZES = 50


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
        await _freeze(sleeper, database)
        for feed in numbered.feeds:
            feed.version += NEWER
        await work_once(setup, "overtaker")
        held.let_go()
        yield Overtaken(sleeper, numbered, database)


async def _freeze(sleeper: WorkerProcess, database: Database) -> None:
    """Freeze it outside of any transaction, and let its leases end.

    Frozen in the middle of a write it would keep the database from everybody; then it goes on until that write is done.
    """
    for _ in range(FREEZES):
        sleeper.signal(signal.SIGSTOP)
        try:
            if await database.write(_is_alone):
                await database.write(expire_leases, wait=True)
                return
        except StoreError:
            pass
        sleeper.signal(signal.SIGCONT)
        await database.write(_is_alone)
    raise AssertionError("the worker is always in the middle of a write")


def _is_alone(connection: Connection) -> bool:
    """Is no other transaction open? On SQLite that is so for whoever may write."""
    if connection.dialect.name == "sqlite":
        return True
    others = text(
        "select count(*) from pg_stat_activity where datname = current_database()"
        " and pid <> pg_backend_pid() and xact_start is not null"
    )
    return connection.execute(others).scalar() == 0
