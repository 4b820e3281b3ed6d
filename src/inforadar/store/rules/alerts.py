"""Questions about the health of feeds: which need attention, and the alerts that are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, and_, exists, func, or_, select

from inforadar.masks import masked
from inforadar.model.alert import Alert, AlertKind, FoundAlert
from inforadar.model.feed import Feed
from inforadar.model.feed_options import parse_options
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.feeds.rows import feed_from_row, select_feeds
from inforadar.store.schema.counters import feed_counts
from inforadar.store.schema.feeds import HAS_WARNINGS, feed_schedules, feed_urls, feeds
from inforadar.store.schema.history import feed_days
from inforadar.store.schema.rules import alert_snoozes, feed_alerts

MOVED_FOR = timedelta(days=7)
"""How long a move that was completed is worth an alert."""
QUIET_AT_LEAST = timedelta(hours=6)
_EXPECTED = 3.0
"""Items that must be expected of a feed before its rhythm is read: most feeds are not silent."""
_f, _s, _a = feeds.c, feed_schedules.c, feed_alerts.c


def find_troubled(
    connection: Connection, now: datetime, *, failures: int, hours: float
) -> Iterator[FoundAlert]:
    """Find feeds that are broken, gone, losing entries or moved."""
    since = now - timedelta(hours=hours)
    succeeded = exists().where(
        feed_days.c.feed_id == _f.id, feed_days.c.success > 0, feed_days.c.day >= since.date()
    )
    failing = and_(
        _s.failures >= failures,
        _f.last_fetch_status.in_([Outcome.TEMPORARY_ERROR.value, Outcome.UNAUTHORIZED.value]),
        _f.created_at <= since,
        ~succeeded,
    )
    joined = select(_f.id, _s.failures, _s.last_error).join_from(feeds, feed_schedules, _s.id == _f.id)
    for row in connection.execute(joined.where(*ACTIVE, failing)):
        said = masked(row.last_error or "")
        message = f"{row.failures} fetches in a row failed. {said}".strip()
        yield FoundAlert(feed_id=row.id, kind=AlertKind.BROKEN, message=message)
    is_gone = _f.last_fetch_status == Outcome.PERMANENT_ERROR.value
    for row in connection.execute(joined.where(*ACTIVE, is_gone)):
        message = masked(row.last_error or "Its server says that it does not exist.")
        yield FoundAlert(feed_id=row.id, kind=AlertKind.GONE, message=message)
    for feed_id, warnings in connection.execute(select(_f.id, _f.warnings).where(*ACTIVE, HAS_WARNINGS)):
        if lost := [one["text"] for one in warnings if one.get("is_loss")]:
            yield FoundAlert(feed_id=feed_id, kind=AlertKind.LOSING, message=masked(" ".join(lost)))
    yield from _find_moved(connection, now)


def _find_moved(connection: Connection, now: datetime) -> Iterator[FoundAlert]:
    left = select(feed_urls.c.feed_id).where(feed_urls.c.left_at >= now - MOVED_FOR)
    moved = or_(_f.moving.is_not(None), _f.duplicate_of.is_not(None), _f.id.in_(left))
    query = select(_f.id, _f.url, _f.moving, _f.duplicate_of).where(*ACTIVE, moved)
    for row in connection.execute(query):
        if row.duplicate_of:
            message = "It moved to the URL of another feed that you follow; one of them can be deleted."
        elif row.moving:
            message = f"It redirects for good to {masked(row.moving['url'])}; that is being confirmed."
        else:
            message = f"It is now followed at {masked(row.url)}."
        yield FoundAlert(feed_id=row.id, kind=AlertKind.MOVED, message=message)


def find_quiet(connection: Connection, now: datetime) -> list[Feed]:
    """Load feeds that have brought nothing for a while, though items were to be expected; their rhythm decides."""
    counts = feed_counts.c
    query = (
        select(_f.id, counts.newest_at, _s.items_per_day)
        .join_from(feeds, feed_schedules, _s.id == _f.id)
        .join(feed_counts, counts.feed_id == _f.id)
        .where(
            *ACTIVE,
            _f.last_fetch_status == Outcome.SUCCESS.value,
            counts.newest_at < now - QUIET_AT_LEAST,
            _s.next_run_at.is_not(None),
        )
    )
    ids: list[FeedId] = []
    for row in connection.execute(query):
        days = (now - row.newest_at).total_seconds() / 86400
        if days * (row.items_per_day if row.items_per_day is not None else 1.0) >= _EXPECTED:
            ids.append(row.id)
    found: list[Feed] = []
    for start in range(0, len(ids), 500):
        part = select_feeds().where(_f.id.in_(ids[start : start + 500]))
        found += [feed_from_row(row) for row in connection.execute(part)]
    return found


def load_alerts(
    connection: Connection, *, only_open: bool = True, with_quiet: bool = False, limit: int = 200
) -> list[Alert]:
    """Load alerts, newest first: open ones of feeds that nobody silenced."""
    z = alert_snoozes.c
    query = (
        select(feed_alerts, _f.options, _f.title, _f.source, z.until)
        .join_from(feed_alerts, feeds, _f.id == _a.feed_id)
        .join(alert_snoozes, z.feed_id == _a.feed_id, isouter=True)
        .where(*ACTIVE)
        .order_by(_a.began_at.desc(), _a.id.desc())
        .limit(limit)
    )
    if only_open:
        query = query.where(_a.ended_at.is_(None))
    if not with_quiet:
        query = query.where(z.until.is_(None))
    return [
        Alert(
            id=row.id,
            feed_id=row.feed_id,
            name=parse_options(row.options).title or row.title or row.source,
            kind=AlertKind(row.kind),
            message=row.message,
            began_at=row.began_at,
            ended_at=row.ended_at,
            quiet_until=row.until,
        )
        for row in connection.execute(query)
    ]


def count_alerts(connection: Connection) -> dict[AlertKind, int]:
    """Number of open alerts by kind, without those of silenced feeds."""
    silenced = exists().where(alert_snoozes.c.feed_id == _a.feed_id)
    query = (
        select(_a.kind, func.count())
        .join_from(feed_alerts, feeds, _f.id == _a.feed_id)
        .where(*ACTIVE, _a.ended_at.is_(None), ~silenced)
        .group_by(_a.kind)
    )
    return dict.fromkeys(AlertKind, 0) | {AlertKind(row[0]): row[1] for row in connection.execute(query)}


def open_kinds(alerts: Sequence[Alert]) -> str:
    """`2 broken, 1 silent`, for people."""
    counts = {kind: sum(alert.kind is kind for alert in alerts) for kind in AlertKind}
    return ", ".join(f"{number} {kind}" for kind, number in counts.items() if number)
