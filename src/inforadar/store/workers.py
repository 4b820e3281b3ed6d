"""Workers that are alive, and the leases of those that died (ruling 18).

Each worker renews its row. When a row lapses, its process was killed or its machine is gone: any other worker frees its
leases in all queues, so that the work goes on long before the leases end. Should it live after all, because it only
slept, its tokens are no longer right, and it saves nothing.

A row that is good for longer than a renewal makes it was written by a clock that was ahead: it counts as lapsed, and
what that clock postponed is due (`postponed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Connection, delete, func, literal, or_, select, update

from inforadar.store.clock_sanity import MAX_DRIFT_S, is_absurd
from inforadar.store.lease_tokens import KEY_LENGTH, worker_key
from inforadar.store.leases import LEASE_S
from inforadar.store.postponed import bring_forward
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.schema.revisions import article_looks
from inforadar.store.schema.stories import story_queue
from inforadar.store.schema.workers import workers
from inforadar.store.types import db_later, db_now
from inforadar.store.upsert import upsert

RENEW_S = 15.0
ALIVE_S = 45.0

_w = workers.c
_IS_AHEAD = is_absurd(_w.alive_until, ALIVE_S + MAX_DRIFT_S)


class _Queue(NamedTuple):
    key: Column[Any]
    due: Column[datetime]
    """When the row is due: while it is leased, when the lease ends, or earlier if it was asked for meanwhile."""
    end: Column[datetime]
    token: Column[str]


_s, _a, _i, _q, _l = feed_schedules.c, articles.c, items.c, story_queue.c, article_looks.c
_QUEUES = (
    _Queue(_s.id, _s.next_run_at, _s.locked_until, _s.lease_token),
    _Queue(_a.uid, _a.next_attempt_at, _a.locked_until, _a.lease_token),
    _Queue(_i.id, _i.analyze_at, _i.analyze_until, _i.analyze_token),
    _Queue(_q.item_id, _q.due_at, _q.locked_until, _q.lease_token),
    _Queue(_l.uid, _l.due_at, _l.locked_until, _l.lease_token),
)


def renew_worker(connection: Connection, name: str) -> int:
    """Say that this process is alive, and free the leases of those that are not. Returns how many were freed.

    Whoever lapsed itself frees nothing this time: if the database was away, the others could not renew theirs either.
    """
    key = worker_key()
    own = connection.execute(select(_w.alive_until > db_now(), _IS_AHEAD).where(_w.id == key)).first()
    was_alive, was_ahead = own or (None, False)
    row = upsert(connection, workers).values(id=key, name=name[:80], alive_until=db_later(literal(ALIVE_S)))
    connection.execute(
        row.on_conflict_do_update(index_elements=[_w.id], set_={"alive_until": row.excluded.alive_until})
    )
    if was_ahead:
        # The clock of this machine was set back while this process worked.
        bring_forward(connection)
    return 0 if was_alive is False else _free_lapsed(connection)


def remove_worker(connection: Connection) -> None:
    """Remove this process when it ends in order: it has released its leases itself."""
    connection.execute(delete(workers).where(_w.id == worker_key()))


def _free_lapsed(connection: Connection) -> int:
    lapsed = select(_w.id, _w.alive_until, _IS_AHEAD.label("is_ahead")).where(
        or_(_w.alive_until <= db_now(), _IS_AHEAD)
    )
    found = connection.execute(lapsed.order_by(_w.id).with_for_update(skip_locked=True)).all()
    if not found:
        return 0
    keys = [row.id for row in found]
    # A lease ends by the clock that gave it.
    ends = [row.alive_until + timedelta(seconds=LEASE_S) for row in found if row.is_ahead]
    until = literal(max(ends)) if ends else db_later(LEASE_S)
    freed = sum(_free_queue(connection, keys, queue, until) for queue in _QUEUES)
    connection.execute(delete(workers).where(_w.id.in_(keys)))
    if any(row.is_ahead for row in found):
        bring_forward(connection)
    return freed


def _free_queue(
    connection: Connection, keys: Sequence[str], queue: _Queue, until: ColumnElement[datetime]
) -> int:
    held = (
        select(queue.key)
        # The index on the time leaves out what is not leased and not due for long.
        .where(queue.due <= until, func.substr(queue.token, 1, KEY_LENGTH).in_(keys))
        .order_by(queue.key)
        .with_for_update(skip_locked=True)
        .cte("held")
    )
    free = {queue.due: db_now(), queue.end: None, queue.token: None}
    freed = update(queue.key.table).where(queue.key.in_(select(held.c[queue.key.name]))).values(free)
    return len(connection.execute(freed.returning(queue.key)).all())
