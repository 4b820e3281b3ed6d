"""Detect documents that contain a former address of this program (`INFORADAR_PUBLIC_URL` was changed).

The address that documents were built with is not stored anywhere else. Checking a million documents at each start
would take minutes, so only the first thousand are checked: all of a usual database. In a larger one a change affects
all documents, and the first thousand are queued last: an interrupted run is therefore noticed and completed.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, func, select

from inforadar.store.schema.feeds import cached_feeds, feed_schedules

_c = cached_feeds.c
_s = feed_schedules.c

DOCUMENTS_PER_BATCH = 1000


def has_documents_without(connection: Connection, text: str) -> bool:
    """Whether one of the first documents lacks this text in its header and is not queued for building."""
    first = (
        select(_c.id, _c.xml_header)
        .join(feed_schedules, _s.id == _c.id)
        .where(_s.build_at.is_(None))
        .order_by(_c.id)
        .limit(DOCUMENTS_PER_BATCH)
        .subquery()
    )
    return (
        connection.execute(select(first.c.id).where(lacks(first.c.xml_header, text)).limit(1)).first()
        is not None
    )


def lacks(header: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Condition: the header lacks the text. `replace` is case-sensitive in both databases; SQLite's LIKE is not."""
    return func.replace(header, text, "") == header
