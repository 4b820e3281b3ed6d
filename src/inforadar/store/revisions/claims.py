"""Claim articles to look at again, within the budgets; extend, release or postpone the claims.

What a look costs is counted when it is claimed, in the same transaction, so that several workers together stay
within the budgets too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, case, delete, func, literal, or_, select, update

from inforadar.model.http import Validators
from inforadar.model.ids import LeaseToken, Uid
from inforadar.model.revision import LookState, Snapshot
from inforadar.store.clock_sanity import is_absurd
from inforadar.store.fenced import update_held
from inforadar.store.lease_tokens import new_lease_token
from inforadar.store.leases import LEASE_S
from inforadar.store.revisions.plan import (
    UnwatchedArticle,
    count_fetches,
    count_looks,
    load_host_looks,
    load_wanted,
)
from inforadar.store.schema.articles import articles
from inforadar.store.schema.revisions import article_looks, look_days
from inforadar.store.types import db_later, db_now, one_of
from inforadar.store.upsert import upsert
from inforadar.urls import host_key

_a, _l, _d = articles.c, article_looks.c, look_days.c

MIN_GAP_S = 600.0
"""An article is not looked at more often than this, however often its listing changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBudget:
    """How many looks are allowed."""

    per_host_day: int
    share: float | None
    """At most this part of the collecting requests of today and yesterday; None: no such limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookJob:
    """The right to look at one article, with the version that is stored."""

    uid: Uid
    url: str
    token: LeaseToken
    first_at: datetime
    looked_at: datetime | None
    changed_in_row: int
    doubt: str | None
    snapshot: Snapshot
    validators: Validators

    @property
    def host(self) -> str:
        return host_key(self.url)


def watch_articles(connection: Connection, found: Sequence[UnwatchedArticle], wait_s: float) -> int:
    """Begin to watch articles: the first look is due `wait_s` seconds after their first fetch."""
    if not found:
        return 0
    rows = [
        {"uid": one.uid, "first_at": one.first_at, "due_at": one.first_at + timedelta(seconds=wait_s)}
        for one in sorted(found, key=lambda one: one.uid)
    ]
    added = upsert(connection, article_looks).on_conflict_do_nothing().returning(_l.uid)
    return len(connection.execute(added, rows).all())


def claim_looks(
    connection: Connection, limit: int, budget: LookBudget, at: datetime, *, lease_s: float = LEASE_S
) -> list[LookJob]:
    """Lease due articles as far as the budgets go; those of a host that has had its looks wait for the next day."""
    today = at.astimezone(UTC).date()
    locked = upsert(connection, look_days).values(day=today, host="", looks=0)
    connection.execute(locked.on_conflict_do_update(index_elements=["day", "host"], set_={"looks": _d.looks}))
    if budget.share is not None:
        limit = min(
            limit, int(count_fetches(connection, today) * budget.share) - count_looks(connection, today)
        )
    if limit <= 0 or not budget.per_host_day:
        return []
    is_rested = or_(
        _l.looked_at.is_(None), _l.looked_at <= db_later(literal(-MIN_GAP_S)), _l.changed_in_row > 1
    )
    due = or_(_l.due_at <= db_now(), is_absurd(_l.due_at))
    jobs = _lease(connection, (due, is_rested), limit, lease_s)
    wanted = load_wanted(connection, [job.uid for job in jobs])
    unwanted = [job.uid for job in jobs if job.uid not in wanted]
    if unwanted:
        connection.execute(delete(article_looks).where(one_of(_l.uid, unwanted)))
    taken, spent = _within(connection, [job for job in jobs if job.uid in wanted], budget, at)
    left = [job for job in jobs if job.uid in wanted and job not in taken]
    postpone_looks(connection, [(job, _seconds_to_midnight(at)) for job in left])
    _spend(connection, spent, at)
    return taken


def claim_look(connection: Connection, uid: Uid, *, lease_s: float = LEASE_S) -> LookJob | None:
    """Lease one article at once, whatever its schedule and the budgets say; None if it has no text or is leased."""
    stored = select(_a.uid, func.coalesce(_a.fetched_at, db_now())).where(
        _a.uid == uid, _a.status == "success"
    )
    watched = upsert(connection, article_looks).from_select(["uid", "first_at"], stored)
    connection.execute(watched.on_conflict_do_nothing())
    jobs = _lease(connection, (_l.uid == uid,), 1, lease_s)
    return jobs[0] if jobs else None


def _lease(
    connection: Connection, conditions: Sequence[ColumnElement[bool]], limit: int, lease_s: float
) -> list[LookJob]:
    is_free = or_(_l.locked_until.is_(None), _l.locked_until <= db_now(), is_absurd(_l.locked_until))
    chosen = (
        select(_l.uid)
        .where(*conditions, is_free, _l.state == LookState.WATCHED.value)
        .order_by(_l.due_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("chosen")
    )
    token = new_lease_token()
    until = db_later(literal(lease_s))
    leased = connection.execute(
        update(article_looks)
        .where(_l.uid.in_(select(chosen.c.uid)))
        .values(locked_until=until, due_at=until, lease_token=token, requested_at=None)
        .returning(_l.uid)
    )
    return _load_jobs(connection, list(leased.scalars()), token)


def _load_jobs(connection: Connection, uids: Sequence[Uid], token: LeaseToken) -> list[LookJob]:
    columns = (
        *(
            _a.uid,
            _a.url,
            _a.clean_text,
            _a.title,
            _a.author,
            _a.published_at,
            _a.image,
            _a.language,
            _a.etag,
        ),
        *(_a.last_modified, _a.validators_url, _l.first_at, _l.looked_at, _l.changed_in_row, _l.doubt),
    )
    query = select(*columns).join(article_looks, _l.uid == _a.uid).where(one_of(_a.uid, list(uids)))
    return [_job(row, token) for row in connection.execute(query.order_by(_a.uid))]


def _job(row: Any, token: LeaseToken) -> LookJob:
    return LookJob(
        uid=row.uid,
        url=row.url,
        token=token,
        first_at=row.first_at,
        looked_at=row.looked_at,
        changed_in_row=row.changed_in_row,
        doubt=row.doubt,
        snapshot=Snapshot(
            text=row.clean_text or "",
            title=row.title,
            author=row.author,
            published_at=row.published_at,
            image=row.image,
            language=row.language,
            url=row.url,
        ),
        validators=Validators(etag=row.etag, last_modified=row.last_modified, url=row.validators_url),
    )


def _within(
    connection: Connection, jobs: Sequence[LookJob], budget: LookBudget, at: datetime
) -> tuple[list[LookJob], Counter[str]]:
    """The jobs that their hosts' budgets allow, and what they cost."""
    had = load_host_looks(connection, at.astimezone(UTC).date(), sorted({job.host for job in jobs}))
    spent: Counter[str] = Counter()
    taken = []
    for job in jobs:
        if had.get(job.host, 0) + spent[job.host] < budget.per_host_day:
            spent[job.host] += 1
            taken.append(job)
    return taken, spent


def _spend(connection: Connection, spent: Counter[str], at: datetime) -> None:
    """Count looks, or uncount those that were not made after all."""
    today = at.astimezone(UTC).date()
    changed = Counter({host: number for host, number in spent.items() if number})
    if not changed:
        return
    rows = [{"day": today, "host": host, "looks": number} for host, number in sorted(changed.items())]
    rows.insert(0, {"day": today, "host": "", "looks": changed.total()})
    counted = upsert(connection, look_days)
    grown = {"looks": _d.looks + counted.excluded.looks}
    connection.execute(counted.on_conflict_do_update(index_elements=["day", "host"], set_=grown), rows)


def _seconds_to_midnight(at: datetime) -> float:
    now = at.astimezone(UTC)
    return (
        timedelta(days=1) - (now - now.replace(hour=0, minute=0, second=0, microsecond=0))
    ).total_seconds()


def postpone_looks(connection: Connection, waits: Iterable[tuple[LookJob, float]]) -> None:
    """Release articles that are looked at later: their host must wait, or has had its looks of the day."""
    rows = [{"b_uid": job.uid, "b_token": job.token, "b_wait": wait_s} for job, wait_s in waits]
    if rows:
        connection.execute(
            update(article_looks)
            .where(_l.uid == bindparam("b_uid"), _l.lease_token == bindparam("b_token"))
            .values(due_at=db_later(bindparam("b_wait")), locked_until=None, lease_token=None),
            rows,
        )


def return_looks(connection: Connection, waits: Sequence[tuple[LookJob, float]], at: datetime) -> None:
    """Postpone looks for which no request was made, and give back what they had cost."""
    postpone_looks(connection, waits)
    _spend(connection, Counter({host: -n for host, n in Counter(job.host for job, _ in waits).items()}), at)


def extend_looks(
    connection: Connection, jobs: Iterable[LookJob], *, lease_s: float = LEASE_S
) -> frozenset[Uid]:
    """Extend the leases (the heartbeat). Returns the articles whose lease is still ours."""
    until = db_later(literal(lease_s))
    return _save_leases(connection, jobs, locked_until=until, due_at=until)


def release_looks(connection: Connection, jobs: Iterable[LookJob]) -> None:
    """Release articles that will not be looked at after all: they are due again at once."""
    _save_leases(connection, jobs, locked_until=None, lease_token=None, due_at=db_now())


def due_unless_requested(due_at: datetime | None) -> ColumnElement[datetime]:
    """When a look that ends now is next due: at once if its listing changed meanwhile."""
    return case((_l.requested_at.is_not(None), _l.requested_at), else_=literal(due_at, _l.due_at.type))


def _save_leases(connection: Connection, jobs: Iterable[LookJob], **values: Any) -> frozenset[Uid]:
    return update_held(connection, _l.uid, _l.lease_token, ((job.token, job.uid) for job in jobs), **values)
