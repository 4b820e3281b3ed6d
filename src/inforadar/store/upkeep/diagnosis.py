"""The health of the system as the tables show it: queues, leases, feeds, and response times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter
from typing import Any

from sqlalchemy import Connection, String, and_, cast, func, or_, select, text

from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.http import Outcome
from inforadar.store.feeds.queries import ACTIVE, BROKEN
from inforadar.store.items.queries import list_items
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later, db_now

SILENT_DAYS = 60
"""A feed that is fetched but brought nothing for this long has fallen silent."""
_MAX_NAMES = 5

_s = feed_schedules.c


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedNames:
    """A number of feeds, and a few of them by name."""

    number: int = 0
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedsDiagnosis:
    active: int
    hosts_sample: tuple[str, ...]
    """URLs of a few feeds, each on another host."""
    suspended: CountedNames
    failing: CountedNames
    silent: CountedNames
    overdue: CountedNames
    """Due for over an hour, but not claimed."""
    stuck: CountedNames
    """Leases that expired without being released."""


def load_feeds_diagnosis(connection: Connection) -> FeedsDiagnosis:
    newest = select(func.max(items.c.created_at)).where(items.c.feed_id == feeds.c.id).scalar_subquery()
    long_ago = db_later(-SILENT_DAYS * 86400.0)
    fetched = feeds.c.last_fetch_status == Outcome.SUCCESS.value
    return FeedsDiagnosis(
        active=connection.execute(select(func.count()).where(*ACTIVE)).scalar_one(),
        hosts_sample=_names(connection, limit=20),
        suspended=_some(connection, *BROKEN),
        failing=_some(connection, _s.next_run_at.is_not(None), _s.failures > 0),
        silent=_some(connection, fetched, feeds.c.polling, feeds.c.created_at < long_ago, newest < long_ago),
        overdue=_some(
            connection,
            or_(_s.next_run_at < db_later(-3600.0), _s.requested_at < db_later(-3600.0)),
            or_(_s.locked_until.is_(None), _s.locked_until < db_now()),
        ),
        stuck=_some(connection, _s.locked_until < db_later(-600.0), _s.lease_token.is_not(None)),
    )


def _joined(*conditions: Any) -> Any:
    return feeds.join(feed_schedules, _s.id == feeds.c.id), and_(*ACTIVE, *conditions)


def _some(connection: Connection, *conditions: Any) -> CountedNames:
    tables, wanted = _joined(*conditions)
    number = connection.execute(select(func.count()).select_from(tables).where(wanted)).scalar_one()
    return CountedNames(number=number, names=_names(connection, *conditions) if number else ())


def _names(connection: Connection, *conditions: Any, limit: int = _MAX_NAMES) -> tuple[str, ...]:
    tables, wanted = _joined(*conditions)
    query = select(feeds.c.url).select_from(tables).where(wanted).order_by(feeds.c.url).limit(limit)
    return tuple(connection.execute(query).scalars())


def load_options_with_patterns(connection: Connection) -> dict[str, FeedOptions]:
    """Return the options of the feeds that choose pages by patterns, by the feeds' URLs."""
    has_patterns = cast(feeds.c.options, String).contains("_patterns")
    rows = connection.execute(select(feeds.c.url, feeds.c.options).where(*ACTIVE, has_patterns))
    return {url: parse_options(options) for url, options in rows}


def load_clock_offset(connection: Connection, now: Callable[[], Any]) -> timedelta:
    """How far the database's clock is ahead of ours."""
    before = now()
    theirs = connection.execute(select(db_now())).scalar_one()
    after = now()
    offset: timedelta = theirs - (before + (after - before) / 2)
    return offset


def time_queries(connection: Connection) -> dict[str, float]:
    """How long the most frequent queries take, in seconds."""
    due = select(func.count()).where(_s.next_run_at <= db_now())
    queued = select(func.count()).where(articles.c.next_attempt_at <= db_now())
    waiting = select(func.count()).where(items.c.analyze_at <= db_now())
    queries: dict[str, Callable[[], object]] = {
        "the newest items": lambda: list_items(connection, limit=20),
        "the due feeds": lambda: connection.execute(due).all(),
        "the queue of articles": lambda: connection.execute(queued).all(),
        "the queue of analyses": lambda: connection.execute(waiting).all(),
    }
    took: dict[str, float] = {}
    for name, ask in queries.items():
        started = perf_counter()
        ask()
        took[name] = perf_counter() - started
    return took


def load_long_transactions(connection: Connection) -> list[str]:
    """PostgreSQL: processes with a transaction older than five minutes, which prevents vacuuming deleted rows."""
    if connection.dialect.name == "sqlite":
        return []
    query = text(
        "SELECT pid, application_name, state, now() - xact_start AS since FROM pg_stat_activity "
        "WHERE datname = current_database() AND xact_start < now() - interval '5 minutes' "
        "AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 5"
    )
    return [
        f"process {row.pid} ({row.state}, for {int(row.since.total_seconds())} s)"
        for row in connection.execute(query)
    ]


def quick_check(connection: Connection, milliseconds: int) -> str | None:
    """Run SQLite's quick check for at most this long; return what is broken, or None."""
    if connection.dialect.name != "sqlite":
        return None
    bare: Any = connection.connection.driver_connection
    ends = perf_counter() + milliseconds / 1000
    bare.set_progress_handler(lambda: perf_counter() > ends, 10_000)
    try:
        said: str = bare.execute("PRAGMA quick_check(1)").fetchone()[0]
    except Exception as fault:
        # The database was too large for the time; `db check` has no time limit.
        if "interrupted" in str(fault):
            return None
        return str(fault)
    finally:
        bare.set_progress_handler(None, 0)
    return None if said == "ok" else said
