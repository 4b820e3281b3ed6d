"""`POST /api/fetch`: request a fetch run, which a worker executes, or request that a run stops."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated
from uuid import UUID

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.request_fetch import request_fetch, stop_fetch
from inforadar.model.ids import RunId
from inforadar.stages.discover.pages.walk import Depth
from inforadar.store.database import Database
from inforadar.store.runs.queries import is_run_finished, load_report
from inforadar.views.json import report_document
from inforadar.web.api.answers import json_answer, json_fault
from inforadar.web.http.bodies import read_json
from inforadar.web.http.routing import resource


class FetchAsked(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The options of the `fetch` command; by default all enabled feeds, down to their cutoff."""

    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    cutoff: date | None = None
    window_days: Annotated[int, msgspec.Meta(ge=0, le=36_500)] | None = None
    depth: Depth = Depth.CUTOFF


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchApi:
    database: Database

    def routes(self) -> list[Route]:
        return [
            resource("/api/fetch", post=self.fetch),
            resource("/api/runs/{id:uuid}/stop", post=self.stop),
        ]

    async def fetch(self, request: Request) -> Response:
        # The parts of a worker, of which a request to it needs only how it is written.
        from inforadar.pipeline.collect.jobs import WalkLimits  # noqa: PLC0415 - slow
        from inforadar.pipeline.runs.fetch_run import FetchFilter  # noqa: PLC0415

        asked = await read_json(request, FetchAsked)
        wanted = FetchFilter(sources=asked.sources, topics=asked.topics)
        limits = WalkLimits(cutoff=asked.cutoff, window_days=asked.window_days, depth=asked.depth)
        run_id = await request_fetch(self.database, wanted, limits)
        return json_answer(report_document(await self.database.read(load_report, run_id)), 202)

    async def stop(self, request: Request) -> Response:
        """Stop a run between two items; everything saved so far is kept."""
        run_id = RunId(UUID(str(request.path_params["id"])))
        if await self.database.read(is_run_finished, run_id):
            return json_fault(409, "This run has already ended.")
        await stop_fetch(self.database, run_id)
        return json_answer(report_document(await self.database.read(load_report, run_id)), 202)
