"""`/fetch`: a fetch as a person starts and watches it. The run is a worker's, and only the database is between us.

/fetch           which sources and topics, and Start
/fetch/{run}     how far it is, its log, and Stop; live by its events, or by loading itself again
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.model.ids import RunId
from inforadar.model.progress import ProgressKind
from inforadar.model.run import Report
from inforadar.store.database import Database
from inforadar.store.feeds.labels import Label, load_labels
from inforadar.store.feeds.queries import load_broken_count
from inforadar.store.runs.fetch_runs import load_open_fetch_runs, request_fetch_run, request_stop
from inforadar.store.runs.runs import MAX_EVENTS, load_events, load_run
from inforadar.texts import counted
from inforadar.views.json import run_state
from inforadar.web.cache.stale import OVER_FEEDS, Remembered
from inforadar.web.http.forms import go, read_form
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import Pages

MAX_CHOICES = 60
SHOWN_LINES = 200
LABELS_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRoutes:
    database: Database
    pages: Pages
    _labels: Remembered[str, list[Label]] = field(
        default_factory=lambda: Remembered(LABELS_S, times=OVER_FEEDS)
    )

    def routes(self) -> list[Route]:
        return [
            resource("/fetch", get=self.choose, post=self.start),
            resource("/fetch/{id:uuid}", get=self.show),
            resource("/fetch/{id:uuid}/stop", post=self.stop),
        ]

    async def choose(self, request: Request) -> Response:
        labels = await self._labels.get("", lambda: self.database.read(load_labels))
        return self.pages.render(
            request,
            "fetch.html",
            sources=_names(label.source for label in labels),
            topics=sorted(_names(label.topic for label in labels), key=str.casefold),
            most=MAX_CHOICES,
            open_runs=[
                await self.database.read(load_run, run_id)
                for run_id in await self.database.read(load_open_fetch_runs)
            ],
            words=progress_words,
            broken=await self.database.read(load_broken_count),
        )

    async def start(self, request: Request) -> Response:
        # What fetches takes a moment to import, and here only its words are needed.
        from inforadar.pipeline.runs.fetch_run import TO_THE_CUTOFF, FetchFilter, fetch_details  # noqa: PLC0415

        form = await read_form(request)
        wanted = FetchFilter(sources=form.texts("source"), topics=form.texts("topic"))
        run_id = await self.database.write(request_fetch_run, fetch_details(wanted, TO_THE_CUTOFF))
        return go(request, f"/fetch/{run_id}")

    async def show(self, request: Request) -> Response:
        run_id = _run_id(request)
        report = await self.database.read(load_run, run_id)
        events = await self.database.read(load_events, run_id, limit=MAX_EVENTS)
        lines = [event for _, event in events if event.kind is ProgressKind.LINE]
        return self.pages.render(
            request,
            "fetch_run.html",
            report=report,
            state=run_state(report),
            words=progress_words(report),
            fraction=progress_fraction(report),
            lines=lines[-SHOWN_LINES:],
            last=events[-1][0] if events else -1,
            broken=0,
        )

    async def stop(self, request: Request) -> Response:
        """Between two items; one that nobody has taken yet never begins."""
        run_id = _run_id(request)
        await self.database.read(load_run, run_id)
        await self.database.write(request_stop, run_id)
        return go(request, f"/fetch/{run_id}")


def progress_words(report: Report) -> str:
    """`Counting… 7 pages, 140 items found`, then `214 of 512 items`."""
    told: dict[str, Any] = report.details.get("progress") or {}
    found, done, pages = told.get("found", 0), told.get("done", 0), told.get("pages", 0)
    sum_ = f"{done:,} of {counted(found, 'item')}"
    if report.finished_at:
        return f"{'Interrupted' if report.interrupted else 'Done'}: {sum_}"
    if report.is_wanted:
        return "Waiting for a worker."
    if told.get("phase", ProgressKind.COUNTING) == ProgressKind.COUNTING:
        return f"Counting… {counted(pages, 'page')}, {counted(found, 'item')} found"
    return sum_


def progress_fraction(report: Report) -> float | None:
    """`None` while it is not known how much there is."""
    told: dict[str, Any] = report.details.get("progress") or {}
    if not report.finished_at and told.get("phase", ProgressKind.COUNTING) == ProgressKind.COUNTING:
        return None
    return min(1.0, told.get("done", 0) / told["found"]) if told.get("found") else 1.0


def _run_id(request: Request) -> RunId:
    return RunId(UUID(str(request.path_params["id"])))


def _names(names: Iterable[str]) -> list[str]:
    """The same name in another case is the same name."""
    return list({name.casefold(): name for name in names}.values())
