"""Says that this process is alive, and frees the leases of workers that are not."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import structlog

from inforadar.errors import InfoRadarError
from inforadar.store.database import Database
from inforadar.store.workers import RENEW_S, remove_worker, renew_worker

log = structlog.get_logger()


@asynccontextmanager
async def stay_alive(database: Database) -> AsyncIterator[None]:
    """Renew this process's row of `workers` while the block runs; remove it at the end."""
    await _renew(database)
    renewing = asyncio.create_task(_keep_renewing(database), name="alive")
    try:
        yield
    finally:
        renewing.cancel()
        with suppress(InfoRadarError):
            await asyncio.shield(database.write(remove_worker))


async def _keep_renewing(database: Database) -> None:
    while True:
        await asyncio.sleep(RENEW_S)
        await _renew(database)


async def _renew(database: Database) -> None:
    try:
        freed = await database.write(renew_worker, f"{socket.gethostname()} {os.getpid()}")
    except InfoRadarError as fault:
        log.warning("worker.not_renewed", error=str(fault))
        return
    if freed:
        log.warning("leases.freed", of="a worker that ended unexpectedly", number=freed)
