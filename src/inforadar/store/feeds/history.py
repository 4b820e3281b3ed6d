"""What became of fetches, day by day: counted when they are saved, so that no page has to add up what ever was."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from operator import add
from typing import Any

from sqlalchemy import Connection, Insert, Table, func, select, text
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.model.schedule import FinishedJob
from inforadar.store.feeds.feeds import ACTIVE
from inforadar.store.rows import JsonRows
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.history import feed_days, fetch_days
from inforadar.store.types import one_of
from inforadar.urls import host_key

OUTCOMES = tuple(outcome.value for outcome in Outcome)
ANALYZED = "analyzed"
"""Stands in the table of outcomes for items that were analyzed: counted in the same way, by the day."""
_COUNTS = (*OUTCOMES, "added", "spent_s")
_f = feed_days.c

_fed = JsonRows("fed", feed_id="uuid", day="date", **dict.fromkeys(_COUNTS, "double precision"))
_all = JsonRows("counted", day="date", outcome="text", fetches="integer", spent_s="double precision")


def note_added(connection: Connection, added: Iterable[tuple[FeedId, datetime, int]]) -> None:
    """New items: of which feed, when, how many."""
    _add_feed_days(connection, ((id_, _day(at), (*_NOT_ENDED, number, 0.0)) for id_, at, number in added))


def note_outcomes(connection: Connection, jobs: Sequence[FinishedJob]) -> None:
    """How fetches ended. To be called last: workers count in the same few rows and wait for each other there."""
    rows = []
    sums: dict[tuple[str, Outcome], tuple[int, float]] = defaultdict(lambda: (0, 0.0))
    for job in jobs:
        day = _day(job.at)
        rows.append((job.lease.feed.id, day, (*_ENDED[job.outcome], 0, job.spent_s)))
        number, spent_s = sums[day, job.outcome]
        sums[day, job.outcome] = number + 1, spent_s + job.spent_s
    _add_feed_days(connection, rows)
    if sums:
        counted = [(day, outcome.value, *sum_) for (day, outcome), sum_ in sorted(sums.items())]
        connection.execute(_ADD_FETCH_DAYS[connection.dialect.name], _all.parameters(counted))


def note_analysis(connection: Connection, at: datetime) -> None:
    """One more. To be called last, for the same reason."""
    counted = [(_day(at), ANALYZED, 1, 0.0)]
    connection.execute(_ADD_FETCH_DAYS[connection.dialect.name], _all.parameters(counted))


_NOT_ENDED = tuple(0 for _ in OUTCOMES)
_ENDED = {outcome: tuple(int(outcome == name) for name in OUTCOMES) for outcome in Outcome}


def _add_feed_days(connection: Connection, rows: Iterable[tuple[FeedId, str, tuple[float, ...]]]) -> None:
    # By the id as text, which both databases read: there are thousands, and a UUID takes its time to be compared.
    sums: dict[tuple[str, str], tuple[float, ...]] = {}
    for feed_id, day, counts in rows:
        key = feed_id.hex, day
        sums[key] = tuple(map(add, sums[key], counts)) if key in sums else counts
    if sums:
        stored = [(*key, *sums[key]) for key in sorted(sums)]
        connection.execute(_ADD_FEED_DAYS[connection.dialect.name], _fed.parameters(stored))


def _adding(table: Table, rows: JsonRows, keys: Sequence[str]) -> dict[str, Insert]:
    """What is not there is inserted, what is there grows."""
    names = list(rows.c)
    # Without a condition SQLite takes the conflict's ON for one of a join.
    given = select(*rows.c.values()).select_from(rows.table).where(text("1 = 1"))
    statements: dict[str, Insert] = {}
    for dialect, insert in (("sqlite", sqlite_insert), ("postgresql", pg_insert)):
        new = insert(table).from_select(names, given)
        grown = {name: table.c[name] + new.excluded[name] for name in names if name not in keys}
        statements[dialect] = new.on_conflict_do_update(index_elements=list(keys), set_=grown)
    return statements


_ADD_FEED_DAYS = _adding(feed_days, _fed, ("feed_id", "day"))
_ADD_FETCH_DAYS = _adding(fetch_days, _all, ("day", "outcome"))


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedDay:
    """One day of one feed."""

    day: date
    fetches: int
    failures: int
    added: int


def load_feed_days(
    connection: Connection, feed_ids: Sequence[FeedId], since: date
) -> Mapping[FeedId, list[FeedDay]]:
    """Of each feed the days on which something happened, oldest first."""
    query = select(feed_days).where(one_of(_f.feed_id, feed_ids), _f.day >= since).order_by(_f.day)
    days: dict[FeedId, list[FeedDay]] = {feed_id: [] for feed_id in feed_ids}
    for row in connection.execute(query):
        ended = {name: getattr(row, name) for name in OUTCOMES}
        failures = sum(ended.values()) - ended[Outcome.SUCCESS]
        days[row.feed_id].append(
            FeedDay(day=row.day, fetches=sum(ended.values()), failures=failures, added=row.added)
        )
    return days


def load_outcomes_by_day(connection: Connection, since: date) -> list[dict[str, Any]]:
    d = fetch_days.c
    query = select(fetch_days).where(d.day >= since, d.outcome != ANALYZED).order_by(d.day, d.outcome)
    return [
        {"day": row.day.isoformat(), "outcome": row.outcome, "fetches": row.fetches}
        for row in connection.execute(query)
    ]


def load_fetch_totals(connection: Connection) -> list[tuple[str, int, float]]:
    """(outcome, fetches, seconds) since the beginning; every outcome is there."""
    d = fetch_days.c
    query = select(d.outcome, func.sum(d.fetches).label("number"), func.sum(d.spent_s).label("spent_s"))
    found = {row.outcome: row for row in connection.execute(query.group_by(d.outcome))}
    return [
        (name, int(found[name].number), float(found[name].spent_s)) if name in found else (name, 0, 0.0)
        for name in OUTCOMES
    ]


def count_analyses(connection: Connection) -> int:
    """Since the beginning; one that was made anew counts again."""
    d = fetch_days.c
    query = select(func.sum(d.fetches)).where(d.outcome == ANALYZED)
    return int(connection.execute(query).scalar() or 0)


def load_slowest_hosts(connection: Connection, since: date, *, limit: int = 10) -> list[dict[str, Any]]:
    """Hosts by how long a fetch of their feeds took on average."""
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
