"""Leases: which worker may work on which feed until when.

A claim locks its rows (`FOR UPDATE SKIP LOCKED`; on SQLite the transaction is the lock) and pushes `next_run_at`
forward to the end of the lease, so that the index on it alone shows what is due: filtering on `locked_until` would
read every leased row again at each claim. Feeds of a worker that dies therefore become due by themselves when the
lease ends. A new token protects the commit: a worker that slept through its lease no longer has the right one. The
database's clock decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    Select,
    bindparam,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    union,
    update,
)

from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId, LeaseToken
from inforadar.model.schedule import LANES, Lane, Lease
from inforadar.store.clock_sanity import is_absurd
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.feeds.rows import feed_from_row, select_feeds
from inforadar.store.lease_tokens import new_lease_token
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.types import db_later, db_now, one_of, one_of_given

LEASE_S = 600.0
MAX_SCHEDULE_S = 730 * 86400.0
"""No setting schedules this far ahead. A later time was written while the clock was wrong, and the feed would not be
fetched for years: it counts as due, and such a lease as expired."""
_WINDOW, _WIDE_WINDOW = 2, 16
"""How many batches of the longest due feeds a claim sorts, and how many if others have leased all of those."""
_MIN_WINDOW = 200

_s = feed_schedules.c
_until = db_later(bindparam("lease_s", type_=Float))
# One time for all of them, read after they were chosen: requests made until then are served by this fetch.
_MARK = (
    update(feed_schedules)
    .where(one_of_given(_s.id, "ids"))
    .values(next_run_at=_until, locked_until=_until, lease_token=bindparam("token"), claimed_at=db_now())
    .returning(_s.claimed_at, _s.locked_until)
)


def claim_due_feeds(
    connection: Connection, limit: int, *, lanes: Collection[Lane] = LANES, lease_s: float = LEASE_S
) -> list[Lease]:
    """Lease up to `limit` feeds of these lanes: requested, then never fetched, then fetched longest ago (B2)."""
    for window in (_WINDOW, _WIDE_WINDOW):
        chosen = _select_due(limit, max(limit * window, _MIN_WINDOW), tuple(sorted(lanes)))
        if leases := _lease(connection, chosen, lease_s):
            return leases
    return []


@lru_cache(maxsize=32)
def _select_due(limit: int, window: int, lanes: tuple[Lane, ...]) -> Select[Any]:
    # A worker's batches all have the same size: as a literal, PostgreSQL plans the statement once and not each time.
    most: ColumnElement[int] = literal_column(str(limit))
    longest: ColumnElement[int] = literal_column(str(window))
    # Sorting everything due by its last fetch would cost more the more is due; it is enough to choose from the
    # longest waiting.
    ready: list[Select[Any]] = []
    for lane in lanes:
        # Read from the schedule alone: reading the feeds of a whole window would cost more than all the rest.
        ours = select(_s.id, _s.requested_at, _s.fetched_at).where(_free(), _in_lane(lane))
        ready += [
            ours.where(_s.requested_at <= db_now()).order_by(_s.requested_at).limit(most),
            ours.where(_s.next_run_at <= db_now()).order_by(_s.next_run_at).limit(longest),
            ours.where(is_absurd(_s.next_run_at, MAX_SCHEDULE_S)).limit(most),
        ]
    candidates = union(*(query.subquery().select() for query in ready)).subquery()
    c = candidates.c
    order = (c.requested_at.is_(None), c.fetched_at.is_not(None), c.fetched_at)
    # Sorted before their rows are read: of a window, only the rows taken are read and locked.
    first = select(c.id, *(key.label(f"key_{number}") for number, key in enumerate(order))).order_by(*order)
    chosen = first.subquery("first")
    return (
        select_feeds()
        .join(chosen, chosen.c.id == _s.id)
        .where(_free(), *ACTIVE, _is_still_due())
        .order_by(chosen.c.key_0, chosen.c.key_1, chosen.c.key_2)
        .limit(most)
        # Skips rows that another claim has just locked.
        .with_for_update(skip_locked=True, of=feed_schedules)
    )


def claim_feeds(connection: Connection, ids: Sequence[FeedId], *, lease_s: float = LEASE_S) -> list[Lease]:
    """Lease these feeds, due or not, unless another worker has them."""
    chosen = select_feeds().where(one_of(_s.id, ids), _free(), *ACTIVE).order_by(_s.id)
    # A row may be locked briefly by someone who only updates it: wait, do not skip it.
    return _lease(connection, chosen.with_for_update(of=feed_schedules), lease_s)


def _is_still_due() -> ColumnElement[bool]:
    """Check again once the row is locked. Written so that no index applies: PostgreSQL would read everything due."""
    due = (_s.requested_at <= db_now(), _s.next_run_at <= db_now(), is_absurd(_s.next_run_at, MAX_SCHEDULE_S))
    return or_(*(func.coalesce(condition, false()) for condition in due))


def _in_lane(lane: Lane) -> ColumnElement[bool]:
    return _s.walks == (lane is Lane.WALKS)


def _free() -> ColumnElement[bool]:
    return or_(
        _s.locked_until.is_(None), _s.locked_until <= db_now(), is_absurd(_s.locked_until, MAX_SCHEDULE_S)
    )


def _lease(connection: Connection, chosen: Select[Any], lease_s: float) -> list[Lease]:
    """Lock the chosen rows and mark them as ours."""
    rows = connection.execute(chosen).all()
    if not rows:
        return []
    token = new_lease_token()
    marked = connection.execute(
        _MARK, {"ids": [row.id for row in rows], "lease_s": lease_s, "token": token}
    ).first()
    assert marked
    claimed_at, locked_until = marked
    return [
        Lease(feed=feed_from_row(row), token=token, claimed_at=claimed_at, locked_until=locked_until)
        for row in rows
    ]


def extend_leases(
    connection: Connection, leases: Iterable[Lease], *, lease_s: float = LEASE_S
) -> frozenset[FeedId]:
    """Extend the leases (the heartbeat). Returns the feeds whose lease is still ours; the others are lost."""
    by_token: dict[LeaseToken, list[FeedId]] = {}
    for lease in leases:
        by_token.setdefault(lease.token, []).append(lease.feed.id)
    until = db_later(literal(lease_s))
    kept: set[FeedId] = set()
    for token, ids in by_token.items():
        # Locked in the same order as the writer locks its batch, so that the two cannot deadlock.
        ours = (
            select(_s.id)
            .where(one_of(_s.id, ids), _s.lease_token == token)
            .order_by(_s.id)
            .with_for_update()
            .cte("ours")
        )
        kept.update(
            connection.execute(
                update(feed_schedules)
                .where(_s.id.in_(select(ours.c.id)))
                .values(locked_until=until, next_run_at=until)
                .returning(_s.id)
            ).scalars()
        )
    return frozenset(kept)


def holds_lease(connection: Connection, lease: Lease) -> bool:
    """Whether the lease is still ours. Its row stays locked until the commit, so that this does not change."""
    held = select(_s.lease_token).where(_s.id == lease.feed.id).with_for_update()
    token: str | None = connection.execute(held).scalar()
    return token == lease.token


def release_leases(
    connection: Connection, leases: Iterable[Lease], stopped: Mapping[FeedId, str] = MappingProxyType({})
) -> None:
    """Release feeds unchanged: as due as they were before the claim.

    `stopped` are feeds whose fetch a person stopped, with a sentence that the feed shows until its next fetch. A feed
    whose last fetch failed keeps the sentence about that.
    """
    ordered = sorted(leases, key=lambda lease: lease.feed.id)
    notes = [
        {"b_id": lease.feed.id, "b_token": lease.token, "b_sentence": stopped[lease.feed.id]}
        for lease in ordered
        if lease.feed.id in stopped and lease.feed.last_fetch_status in {None, Outcome.SUCCESS}
    ]
    if notes:
        connection.execute(
            update(feed_schedules)
            .where(_s.id == bindparam("b_id"), _s.lease_token == bindparam("b_token"))
            .values(last_error=bindparam("b_sentence")),
            notes,
        )
    rows = [
        {"b_id": lease.feed.id, "b_token": lease.token, "b_next": lease.feed.next_run_at} for lease in ordered
    ]
    if rows:
        connection.execute(
            update(feed_schedules)
            .where(_s.id == bindparam("b_id"), _s.lease_token == bindparam("b_token"))
            .values(next_run_at=bindparam("b_next"), locked_until=None, lease_token=None),
            rows,
        )


def postpone_leases(connection: Connection, waits: Iterable[tuple[Lease, float]]) -> None:
    """Release feeds whose host must wait: due, or requested, when its turn comes (B2)."""
    due, asked = [], []
    for lease, wait_s in waits:
        row = {"b_id": lease.feed.id, "b_token": lease.token, "b_wait": wait_s}
        if lease.feed.requested_at is None:
            due.append(row)
        else:
            asked.append(row | {"b_next": lease.feed.next_run_at})
    held = update(feed_schedules).where(_s.id == bindparam("b_id"), _s.lease_token == bindparam("b_token"))
    free = {"locked_until": None, "lease_token": None}
    later = db_later(bindparam("b_wait"))
    if due:
        connection.execute(held.values(next_run_at=later, **free), due)
    if asked:
        connection.execute(held.values(requested_at=later, next_run_at=bindparam("b_next"), **free), asked)


def seconds_to_next_request(connection: Connection, lanes: Collection[Lane] = LANES) -> float | None:
    """Seconds until a requested feed can be claimed; None if there is none. Cheap: the index is short."""
    query = select(func.min(_s.requested_at), db_now()).where(
        _s.requested_at.is_not(None), _free(), or_(*(_in_lane(lane) for lane in lanes))
    )
    asked_at, now = connection.execute(query).one()
    return None if asked_at is None else max((asked_at - now).total_seconds(), 0.0)
