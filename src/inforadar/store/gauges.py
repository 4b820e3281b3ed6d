"""What is measured of the system, read from the tables: every worker's work shows, whichever process is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, func, select

from inforadar.store.feeds import ACTIVE
from inforadar.store.schema import (
    analyses_cache,
    article_failures,
    articles,
    feed_schedules,
    feeds,
    items,
    runs,
)
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
    r, c = runs.c, analyses_cache.c
    done = connection.execute(
        select(func.sum(r.added_count), func.sum(r.updated_count), func.sum(r.errors_count), func.count())
    ).one()
    names = ("items_added", "items_updated", "fetch_errors", "runs")
    answered = connection.execute(
        select(c.model, func.count().label("number"), func.sum(c.cost).label("cost")).group_by(c.model)
    ).all()
    failed = connection.execute(
        select(article_failures.c.code, func.count().label("number")).group_by(article_failures.c.code)
    ).all()
    return [
        *(
            Gauge(name=f"inforadar_{name}_total", value=value or 0)
            for name, value in zip(names, done, strict=True)
        ),
        *(
            Gauge(name="inforadar_analyses_total", value=row.number, labels=(("model", row.model),))
            for row in answered
        ),
        *(
            Gauge(name="inforadar_analysis_cost_total", value=row.cost, labels=(("model", row.model),))
            for row in answered
        ),
        *(
            Gauge(name="inforadar_article_failures_total", value=row.number, labels=(("code", row.code),))
            for row in failed
        ),
    ]
