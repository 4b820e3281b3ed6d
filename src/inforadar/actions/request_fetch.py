"""Request a fetch run, which any worker executes, and request that a run stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inforadar.model.ids import RunId
from inforadar.store.database import Database
from inforadar.store.runs.fetch_runs import request_fetch_run, request_stop

if TYPE_CHECKING:
    from inforadar.pipeline.collect.jobs import WalkLimits
    from inforadar.pipeline.runs.fetch_run import FetchFilter


async def request_fetch(database: Database, wanted: FetchFilter, limits: WalkLimits) -> RunId:
    """Request a run over the wanted feeds; the next free worker executes it."""
    # Imported here because it is slow, and only this function needs it.
    from inforadar.pipeline.runs.fetch_run import fetch_details  # noqa: PLC0415

    return await database.write(request_fetch_run, fetch_details(wanted, limits))


async def stop_fetch(database: Database, run_id: RunId) -> None:
    """Request that a run stop between two items; a run that no worker has taken yet never starts."""
    await database.write(request_stop, run_id)
