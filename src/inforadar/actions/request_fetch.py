"""Ask for a fetch run, which any worker executes, and ask a run to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inforadar.model.ids import RunId
from inforadar.store.database import Database
from inforadar.store.runs.fetch_runs import request_fetch_run, request_stop

if TYPE_CHECKING:
    from inforadar.pipeline.collect.jobs import WalkLimits
    from inforadar.pipeline.runs.fetch_run import FetchFilter


async def request_fetch(database: Database, wanted: FetchFilter, limits: WalkLimits) -> RunId:
    """Ask for a run over the feeds that are wanted; the next worker that looks executes it."""
    # What fetches takes a moment to import, and only this needs it.
    from inforadar.pipeline.runs.fetch_run import fetch_details  # noqa: PLC0415

    return await database.write(request_fetch_run, fetch_details(wanted, limits))


async def stop_fetch(database: Database, run_id: RunId) -> None:
    """Ask a run to stop between two items; a run that no worker has taken yet never begins."""
    await database.write(request_stop, run_id)
