"""Claim messages, and record how sending them ended.

A claim is a lease: a process that dies while sending leaves the message to the next one, so each is sent at least
once. The idempotency key lets the receiver recognize the second time.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import uuid4

from sqlalchemy import Connection, or_, select, update

from inforadar.model.rule import ChannelId, Delivery, DeliveryState
from inforadar.store.clock_sanity import MAX_DRIFT_S, is_absurd
from inforadar.store.rules.queries import channel_from_row
from inforadar.store.schema.rules import channels, deliveries, rules
from inforadar.store.types import db_later, db_now, one_of

LEASE_S = 180.0
RETRY_S = (10, 60, 300, 1800, 7200, 18_000, 36_000, 50_400)
"""Seconds to wait after each failed attempt; after the last one, the message is given up."""
_d = deliveries.c
# No retry waits longer than the last one, and no lease is longer: a later time is that of a clock that was wrong.
_IS_DUE = or_(_d.next_attempt_at <= db_now(), is_absurd(_d.next_attempt_at, RETRY_S[-1] + MAX_DRIFT_S))
_IS_FREE = or_(
    _d.locked_until.is_(None), _d.locked_until < db_now(), is_absurd(_d.locked_until, LEASE_S + MAX_DRIFT_S)
)


def has_deliveries(connection: Connection) -> bool:
    return connection.execute(select(_d.id).where(_IS_DUE).limit(1)).first() is not None


def claim_deliveries(
    connection: Connection, limit: int, without: Collection[ChannelId] = ()
) -> list[Delivery]:
    """Claim messages that are due, the longest waiting first; none to the channels `without`."""
    due = (
        select(_d.id)
        .where(_IS_DUE, _IS_FREE, _d.channel_id.not_in(without))
        .order_by(_d.next_attempt_at, _d.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    ids = list(connection.execute(due).scalars())
    if not ids:
        return []
    token = uuid4().hex
    connection.execute(
        update(deliveries)
        .where(one_of(_d.id, ids))
        .values(locked_until=db_later(LEASE_S), lease_token=token, attempts=_d.attempts + 1)
    )
    query = (
        select(
            channels,
            _d.id.label("delivery_id"),
            _d.payload,
            _d.created_at.label("made_at"),
            _d.attempts,
        )
        .join_from(deliveries, channels, channels.c.id == _d.channel_id)
        .where(one_of(_d.id, ids))
        .order_by(_d.created_at, _d.id)
    )
    return [
        Delivery(
            id=row.delivery_id,
            channel=channel_from_row(row),
            payload=row.payload,
            created_at=row.made_at,
            attempts=row.attempts,
            token=token,
        )
        for row in connection.execute(query)
    ]


def save_sent(connection: Connection, delivery: Delivery) -> None:
    connection.execute(
        update(deliveries)
        .where(_d.id == delivery.id, _d.lease_token == delivery.token)
        .values(
            state=DeliveryState.SENT.value,
            sent_at=db_now(),
            next_attempt_at=None,
            locked_until=None,
            lease_token=None,
            error=None,
        )
    )
    connection.execute(update(channels).where(channels.c.id == delivery.channel.id).values(error=None))


def save_failure(
    connection: Connection, delivery: Delivery, message: str, *, is_final: bool
) -> DeliveryState:
    """Plan the next attempt, or give the message up; the channel says why, and so does the rule once it is given up."""
    is_dead = is_final or delivery.attempts > len(RETRY_S)
    state = DeliveryState.DEAD if is_dead else DeliveryState.PENDING
    after_s = RETRY_S[min(delivery.attempts, len(RETRY_S)) - 1]
    connection.execute(
        update(deliveries)
        .where(_d.id == delivery.id, _d.lease_token == delivery.token)
        .values(
            state=state.value,
            next_attempt_at=None if is_dead else db_later(float(after_s)),
            locked_until=None,
            lease_token=None,
            error=message[:500],
        )
    )
    connection.execute(
        update(channels).where(channels.c.id == delivery.channel.id).values(error=message[:500])
    )
    if is_dead:
        own = select(_d.rule_id).where(_d.id == delivery.id).scalar_subquery()
        text = f"A message to {delivery.channel.name} was given up: {message}"
        connection.execute(update(rules).where(rules.c.id == own).values(error=text[:500]))
    return state
