"""What is measured of the system, read from the tables: every worker's work shows, whichever process is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, func, select

from inforadar.store.feeds import ACTIVE
from inforadar.store.history import count_analyses, load_fetch_totals
from inforadar.store.schema import analysis_costs, articles, feed_schedules, feeds, items
from inforadar.store.search_schema import search_queue
from inforadar.store.types import db_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """One number with its labels."""

    name: str
    value: float
    labels: tuple[tuple[str, str], ...] = ()


def load_gauges(connection: Connection) -> list[Gauge]:
    return [
        *_feeds_by_outcome(connection),
        *_queues(connection),
        *_leases(connection),
        *_totals(connection),
    ]


def _feeds_by_outcome(connection: Connection) -> list[Gauge]:
    outcome = func.coalesce(feeds.c.last_fetch_status, "none").label("outcome")
    query = select(outcome, func.count().label("number")).where(*ACTIVE).group_by(outcome).order_by(outcome)
    return [
        Gauge(name="inforadar_feeds", value=row.number, labels=(("outcome", row.outcome),))
        for row in connection.execute(query)
    ]


_QUEUES: dict[str, Column[Any]] = {
    "collect": feed_schedules.c.next_run_at,
    "canonical": articles.c.next_attempt_at,
    "analyze": items.c.analyze_at,
    "build": feed_schedules.c.build_at,
}


def _queues(connection: Connection) -> list[Gauge]:
    """How many are due in each queue, and for how long the oldest has been."""
    found = []
    now = connection.execute(select(db_now())).scalar_one()
    for name, column in _QUEUES.items():
        row = connection.execute(
            select(func.count().label("number"), func.min(column).label("oldest")).where(column <= db_now())
        ).one()
        age = (now - row.oldest).total_seconds() if row.oldest else 0.0
        labels = (("queue", name),)
        found.append(Gauge(name="inforadar_queue_length", value=row.number, labels=labels))
        found.append(Gauge(name="inforadar_queue_age_seconds", value=max(age, 0.0), labels=labels))
    waiting = connection.execute(select(func.count()).select_from(search_queue)).scalar_one()
    found.append(Gauge(name="inforadar_queue_length", value=waiting, labels=(("queue", "search"),)))
    return found


def _leases(connection: Connection) -> list[Gauge]:
    """Looked for among what is queued: a lease stands in the future of its queue."""
    held = {
        "collect": (feed_schedules.c.locked_until, feed_schedules.c.next_run_at),
        "canonical": (articles.c.locked_until, articles.c.next_attempt_at),
        "analyze": (items.c.analyze_until, items.c.analyze_at),
    }
    return [
        Gauge(
            name="inforadar_leases",
            value=connection.execute(
                select(func.count()).where(due > db_now(), until > db_now())
            ).scalar_one(),
            labels=(("stage", stage),),
        )
        for stage, (until, due) in held.items()
    ]


def _totals(connection: Connection) -> list[Gauge]:
    """Counts that only grow, whatever is deleted."""
    found = []
    for outcome, fetches, spent_s in load_fetch_totals(connection):
        labels = (("outcome", outcome),)
        found.append(Gauge(name="inforadar_fetches_total", value=fetches, labels=labels))
        found.append(Gauge(name="inforadar_fetch_seconds_total", value=spent_s, labels=labels))
    found.append(Gauge(name="inforadar_analyses_total", value=count_analyses(connection)))
    c = analysis_costs.c
    sums = [func.sum(c[name]).label(name) for name in ("calls", "tokens_in", "tokens_out", "cost")]
    for row in connection.execute(select(c.model, *sums).group_by(c.model).order_by(c.model)):
        labels = (("model", row.model),)
        found.append(Gauge(name="inforadar_analysis_calls_total", value=row.calls, labels=labels))
        found.append(Gauge(name="inforadar_analysis_cost_dollars_total", value=row.cost, labels=labels))
        for way, tokens in (("in", row.tokens_in), ("out", row.tokens_out)):
            both = (*labels, ("direction", way))
            found.append(Gauge(name="inforadar_analysis_tokens_total", value=float(tokens), labels=both))
    return found
