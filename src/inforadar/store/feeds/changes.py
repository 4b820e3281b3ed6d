"""Change feeds: their columns, their lanes, and when they are fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, and_, case, false, func, or_, select, update

from inforadar.errors import UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId
from inforadar.model.schedule import Handover, Lane, lane_of
from inforadar.store.feeds.queries import ACTIVE, deleted_sentence, load_feed
from inforadar.store.leases import holds_lease, release_leases
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later, db_now, one_of


def save_lanes(connection: Connection, feed_ids: Sequence[FeedId]) -> None:
    """Move feeds to the lane of their kind, inactive ones to none. Called after either may have changed.

    Items that claims postponed because their feed was inactive are due again.
    """
    walks = case((and_(*ACTIVE), func.coalesce(feeds.c.kind.in_(_WALKING), false())))
    lane = select(walks).where(feeds.c.id == feed_schedules.c.id).scalar_subquery()
    connection.execute(update(feed_schedules).where(one_of(feed_schedules.c.id, feed_ids)).values(walks=lane))
    active = select(feeds.c.id).where(one_of(feeds.c.id, feed_ids), *ACTIVE)
    i = items.c
    postponed = (i.analyze_at > db_now(), i.analyze_until.is_(None), i.analyze_attempts == 0)
    # Locked in the same order as the writer locks them, so that the two cannot deadlock.
    locked = (
        select(i.id).where(i.feed_id.in_(active), *postponed).order_by(i.id).with_for_update().cte("locked")
    )
    connection.execute(update(items).where(i.id.in_(select(locked.c.id))).values(analyze_at=db_now()))


_WALKING = [kind.value for kind in FeedKind if lane_of(kind) is Lane.WALKS]
_DECIDES_LANE = frozenset({"kind", "enabled", "deleted_at"})


def hand_over(connection: Connection, job: Handover) -> bool:
    """Give a feed its kind and release it in the lane of that kind; returns False if the lease was lost."""
    lease = job.lease
    if not holds_lease(connection, lease):
        return False
    unknown = update(feeds).where(feeds.c.id == lease.feed.id, feeds.c.kind.is_(None))
    connection.execute(unknown.values(kind=job.kind))
    save_lanes(connection, [lease.feed.id])
    release_leases(connection, [lease])
    return True


def update_feed(connection: Connection, feed_id: FeedId, columns: Mapping[str, Any]) -> None:
    """Update only the given columns."""
    connection.execute(update(feeds).where(feeds.c.id == feed_id).values(**columns, updated_at=db_now()))
    if not _DECIDES_LANE.isdisjoint(columns):
        save_lanes(connection, [feed_id])


def request_feed(connection: Connection, feed_id: FeedId, *, fallback_s: float | None = None) -> None:
    """Request a fetch now (B3); with `fallback_s` also schedule one, in case no worker responds."""
    request_feeds(connection, [feed_id], fallback_s=fallback_s)


def request_feeds(
    connection: Connection, feed_ids: Sequence[FeedId], *, fallback_s: float | None = None
) -> None:
    """Request a fetch of each feed."""
    values: dict[str, Any] = {"requested_at": db_now()}
    if fallback_s is not None:
        values["next_run_at"] = db_later(fallback_s)
    connection.execute(update(feed_schedules).where(one_of(feed_schedules.c.id, feed_ids)).values(**values))


def sync_feed(connection: Connection, feed_id: FeedId) -> Feed:
    """Seed 2's resurrection: make the feed due now, clear its error and lock. Refused for inactive feeds."""
    feed = load_feed(connection, feed_id)
    if feed.deleted_at:
        raise UsageError(deleted_sentence(feed))
    if not feed.enabled:
        raise UsageError(f"{feed.url} is disabled. Enable it first: `inforadar feed enable {feed.id}`.")
    connection.execute(
        update(feed_schedules)
        .where(feed_schedules.c.id == feed_id)
        .values(
            next_run_at=db_now(),
            requested_at=db_now(),
            last_error=None,
            locked_until=None,
            lease_token=None,
            failures=0,
        )
    )
    return load_feed(connection, feed_id)


def sync_unless_recent(connection: Connection, feed_id: FeedId, within_s: float) -> bool:
    """`sync_feed`, unless the feed was fetched or its fetch was requested within the last seconds."""
    times = (feed_schedules.c.requested_at, feed_schedules.c.fetched_at)
    recent = or_(*(time.between(db_later(-within_s), db_now()) for time in times))
    found = select(feed_schedules.c.id).where(feed_schedules.c.id == feed_id, recent)
    if connection.execute(found).first():
        return False
    sync_feed(connection, feed_id)
    return True
