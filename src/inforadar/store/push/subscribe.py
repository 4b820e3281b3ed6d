"""Note the hubs that feeds name, claim the subscriptions that are due, and record how asking a hub ended.

A claim makes a new address with a new secret, and moves the next attempt forward by a growing time. So a process that
dies, a hub that never verifies and a hub that refuses cost the same: one request now and then.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Connection, and_, case, delete, func, insert, select, update

from inforadar.clock import utc_now
from inforadar.model.ids import FeedId
from inforadar.model.push import MAX_HUBS, CallbackState, PushState
from inforadar.model.schedule import FinishedJob
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.push.tighten import tighten_polling
from inforadar.store.schema.feeds import feed_credentials, feeds
from inforadar.store.schema.push import push_callbacks, push_subscriptions
from inforadar.store.types import db_now, one_of

FIRST_RETRY = timedelta(hours=1)
"""How long a hub has to verify, and the wait after the first attempt; it doubles with each."""
MAX_RETRY = timedelta(days=7)
UNVERIFIED_FOR = timedelta(days=1)
"""How long an address waits for a late verification."""
LEAVING_FOR = timedelta(days=2)
SILENT_HUB = "The hub took the request and did not verify it. Can it reach INFORADAR_PUBLIC_URL?"
_s, _c = push_subscriptions.c, push_callbacks.c


@dataclass(frozen=True, slots=True, kw_only=True)
class HubRequest:
    """A request to a hub: to push a topic to an address, or to stop that."""

    feed_id: FeedId
    hub: str
    topic: str
    key: str
    secret: str
    """Empty: unsubscribe."""


def note_hubs(connection: Connection, jobs: Iterable[FinishedJob]) -> None:
    """Note the hubs of documents that were read. A feed with credentials is nobody else's business."""
    found = {job.lease.feed.id: (job.hubs, job.lease.feed.url) for job in jobs if job.hubs is not None}
    if not found:
        return
    private = set(
        connection.execute(
            select(feed_credentials.c.id).where(one_of(feed_credentials.c.id, list(found)))
        ).scalars()
    )
    query = select(_s.feed_id, _s.hubs, _s.topic).where(one_of(_s.feed_id, list(found)))
    known = {row.feed_id: row for row in connection.execute(query)}
    for feed_id, (links, url) in found.items():
        hubs = [] if feed_id in private else list(links.hubs[:MAX_HUBS])
        topic = links.topic or url
        before = known.get(feed_id)
        if not hubs:
            if before is not None:
                _drop(connection, feed_id)
        elif before is None:
            row = {"feed_id": feed_id, "hubs": hubs, "hub": hubs[0], "topic": topic, "due_at": db_now()}
            connection.execute(insert(push_subscriptions).values(**row))
        elif (before.hubs, before.topic) != (hubs, topic):
            connection.execute(
                update(push_subscriptions)
                .where(_s.feed_id == feed_id)
                .values(hubs=hubs, topic=topic, attempts=0, error=None, due_at=db_now())
            )


def _drop(connection: Connection, feed_id: FeedId) -> None:
    """End a subscription; its hub is told to forget the address."""
    connection.execute(delete(push_subscriptions).where(_s.feed_id == feed_id))
    leave_callbacks(connection, feed_id, except_key="")


def leave_callbacks(connection: Connection, feed_id: FeedId, *, except_key: str) -> None:
    """Give up the active addresses of a feed; unverified ones lapse by themselves."""
    connection.execute(
        update(push_callbacks)
        .where(_c.feed_id == feed_id, _c.state == CallbackState.ACTIVE.value, _c.key != except_key)
        .values(state=CallbackState.LEAVING.value, leave_at=db_now(), until=utc_now() + LEAVING_FOR)
    )


def claim_requests(connection: Connection, limit: int) -> list[HubRequest]:
    """Claim what is to be asked of hubs now, each with an address and a secret of its own."""
    now = utc_now()
    query = (
        select(push_subscriptions, and_(*ACTIVE, feeds.c.polling).label("is_polled"))
        .join_from(push_subscriptions, feeds, feeds.c.id == _s.feed_id)
        .where(_s.due_at <= db_now())
        .order_by(_s.due_at, _s.feed_id)
        .limit(limit)
        .with_for_update(skip_locked=True, of=push_subscriptions)
    )
    claimed: list[HubRequest] = []
    for row in connection.execute(query).all():
        if not row.is_polled:
            _drop(connection, row.feed_id)
            continue
        wait = min(FIRST_RETRY * 2 ** min(row.attempts, 10), MAX_RETRY)
        has_lease = row.lease_until is not None and row.lease_until > now
        request = HubRequest(
            feed_id=row.feed_id,
            hub=row.hubs[row.attempts % len(row.hubs)],
            topic=row.topic,
            key=secrets.token_urlsafe(32),
            secret=secrets.token_urlsafe(32),
        )
        connection.execute(
            update(push_subscriptions)
            .where(_s.feed_id == row.feed_id)
            .values(
                attempts=row.attempts + 1,
                due_at=now + wait,
                hub=request.hub,
                state=(PushState.ACTIVE if has_lease else PushState.ASKED).value,
                error=row.error or (SILENT_HUB if row.attempts else None),
            )
        )
        connection.execute(
            insert(push_callbacks).values(
                key=request.key,
                feed_id=row.feed_id,
                hub=request.hub,
                topic=request.topic,
                secret=request.secret,
                until=now + UNVERIFIED_FOR,
            )
        )
        claimed.append(request)
    return claimed


def claim_leaving(connection: Connection, limit: int) -> list[HubRequest]:
    """Claim addresses that hubs are to forget. Each hub is told once: the lease ends anyway."""
    query = (
        select(push_callbacks)
        .where(_c.leave_at <= db_now())
        .order_by(_c.leave_at, _c.key)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    rows = connection.execute(query).all()
    connection.execute(
        update(push_callbacks).where(one_of(_c.key, [row.key for row in rows])).values(leave_at=None)
    )
    return [
        HubRequest(feed_id=row.feed_id, hub=row.hub, topic=row.topic, key=row.key, secret="") for row in rows
    ]


def save_refusal(connection: Connection, request: HubRequest, message: str, *, wait_s: float = 0.0) -> None:
    """Record why a hub did not take a request; the address is never used."""
    now = utc_now()
    tighten_polling(connection, request.feed_id)
    has_lease = func.coalesce(_s.lease_until > now, False)
    later = now + timedelta(seconds=wait_s)
    connection.execute(
        update(push_subscriptions)
        .where(_s.feed_id == request.feed_id)
        .values(
            state=case((has_lease, _s.state), else_=PushState.FAILED.value),
            error=message[:500],
            due_at=case((_s.due_at < later, later), else_=_s.due_at),
        )
    )
    connection.execute(delete(push_callbacks).where(_c.key == request.key))


def prune_callbacks(connection: Connection) -> int:
    """Delete addresses that are not used any more."""
    return connection.execute(delete(push_callbacks).where(_c.until < db_now())).rowcount
