"""Questions about subscriptions to hubs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from inforadar.model.ids import FeedId
from inforadar.model.push import CallbackState, PushState, PushSubscription
from inforadar.store.schema.push import push_callbacks, push_subscriptions
from inforadar.store.types import db_now

_s, _c = push_subscriptions.c, push_callbacks.c


def load_subscription(connection: Connection, feed_id: FeedId) -> PushSubscription | None:
    row = connection.execute(select(push_subscriptions).where(_s.feed_id == feed_id)).first()
    return subscription_from_row(row) if row else None


def subscription_from_row(row: Any) -> PushSubscription:
    return PushSubscription(
        feed_id=row.feed_id,
        hub=row.hub,
        topic=row.topic,
        state=PushState(row.state),
        lease_until=row.lease_until,
        verified_at=row.verified_at,
        pushed_at=row.pushed_at,
        push_count=row.push_count,
        hits=row.hits,
        misses=row.misses,
        missed_at=row.missed_at,
        error=row.error,
        due_at=row.due_at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """An address at which a hub reaches us."""

    feed_id: FeedId
    secret: str
    state: CallbackState


def find_callback(connection: Connection, key: str) -> Callback | None:
    row = connection.execute(select(push_callbacks).where(_c.key == key, _c.until >= db_now())).first()
    return Callback(feed_id=row.feed_id, secret=row.secret, state=CallbackState(row.state)) if row else None


def has_push_work(connection: Connection) -> bool:
    """Whether a hub is to be asked now."""
    due = select(_s.feed_id).where(_s.due_at <= db_now()).limit(1)
    leaving = select(_c.key).where(_c.leave_at <= db_now()).limit(1)
    return connection.execute(due).first() is not None or connection.execute(leaving).first() is not None


def count_subscriptions(connection: Connection) -> tuple[dict[str, int], Mapping[str, int]]:
    """Number of subscriptions by state, and sums over all of them: `pushes` and `misses`."""
    query = select(_s.state, func.count(), func.sum(_s.push_count), func.sum(_s.misses)).group_by(_s.state)
    rows = connection.execute(query).all()
    counts = {state.value: 0 for state in PushState} | {row[0]: row[1] for row in rows}
    return counts, {"pushes": sum(row[2] for row in rows), "misses": sum(row[3] for row in rows)}
