"""Store what a fetch found until it is processed, then delete it (see `spool_queries`)."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from sqlalchemy import Connection, delete, insert, select

from inforadar.model.ids import FeedId
from inforadar.model.schedule import FinishedJob, ListingPart
from inforadar.store.runs.spool_queries import END_FIELDS, SpoolDocument
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.runs import found_parts
from inforadar.store.types import encode_json, one_of

_f = found_parts.c


def save_found(connection: Connection, step: ListingPart | FinishedJob, position: int) -> bool:
    """Store a step. Returns False, and stores nothing, if the lease was lost."""
    s = feed_schedules.c
    feed_id = step.lease.feed.id
    token = select(s.lease_token).where(s.id == feed_id).with_for_update()
    if connection.execute(token).scalar() != step.lease.token:
        return False
    is_end = isinstance(step, FinishedJob)
    names = END_FIELDS if is_end else ("at", "listed", "state")
    document = SpoolDocument(**{name: getattr(step, name) for name in names})
    connection.execute(
        insert(found_parts).values(
            feed_id=feed_id,
            position=position,
            run_id=step.run_id,
            is_end=is_end,
            item_count=len(step.listed),
            document=encode_json(msgspec.to_builtins(document)),
        )
    )
    return True


def delete_found_part(connection: Connection, feed_id: FeedId, position: int) -> None:
    connection.execute(delete(found_parts).where(_f.feed_id == feed_id, _f.position == position))


def delete_found(connection: Connection, feed_ids: Iterable[FeedId]) -> None:
    connection.execute(delete(found_parts).where(one_of(_f.feed_id, feed_ids)))
