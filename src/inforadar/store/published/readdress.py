"""Queue documents for building that contain a former address of this program (see `stale_addresses`)."""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from inforadar.model.ids import FeedId
from inforadar.store.published.stale_addresses import DOCUMENTS_PER_BATCH, lacks
from inforadar.store.schema.feeds import cached_feeds, feed_schedules
from inforadar.store.types import db_after, one_of

_c = cached_feeds.c
_s = feed_schedules.c


def mark_documents_without(
    connection: Connection, text: str, *, before: FeedId | None
) -> tuple[FeedId, int] | None:
    """Queue the stale documents of one batch. Returns where the next batch starts, and how many; None after the last.

    From the highest id down, so that the first documents come last.
    """
    query = (
        select(_c.id, lacks(_c.xml_header, text).label("lacks"))
        .order_by(_c.id.desc())
        .limit(DOCUMENTS_PER_BATCH)
    )
    rows = connection.execute(query if before is None else query.where(_c.id < before)).all()
    if not rows:
        return None
    ids = [row.id for row in rows if row.lacks]
    connection.execute(
        update(feed_schedules)
        .where(one_of(_s.id, ids), _s.build_at.is_(None))
        .values(build_at=db_after(_s.build_at))
    )
    return rows[-1].id, len(ids)
