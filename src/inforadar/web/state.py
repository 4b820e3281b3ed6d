"""How it is going, as JSON: feeds with their health, runs with what they changed, statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.model.ids import RunId
from inforadar.pipeline.documents import feed_document, report_document
from inforadar.store.engine import Database
from inforadar.store.feeds import load_feeds
from inforadar.store.runs import load_report, load_runs
from inforadar.store.statistics import load_statistics
from inforadar.web import parameters
from inforadar.web.answers import json_answer
from inforadar.web.run_events import RunEvents

DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class StateRoutes:
    database: Database
    now: Callable[[], datetime]

    def routes(self) -> list[Route]:
        events = RunEvents(database=self.database)
        return [
            Route("/api/feeds", self.list_feeds),
            Route("/api/runs", self.list_runs),
            Route("/api/runs/{id:uuid}", self.show_run),
            Route("/api/runs/{id:uuid}/events", events.stream),
            Route("/api/statistics", self.statistics),
        ]

    async def list_feeds(self, request: Request) -> Response:
        given = request.query_params
        feeds = await self.database.read(
            load_feeds, sources=parameters.names(given, "source"), topics=parameters.names(given, "topic")
        )
        now = self.now()
        return json_answer({"feeds": [feed_document(feed, now) for feed in feeds]})

    async def list_runs(self, request: Request) -> Response:
        """Newest first, without what each of them changed."""
        reports = await self.database.read(load_runs, limit=parameters.limit(request.query_params))
        return json_answer({"runs": [report_document(report) for report in reports]})

    async def show_run(self, request: Request) -> Response:
        run_id = RunId(UUID(str(request.path_params["id"])))
        return json_answer(report_document(await self.database.read(load_report, run_id)))

    async def statistics(self, request: Request) -> Response:
        """The last month: items by day and source, their scores, and how the feeds are."""
        now = self.now()
        feeds = await self.database.read(load_feeds)
        found = await self.database.read(load_statistics, now, days=DAYS)
        health = Counter(feed_document(feed, now)["health"] for feed in feeds)
        return json_answer({"days": DAYS, "feeds": {"total": len(feeds), "health": dict(health)}, **found})
