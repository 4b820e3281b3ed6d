"""The state of the system as JSON: runs and their changes, labels with unread counts, statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from inforadar.model.ids import RunId
from inforadar.model.person import PersonId
from inforadar.store.database import Database
from inforadar.store.feeds.labels import load_unread
from inforadar.store.feeds.lists import load_label_states
from inforadar.store.feeds.pages import count_feeds_by_state
from inforadar.store.runs.queries import RunFilter, count_runs, load_report, load_runs
from inforadar.store.upkeep.statistics import load_statistics
from inforadar.views.json import report_document
from inforadar.web.api.answers import json_answer
from inforadar.web.api.run_events import RunEvents
from inforadar.web.cache.timed import STRETCH_OVER_FEEDS, TimedCache
from inforadar.web.http import parameters
from inforadar.web.http.identity import person_id_of

DEFAULT_DAYS = 30
UNREAD_DAYS = 7
"""Older items count as read in the unread counts."""
STATISTICS_TTL_S, LABELS_TTL_S = 30.0, 2.0
"""How long counts are cached; longer if counting is slow."""
MAX_LABELS = 2000
RUN_ORDERS = ("-date", "date")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRoutes:
    database: Database
    now: Callable[[], datetime]
    _labels: TimedCache[PersonId | None, list[dict[str, Any]]] = field(
        default_factory=lambda: TimedCache(LABELS_TTL_S, stretch=STRETCH_OVER_FEEDS)
    )
    _statistics: TimedCache[int, dict[str, Any]] = field(
        default_factory=lambda: TimedCache(STATISTICS_TTL_S, stretch=STRETCH_OVER_FEEDS)
    )

    def routes(self) -> list[Route]:
        events = RunEvents(database=self.database)
        return [
            Route("/api/labels", self.list_labels),
            Route("/api/runs", self.list_runs),
            Route("/api/runs/{id:uuid}", self.show_run),
            Route("/api/runs/{id:uuid}/events", events.stream),
            Route("/api/statistics", self.statistics),
        ]

    async def list_labels(self, request: Request) -> Response:
        """List sources and topics with their number of feeds and unread items, and the worst health."""
        person_id = person_id_of(request.scope)
        return json_answer(
            {"labels": await self._labels.get(person_id, lambda: self._load_labels(person_id))}
        )

    async def _load_labels(self, person_id: PersonId | None) -> list[dict[str, Any]]:
        since = self.now() - timedelta(days=UNREAD_DAYS)
        unread = await self.database.read(load_unread, person_id, since) if person_id else {}
        return [
            {
                "source": label.source,
                "topic": label.topic,
                "feeds": label.feeds,
                "unread": unread.get((label.source, label.topic), 0),
                "health": label.worst,
            }
            for label in await self.database.read(load_label_states, limit=MAX_LABELS)
        ]

    async def list_runs(self, request: Request) -> Response:
        """List runs without their changes."""
        given = request.query_params
        before, limit = parameters.cursor_id(given, "before"), parameters.limit(given)
        wanted = RunFilter(since=parameters.moment(given, "since"), until=parameters.moment(given, "until"))
        found = await self.database.read(
            load_runs,
            limit=limit + 1,
            before=RunId(before) if before else None,
            wanted=wanted,
            oldest_first=parameters.order(given, RUN_ORDERS, RUN_ORDERS[0]) == "date",
        )
        reports = found[:limit]
        following = str(reports[-1].run_id) if len(found) > limit else None
        document: dict[str, Any] = {
            "runs": [report_document(report) for report in reports],
            "next": following,
        }
        if parameters.flag(given, "total"):
            document["total"] = await self.database.read(count_runs, wanted)
        return json_answer(document)

    async def show_run(self, request: Request) -> Response:
        run_id = RunId(UUID(str(request.path_params["id"])))
        return json_answer(report_document(await self.database.read(load_report, run_id)))

    async def statistics(self, request: Request) -> Response:
        """Show the last days: items by day and source, scores, outcomes, slow hosts, cost, and feed health."""
        days = parameters.number(request.query_params, "days", 1, 365, default=DEFAULT_DAYS)
        return json_answer(await self.numbers(days))

    async def numbers(self, days: int) -> dict[str, Any]:
        return await self._statistics.get(days, lambda: self._load_statistics(days))

    async def _load_statistics(self, days: int) -> dict[str, Any]:
        now = self.now()
        health = await self.database.read(count_feeds_by_state)
        found = await self.database.read(load_statistics, now, days=days)
        return {"days": days, "feeds": {"total": sum(health.values()), "health": dict(health)}, **found}
