"""`/metrics` in Prometheus' text format: the system's state from its tables, and the responses of all processes.

Latency is measured around the whole application, in a Prometheus histogram.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inforadar.store.database import Database
from inforadar.store.upkeep.metrics import Gauge, load_gauges
from inforadar.web.api.answer_counts import BUCKETS_S, AnswerCounts
from inforadar.web.cache.timed import TimedCache

_HELP = {
    "inforadar_alerts": "Open alerts about feeds, by kind.",
    "inforadar_push_subscriptions": "Subscriptions to hubs (WebSub) by state.",
    "inforadar_pushes": "Pushes with a valid signature, of the feeds that have a subscription now.",
    "inforadar_push_misses": "Polls of those feeds that found what no push had told.",
    "inforadar_messages": "Messages of rules and alerts by state; waiting: matches that are not in a message yet.",
    "inforadar_feeds": "Served feeds by the result of their last fetch.",
    "inforadar_queue_length": "Due jobs in each queue.",
    "inforadar_queue_age_seconds": "How long the oldest job in each queue has been due.",
    "inforadar_leases": "Jobs that a worker is currently processing.",
    "inforadar_fetches_total": "Feed fetches by result.",
    "inforadar_fetch_seconds_total": "Seconds spent waiting for responses from feeds.",
    "inforadar_timed_items_total": "New items whose delay is known: posted since the last look.",
    "inforadar_observed_delay_seconds_total": "Seconds between posting and our look, summed over those items.",
    "inforadar_expected_delay_seconds_total": "The same sum as the plans expected it.",
    "inforadar_planned_delay_seconds": "Mean delay that the current plans expect.",
    "inforadar_planned_requests_per_day": "Requests a day that the plans add up to.",
    "inforadar_budget_requests_per_day": "Requests a day that the plans may cost.",
    "inforadar_request_price_seconds": "Seconds of delay of one item that a request is worth.",
    "inforadar_analyses_total": "Analyzed items.",
    "inforadar_analysis_calls_total": "Calls to language models, without cache hits.",
    "inforadar_analysis_tokens_total": "Tokens sent to and received from language models.",
    "inforadar_analysis_cost_dollars_total": "Cost of language models, in US dollars.",
}
GAUGES_TTL_S, GAUGES_STRETCH = 0.0, 10
"""Live numbers, unless counting is so slow that several collectors would keep the database busy."""
_REQUESTS = "inforadar_http_requests_total"
_SECONDS = "inforadar_http_request_duration_seconds"


@dataclass(frozen=True, slots=True)
class Latency:
    """Counts the responses of `app` by status and duration."""

    app: ASGIApp
    counts: AnswerCounts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = perf_counter()

        async def counted(message: Message) -> None:
            # At the first byte: the length of an event stream says nothing about speed.
            if message["type"] == "http.response.start":
                self.counts.add(message["status"], perf_counter() - started)
            await send(message)

        await self.app(scope, receive, counted)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsRoutes:
    database: Database
    answers: AnswerCounts
    _gauges: TimedCache[str, list[Gauge]] = field(
        default_factory=lambda: TimedCache(GAUGES_TTL_S, stretch=GAUGES_STRETCH)
    )

    def routes(self) -> list[Route]:
        return [Route("/metrics", self.show)]

    async def show(self, request: Request) -> Response:
        lines = render_gauges(await self._gauges.get("", lambda: self.database.read(load_gauges)))
        lines += render_answers(self.answers)
        return Response(
            "\n".join(lines) + "\n",
            headers={"Cache-Control": "no-store"},
            media_type="text/plain; version=0.0.4",
        )


def render_gauges(gauges: list[Gauge]) -> list[str]:
    lines: list[str] = []
    named = ""
    for gauge in sorted(gauges, key=lambda gauge: gauge.name):
        if gauge.name != named:
            named = gauge.name
            kind = "counter" if named.endswith("_total") else "gauge"
            lines += [f"# HELP {named} {_HELP[named]}", f"# TYPE {named} {kind}"]
        labels = ",".join(f'{name}="{_escape(value)}"' for name, value in gauge.labels)
        lines.append(f"{named}{{{labels}}} {gauge.value:.15g}" if labels else f"{named} {gauge.value:.15g}")
    return lines


def render_answers(counts: AnswerCounts) -> list[str]:
    lines = [f"# HELP {_REQUESTS} Responses of this server.", f"# TYPE {_REQUESTS} counter"]
    lines += [f'{_REQUESTS}{{status="{status}"}} {number}' for status, number in counts.statuses.items()]
    lines += [f"# HELP {_SECONDS} Time to the first byte.", f"# TYPE {_SECONDS} histogram"]
    below, buckets = 0, counts.buckets
    for limit, number in zip(BUCKETS_S, buckets[:-1], strict=True):
        below += number
        lines.append(f'{_SECONDS}_bucket{{le="{limit:g}"}} {below}')
    total = sum(buckets)
    lines.append(f'{_SECONDS}_bucket{{le="+Inf"}} {total}')
    return [*lines, f"{_SECONDS}_sum {counts.total_s:.6f}", f"{_SECONDS}_count {total}"]


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
