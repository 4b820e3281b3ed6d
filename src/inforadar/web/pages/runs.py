"""`/runs`: the list of runs, and everything one run added and changed, old beside new."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.model.ids import RunId
from inforadar.model.run import Report
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_broken_count
from inforadar.store.runs.items import load_run_added, load_run_changed
from inforadar.store.runs.queries import load_run, load_runs
from inforadar.views.field_diff import shown_changes
from inforadar.views.json import run_state
from inforadar.web.http import parameters
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import Pages

PAGE_RUNS = 50
SHOWN_ITEMS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRoutes:
    database: Database
    pages: Pages

    def routes(self) -> list[Route]:
        return [resource("/runs", get=self.show_list), resource("/runs/{id:uuid}", get=self.show)]

    async def show_list(self, request: Request) -> Response:
        before = parameters.uuid(request.query_params, "before")
        reports = await self.database.read(
            load_runs, limit=PAGE_RUNS + 1, before=RunId(before) if before else None
        )
        return self.pages.render(
            request,
            "runs.html",
            reports=reports[:PAGE_RUNS],
            older=reports[PAGE_RUNS - 1].run_id if len(reports) > PAGE_RUNS else None,
            is_first=before is None,
            state=run_state,
            took=took,
            broken=await self.database.read(load_broken_count),
        )

    async def show(self, request: Request) -> Response:
        run_id = RunId(UUID(str(request.path_params["id"])))
        report = await self.database.read(load_run, run_id)
        return self.pages.render(
            request,
            "run.html",
            report=report,
            state=run_state(report),
            took=took(report),
            added=await self.database.read(load_run_added, run_id, limit=SHOWN_ITEMS),
            changed=await self.database.read(load_run_changed, run_id, limit=SHOWN_ITEMS),
            shown_changes=shown_changes,
            broken=0,
        )


def took(report: Report) -> str:
    """Format the duration: `0.4 s`, `12 s`, `3:07 min`."""
    if report.finished_at is None:
        return "–"
    seconds = max(0.0, (report.finished_at - report.started_at).total_seconds())
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 60 else f"{int(seconds // 60)}:{int(seconds % 60):02} min"
