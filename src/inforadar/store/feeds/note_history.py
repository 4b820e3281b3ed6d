"""Count the outcomes of fetches and the items they added by day, in the transaction that saves them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import add
from types import MappingProxyType

from sqlalchemy import Connection, Table

from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.model.rhythm import NO_DELAYS, Delays
from inforadar.model.schedule import FinishedJob
from inforadar.store.rows import JsonRows
from inforadar.store.schema.history import ANALYZED, OUTCOMES, feed_days, feed_outcomes, fetch_days
from inforadar.store.upsert import Upserts, upsert

_DELAYS = ("timed", "delay_s", "expected_delay_s")
_COUNTS = (*OUTCOMES, "added", "spent_s", *_DELAYS)
_fed = JsonRows("fed", feed_id="uuid", day="date", **dict.fromkeys(_COUNTS, "double precision"))
_DELAY_TYPES = {"timed": "integer", "delay_s": "double precision", "expected_delay_s": "double precision"}
_all = JsonRows(
    "counted", day="date", outcome="text", fetches="integer", spent_s="double precision", **_DELAY_TYPES
)


def note_added(connection: Connection, added: Iterable[tuple[FeedId, datetime, int]]) -> None:
    """Count new items, given as (feed, time, number)."""
    _add_feed_days(
        connection, ((id_, _day(at), (*_NOT_ENDED, number, 0.0, 0, 0.0, 0.0)) for id_, at, number in added)
    )


def note_delays(connection: Connection, feed_id: FeedId, at: datetime, delays: Delays) -> None:
    """Count how late the items of a job's part were seen."""
    _add_feed_days(connection, [(feed_id, _day(at), (*_NOT_ENDED, 0, 0.0, *_delay_sums(delays)))])
    counted = [(_day(at), Outcome.SUCCESS.value, 0, 0.0, *_delay_sums(delays))]
    connection.execute(_ADD_FETCH_DAYS.on(connection), _all.parameters(counted))


def _delay_sums(delays: Delays) -> tuple[int, float, float]:
    return delays.timed, delays.delay_s, delays.expected_s


def note_outcomes(
    connection: Connection,
    jobs: Sequence[FinishedJob],
    delays: Mapping[FeedId, Delays] = MappingProxyType({}),
) -> None:
    """Count outcomes of fetches, and how late news was seen.

    Call it last: all workers update the same few rows and wait for each other there.
    """
    rows = []
    sums: dict[tuple[str, Outcome], tuple[float, ...]] = defaultdict(lambda: (0, 0.0, 0, 0.0, 0.0))
    for job in jobs:
        day, late = _day(job.at), _delay_sums(delays.get(job.lease.feed.id, NO_DELAYS))
        rows.append((job.lease.feed.id, day, (*_ENDED[job.outcome], 0, job.spent_s, *late)))
        sums[day, job.outcome] = tuple(map(add, sums[day, job.outcome], (1, job.spent_s, *late)))
    _add_feed_days(connection, rows)
    if sums:
        counted = [(day, outcome.value, *sum_) for (day, outcome), sum_ in sorted(sums.items())]
        connection.execute(_ADD_FETCH_DAYS.on(connection), _all.parameters(counted))


def note_changed_outcomes(connection: Connection, jobs: Sequence[FinishedJob]) -> None:
    """Record the jobs that ended differently from the one before; most end alike, and cost nothing here."""
    rows = [
        {
            "feed_id": job.lease.feed.id,
            "at": job.at,
            "outcome": job.outcome.value,
            "message": job.next_run.error,
        }
        for job in jobs
        if (job.outcome, job.next_run.error) != (job.lease.feed.last_fetch_status, job.lease.feed.last_error)
    ]
    if rows:
        connection.execute(upsert(connection, feed_outcomes).on_conflict_do_nothing(), rows)


def note_analysis(connection: Connection, at: datetime) -> None:
    """Count one more analysis. Call it last, for the same reason."""
    counted = [(_day(at), ANALYZED, 1, 0.0, 0, 0.0, 0.0)]
    connection.execute(_ADD_FETCH_DAYS.on(connection), _all.parameters(counted))


_NOT_ENDED = tuple(0 for _ in OUTCOMES)
_ENDED = {outcome: tuple(int(outcome == name) for name in OUTCOMES) for outcome in Outcome}


def _add_feed_days(connection: Connection, rows: Iterable[tuple[FeedId, str, tuple[float, ...]]]) -> None:
    # Keyed by the id as text, which both databases accept: there are thousands, and comparing UUIDs is slow.
    sums: dict[tuple[str, str], tuple[float, ...]] = {}
    for feed_id, day, counts in rows:
        key = feed_id.hex, day
        sums[key] = tuple(map(add, sums[key], counts)) if key in sums else counts
    if sums:
        stored = [(*key, *sums[key]) for key in sorted(sums)]
        connection.execute(_ADD_FEED_DAYS.on(connection), _fed.parameters(stored))


def _add_counts(table: Table, rows: JsonRows, keys: Sequence[str]) -> Upserts:
    """Statements that insert new rows and add to existing ones."""
    names = [name for name in rows.c if name not in keys]
    return Upserts(
        table, rows, keys, lambda new: {name: table.c[name] + new.excluded[name] for name in names}
    )


_ADD_FEED_DAYS = _add_counts(feed_days, _fed, ("feed_id", "day"))
_ADD_FETCH_DAYS = _add_counts(fetch_days, _all, ("day", "outcome"))


def _day(at: datetime) -> str:
    return at.astimezone(UTC).date().isoformat()
