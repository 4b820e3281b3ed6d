"""Outcomes of fetches by day. They are counted when saved (`note_history.py`), so that no page has to sum them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, func, select

from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.history import ANALYZED, OUTCOMES, feed_days, feed_outcomes, fetch_days
from inforadar.store.types import one_of
from inforadar.urls import host_key

_f = feed_days.c


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDay:
    """The fetches of one feed on one day."""

    day: date
    fetches: int
    failures: int
    added: int
    failed: Mapping[Outcome, int] = field(default_factory=dict)
    """How many ended in each kind of failure, without those that had none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedOutcome:
    """A fetch that ended differently from the one before it; those after it ended alike."""

    at: datetime
    outcome: Outcome
    message: str | None


def load_changed_outcomes(connection: Connection, feed_id: FeedId, *, limit: int) -> list[ChangedOutcome]:
    """The last changes of a feed's outcome, newest first."""
    o = feed_outcomes.c
    query = select(feed_outcomes).where(o.feed_id == feed_id).order_by(o.at.desc()).limit(limit)
    return [
        ChangedOutcome(at=row.at, outcome=Outcome(row.outcome), message=row.message)
        for row in connection.execute(query)
    ]


def load_feed_days(
    connection: Connection, feed_ids: Sequence[FeedId], since: date
) -> Mapping[FeedId, list[FeedDay]]:
    """For each feed, the days on which something happened, oldest first."""
    query = select(feed_days).where(one_of(_f.feed_id, feed_ids), _f.day >= since).order_by(_f.day)
    days: dict[FeedId, list[FeedDay]] = {feed_id: [] for feed_id in feed_ids}
    for row in connection.execute(query):
        ended = {name: getattr(row, name) for name in OUTCOMES}
        failed = {
            Outcome(name): number for name, number in ended.items() if number and name != Outcome.SUCCESS
        }
        days[row.feed_id].append(
            FeedDay(
                day=row.day,
                fetches=sum(ended.values()),
                failures=sum(failed.values()),
                added=row.added,
                failed=failed,
            )
        )
    return days


def load_outcomes_by_day(connection: Connection, since: date) -> list[dict[str, Any]]:
    d = fetch_days.c
    query = select(fetch_days).where(d.day >= since, d.outcome != ANALYZED).order_by(d.day, d.outcome)
    return [
        {"day": row.day.isoformat(), "outcome": row.outcome, "fetches": row.fetches}
        for row in connection.execute(query)
    ]


def load_delays_by_day(connection: Connection, since: date) -> list[dict[str, Any]]:
    """For each day its fetches, and the mean delay of its new items, observed and expected; None without such items."""
    d = fetch_days.c
    sums = [func.sum(d[name]).label(name) for name in ("fetches", "timed", "delay_s", "expected_delay_s")]
    query = select(d.day, *sums).where(d.day >= since, d.outcome != ANALYZED).group_by(d.day).order_by(d.day)
    return [
        {
            "day": row.day.isoformat(),
            "fetches": int(row.fetches),
            "timed": int(row.timed),
            "delay_s": row.delay_s / row.timed if row.timed else None,
            "expected_delay_s": row.expected_delay_s / row.timed if row.timed else None,
        }
        for row in connection.execute(query)
    ]


def load_delay_totals(connection: Connection) -> tuple[int, float, float]:
    """(items, seconds of delay, seconds of expected delay) of all time."""
    d = fetch_days.c
    query = select(func.sum(d.timed), func.sum(d.delay_s), func.sum(d.expected_delay_s))
    timed, delay_s, expected_s = connection.execute(query).one()
    return int(timed or 0), float(delay_s or 0), float(expected_s or 0)


def load_fetch_totals(connection: Connection) -> list[tuple[str, int, float]]:
    """(outcome, fetches, seconds) of all time, for every outcome."""
    d = fetch_days.c
    query = select(d.outcome, func.sum(d.fetches).label("number"), func.sum(d.spent_s).label("spent_s"))
    found = {row.outcome: row for row in connection.execute(query.group_by(d.outcome))}
    return [
        (name, int(found[name].number), float(found[name].spent_s)) if name in found else (name, 0, 0.0)
        for name in OUTCOMES
    ]


def count_analyses(connection: Connection) -> int:
    """Number of analyses of all time; a repeated analysis counts again."""
    d = fetch_days.c
    query = select(func.sum(d.fetches)).where(d.outcome == ANALYZED)
    return int(connection.execute(query).scalar() or 0)


def load_slowest_hosts(connection: Connection, since: date, *, limit: int = 10) -> list[dict[str, Any]]:
    """Hosts by the average duration of a fetch of their feeds, slowest first."""
    fetches = sum((_f[name] for name in OUTCOMES[1:]), _f[OUTCOMES[0]])
    query = (
        select(feeds.c.url, func.sum(fetches).label("number"), func.sum(_f.spent_s).label("spent_s"))
        .join_from(feed_days, feeds, feeds.c.id == _f.feed_id)
        .where(_f.day >= since, *ACTIVE)
        .group_by(feeds.c.id, feeds.c.url)
    )
    hosts: dict[str, tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for row in connection.execute(query):
        number, spent_s = hosts[host_key(row.url)]
        hosts[host_key(row.url)] = number + row.number, spent_s + row.spent_s
    means = [(spent_s / number, number, host) for host, (number, spent_s) in hosts.items() if number]
    return [
        {"host": host, "fetches": number, "mean_s": round(mean_s, 3)}
        for mean_s, number, host in sorted(means, reverse=True)[:limit]
    ]
