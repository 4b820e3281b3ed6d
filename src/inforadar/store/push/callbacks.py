"""Messages of hubs at our addresses: verifications, denials and pushes. Those we did not ask for are ignored."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, case, delete, exists, func, select, update

from inforadar.model.push import CallbackState, PushState
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.push.subscribe import MAX_RETRY, leave_callbacks
from inforadar.store.push.tighten import tighten_polling
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.push import push_callbacks, push_subscriptions
from inforadar.store.types import db_later

LEASE_S = 10 * 86_400
"""The lease that we ask for."""
MAX_LEASE_S = 30 * 86_400
DEFAULT_LEASE_S = 86_400
"""For a hub that names none."""
RENEW_AT = 0.8
"""A subscription is renewed when this share of its lease is over …"""
MIN_RENEWAL_S = 3600.0
"""… but not more often than this, however short the lease is."""
KEPT_AFTER = timedelta(days=1)
LOOKS = 2
"""Fetches that a push is good for: a cache may still have the old document at the first."""
MIN_PUSH_GAP_S = 60.0
"""Minimum time between a feed's last fetch and one that a push asks for: a hub does not decide how often we ask."""
_s, _c = push_subscriptions.c, push_callbacks.c


def verify_subscription(
    connection: Connection, key: str, topic: str, lease_s: int | None, now: datetime
) -> bool:
    """Confirm a subscription that we asked for; the addresses before it are given up. False: we did not ask."""
    wanted = (_c.key == key, _c.topic == topic, _c.state != CallbackState.LEAVING.value)
    row = connection.execute(select(push_callbacks).where(*wanted).with_for_update()).first()
    if row is None:
        return False
    lease = timedelta(seconds=min(max(lease_s or DEFAULT_LEASE_S, 0), MAX_LEASE_S))
    renewal = timedelta(seconds=max(lease.total_seconds() * RENEW_AT, MIN_RENEWAL_S))
    kept = connection.execute(
        update(push_subscriptions)
        .where(_s.feed_id == row.feed_id, _s.topic == topic)
        .values(
            state=PushState.ACTIVE.value,
            hub=row.hub,
            lease_until=now + lease,
            verified_at=case((_s.lease_until > now, func.coalesce(_s.verified_at, now)), else_=now),
            attempts=0,
            error=None,
            due_at=now + renewal,
        )
        .returning(_s.feed_id)
    ).first()
    if kept is None:
        return False
    connection.execute(
        update(push_callbacks)
        .where(_c.key == key)
        .values(state=CallbackState.ACTIVE.value, until=now + lease + KEPT_AFTER)
    )
    leave_callbacks(connection, row.feed_id, except_key=key)
    return True


def confirm_leaving(connection: Connection, key: str, topic: str) -> bool:
    """Confirm the end of a subscription, if we gave it up; the address is then gone."""
    left = (_c.key == key, _c.topic == topic, _c.state == CallbackState.LEAVING.value)
    return connection.execute(delete(push_callbacks).where(*left).returning(_c.key)).first() is not None


def note_denial(connection: Connection, key: str, topic: str, reason: str, now: datetime) -> bool:
    """Record that a hub refuses a subscription, or ended it."""
    wanted = (_c.key == key, _c.topic == topic, _c.state != CallbackState.LEAVING.value)
    row = connection.execute(select(push_callbacks.c.feed_id).where(*wanted)).first()
    if row is None:
        return False
    tighten_polling(connection, row.feed_id)
    said = f": {reason[:200]}" if reason else ""
    connection.execute(
        update(push_subscriptions)
        .where(_s.feed_id == row.feed_id)
        .values(
            state=PushState.FAILED.value,
            error=f"The hub denied the subscription{said}.",
            lease_until=None,
            hits=0,
            due_at=now + MAX_RETRY,
        )
    )
    connection.execute(delete(push_callbacks).where(_c.key == key))
    return True


def record_push(connection: Connection, key: str, now: datetime) -> bool:
    """Ask for the feed of a push whose signature was valid. A failing feed keeps its backoff."""
    row = connection.execute(
        select(_c.feed_id).where(_c.key == key, _c.state == CallbackState.ACTIVE.value)
    ).first()
    if row is None:
        return False
    s = feed_schedules.c
    is_served = exists().where(feeds.c.id == row.feed_id, feeds.c.polling, *ACTIVE)
    soonest = func.coalesce(s.fetched_at, now - timedelta(seconds=MIN_PUSH_GAP_S))
    earliest = now - timedelta(seconds=MIN_PUSH_GAP_S)
    wait_s = case((soonest <= earliest, 0.0), else_=MIN_PUSH_GAP_S)
    connection.execute(
        update(feed_schedules)
        .where(
            s.id == row.feed_id,
            s.failures == 0,
            s.requested_at.is_(None),
            s.next_run_at.is_not(None),
            is_served,
        )
        .values(requested_at=db_later(wait_s))
    )
    connection.execute(
        update(push_subscriptions)
        .where(_s.feed_id == row.feed_id)
        .values(pushed_at=now, push_count=_s.push_count + 1, looks_left=LOOKS)
    )
    return True
