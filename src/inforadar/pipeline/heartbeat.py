"""Holding leases: extends them while work goes on, and releases unfinished ones when it stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import structlog

from inforadar.errors import InfoRadarError
from inforadar.store.database import Database
from inforadar.store.leases import LEASE_S

log = structlog.get_logger()


@asynccontextmanager
async def keep_leases(
    database: Database,
    held: Mapping[Any, Any],
    *,
    extend: Callable[..., object],
    release: Callable[..., None],
    lease_s: float = LEASE_S,
) -> AsyncIterator[None]:
    """Keep extending the leases in `held`; the caller removes those it is done with.

    If the block ends by an exception or a stop, the leases still in `held` are released: their work is due again.
    """
    heartbeat = asyncio.create_task(_beat(database, held, extend, lease_s), name="heartbeat")
    try:
        yield
    except BaseException:
        heartbeat.cancel()
        await asyncio.shield(_release(database, held, release))
        raise
    finally:
        heartbeat.cancel()


async def _beat(
    database: Database, held: Mapping[Any, Any], extend: Callable[..., object], lease_s: float
) -> None:
    while True:
        await asyncio.sleep(lease_s / 3)
        try:
            await database.write(extend, list(held.values()), lease_s=lease_s)
        except InfoRadarError as fault:
            log.warning("leases.not_extended", error=str(fault))


async def _release(database: Database, held: Mapping[Any, Any], release: Callable[..., None]) -> None:
    try:
        await database.write(release, list(held.values()))
    except InfoRadarError as fault:
        log.warning("leases.not_released", error=str(fault))
