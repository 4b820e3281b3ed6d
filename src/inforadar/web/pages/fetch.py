"""`/fetch`: start and watch a fetch. A worker executes the run; this process sees it only through the database.

/fetch           choose sources and topics, and start
/fetch/{run}     progress, log and a stop button; live through events, or by reloading
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.actions.request_fetch import request_fetch, stop_fetch
from inforadar.model.ids import RunId
from inforadar.model.progress import ProgressKind
from inforadar.model.run import Report, RunNumbers
from inforadar.store.database import Database
from inforadar.store.feeds.labels import Label, load_labels
from inforadar.store.feeds.queries import load_broken_count
from inforadar.store.runs.queries import (
    MAX_EVENTS,
    is_run_told,
    load_events,
    load_open_fetch_runs,
    load_run,
)
from inforadar.translations import gettext as _
from inforadar.translations import ngettext
from inforadar.views.json import run_state
from inforadar.views.terms import term_text
from inforadar.views.times import grouped
from inforadar.web.cache.timed import STRETCH_OVER_FEEDS, TimedCache
from inforadar.web.http.forms import read_form, redirect_to
from inforadar.web.http.routing import resource
from inforadar.web.pages.templating import Pages

MAX_CHOICES = 60
SHOWN_LINES = 200
LABELS_TTL_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchRoutes:
    database: Database
    pages: Pages
    _labels: TimedCache[str, list[Label]] = field(
        default_factory=lambda: TimedCache(LABELS_TTL_S, stretch=STRETCH_OVER_FEEDS)
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
            sources=_distinct(label.source for label in labels),
            topics=sorted(_distinct(label.topic for label in labels), key=str.casefold),
            most=MAX_CHOICES,
            open_runs=[
                await self.database.read(load_run, run_id)
                for run_id in await self.database.read(load_open_fetch_runs)
            ],
            words=progress_words,
            broken=await self.database.read(load_broken_count),
        )

    async def start(self, request: Request) -> Response:
        # The fetch code is slow to import, and only these names are needed here.
        from inforadar.pipeline.runs.fetch_run import TO_THE_CUTOFF, FetchFilter  # noqa: PLC0415

        form = await read_form(request)
        wanted = FetchFilter(sources=form.texts("source[]"), topics=form.texts("topic[]"))
        run_id = await request_fetch(self.database, wanted, TO_THE_CUTOFF)
        return redirect_to(request, f"/fetch/{run_id}")

    async def show(self, request: Request) -> Response:
        run_id = _run_id(request)
        is_told = await self.database.read(is_run_told, run_id)
        report = await self.database.read(load_run, run_id)
        events = await self.database.read(load_events, run_id, limit=MAX_EVENTS)
        lines = [event for _, event in events if event.kind is ProgressKind.LINE]
        return self.pages.render(
            request,
            "fetch_run.html",
            report=report,
            is_told=is_told,
            state=term_text(run_state(report), "state of a run"),
            words=progress_words(report),
            fraction=progress_fraction(report),
            lines=lines[-SHOWN_LINES:],
            last=events[-1][0] if events else -1,
            broken=0,
        )

    async def stop(self, request: Request) -> Response:
        """Stop a run between two items; one that no worker has claimed yet never starts."""
        run_id = _run_id(request)
        await self.database.read(load_run, run_id)
        await stop_fetch(self.database, run_id)
        return redirect_to(request, f"/fetch/{run_id}")


def progress_words(report: Report) -> str:
    """Describe the progress: `Counting… 7 pages, 140 items found`, then `214 of 512 items`."""
    numbers = _numbers(report)
    done, found = grouped(numbers.done), grouped(numbers.found)
    sum_ = ngettext(
        "%(done)s of %(count)s item", "%(done)s of %(count)s items", numbers.found, done=done, count=found
    )
    if report.finished_at:
        return _("Interrupted: %(sum)s", sum=sum_) if report.interrupted else _("Done: %(sum)s", sum=sum_)
    if report.is_wanted:
        return _("Waiting for a worker.")
    if numbers.is_counting:
        pages = ngettext("%(count)s page", "%(count)s pages", numbers.pages, count=grouped(numbers.pages))
        items = ngettext("%(count)s item", "%(count)s items", numbers.found, count=found)
        return _("Counting… %(pages)s, %(items)s found", pages=pages, items=items)
    return sum_


def progress_fraction(report: Report) -> float | None:
    """Return the share done; `None` while the total is unknown."""
    numbers = _numbers(report)
    if not report.finished_at and numbers.is_counting:
        return None
    return min(1.0, numbers.done / numbers.found) if numbers.found else 1.0


def _numbers(report: Report) -> RunNumbers:
    return report.details.progress or RunNumbers()


def _run_id(request: Request) -> RunId:
    return RunId(UUID(str(request.path_params["id"])))


def _distinct(names: Iterable[str]) -> list[str]:
    """Remove names that differ only in case."""
    return list({name.casefold(): name for name in names}.values())
