"""Metrics of the system, read from the tables: so they cover every worker, whichever process is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Select, func, select

from inforadar.store.feeds.history import count_analyses, load_delay_totals, load_fetch_totals
from inforadar.store.feeds.rhythms import load_price
from inforadar.store.leases import LEASE_S
from inforadar.store.push.queries import count_subscriptions
from inforadar.store.rules.alerts import count_alerts
from inforadar.store.rules.queries import count_deliveries
from inforadar.store.schema.analyses import analysis_costs
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.search import search_queue
from inforadar.store.types import db_later, db_now


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
        *_polling(connection),
        *_alerts(connection),
    ]


def _alerts(connection: Connection) -> list[Gauge]:
    return [
        *(
            Gauge(name="inforadar_alerts", value=number, labels=(("kind", kind.value),))
            for kind, number in count_alerts(connection).items()
        ),
        *_pushes(connection),
        *(
            Gauge(name="inforadar_messages", value=number, labels=(("state", state),))
            for state, number in count_deliveries(connection).items()
        ),
    ]


def _pushes(connection: Connection) -> list[Gauge]:
    states, sums = count_subscriptions(connection)
    return [
        *(
            Gauge(name="inforadar_push_subscriptions", value=number, labels=(("state", state),))
            for state, number in states.items()
        ),
        Gauge(name="inforadar_pushes", value=sums["pushes"], labels=()),
        Gauge(name="inforadar_push_misses", value=sums["misses"], labels=()),
    ]


def _feeds_by_outcome(connection: Connection) -> list[Gauge]:
    """Count feeds by outcome, grouped in the order of the index, so that the feeds' rows are not read."""
    status = feeds.c.last_fetch_status
    query = (
        select(status, func.count().label("number"))
        .where(feeds.c.enabled, feeds.c.deleted_at.is_(None))
        .group_by(feeds.c.enabled, status)
    )
    counts = {row.last_fetch_status or "none": row.number for row in connection.execute(query)}
    return [
        Gauge(name="inforadar_feeds", value=counts[outcome], labels=(("outcome", outcome),))
        for outcome in sorted(counts)
    ]


_QUEUES: dict[str, Column[Any]] = {
    "collect": feed_schedules.c.next_run_at,
    "canonical": articles.c.next_attempt_at,
    "analyze": items.c.analyze_at,
    "build": feed_schedules.c.build_at,
}


def _queues(connection: Connection) -> list[Gauge]:
    """The number of due entries in each queue, and the age of the oldest."""
    found = []
    now = connection.execute(select(db_now())).scalar_one()
    for name, column in _QUEUES.items():
        due = select(func.count().label("number"), func.min(column).label("oldest")).where(column <= db_now())
        rows = [connection.execute(query).one() for query in _by_lane(due, column)]
        oldest = min((row.oldest for row in rows if row.oldest), default=now)
        labels = (("queue", name),)
        length = sum(row.number for row in rows)
        found.append(Gauge(name="inforadar_queue_length", value=length, labels=labels))
        age = max((now - oldest).total_seconds(), 0.0)
        found.append(Gauge(name="inforadar_queue_age_seconds", value=age, labels=labels))
    waiting = connection.execute(select(func.count()).select_from(search_queue)).scalar_one()
    found.append(Gauge(name="inforadar_queue_length", value=waiting, labels=(("queue", "search"),)))
    return found


def _by_lane(query: Select[*tuple[Any, ...]], column: Column[Any]) -> list[Select[*tuple[Any, ...]]]:
    """The index of the schedule starts with the lane: query each lane separately."""
    if column is not feed_schedules.c.next_run_at:
        return [query]
    return [query.where(feed_schedules.c.walks == walks) for walks in (False, True)]


def _leases(connection: Connection) -> list[Gauge]:
    """Count leases among the queued entries: a leased entry is queued for the end of its lease."""
    held = {
        "collect": (feed_schedules.c.locked_until, feed_schedules.c.next_run_at),
        "canonical": (articles.c.locked_until, articles.c.next_attempt_at),
        "analyze": (items.c.analyze_until, items.c.analyze_at),
    }
    found = []
    for stage, (until, due) in held.items():
        query = select(func.count()).where(due > db_now(), until > db_now())
        if due is feed_schedules.c.next_run_at:
            # Nearly all of a schedule is in the future, most of it further ahead than any lease.
            query = query.where(due <= db_later(LEASE_S))
        number = sum(connection.execute(one).scalar_one() for one in _by_lane(query, due))
        found.append(Gauge(name="inforadar_leases", value=number, labels=(("stage", stage),)))
    return found


def _polling(connection: Connection) -> list[Gauge]:
    """How late news is seen and was expected to be, and the plans of all feeds."""
    timed, delay_s, expected_s = load_delay_totals(connection)
    found = [
        Gauge(name="inforadar_timed_items_total", value=timed),
        Gauge(name="inforadar_observed_delay_seconds_total", value=delay_s),
        Gauge(name="inforadar_expected_delay_seconds_total", value=expected_s),
    ]
    if price := load_price(connection):
        found += [
            Gauge(name="inforadar_planned_delay_seconds", value=price.expected_delay_s),
            Gauge(name="inforadar_planned_requests_per_day", value=price.planned),
            Gauge(name="inforadar_budget_requests_per_day", value=price.budget),
            Gauge(name="inforadar_request_price_seconds", value=price.price_s),
        ]
    return found


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
