"""Whether documents name another address of this program than it has now (`INFORADAR_PUBLIC_URL` was changed).

No row says which address documents were built with, because the documents do. To look through a million of them at
each start would take minutes, so it is looked at the first thousand: all of a usual database. A larger one follows
a change as a whole, and those first thousand are marked last: a marking that was cut short is noticed and ended.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, func, select

from inforadar.store.schema.feeds import cached_feeds, feed_schedules

_c = cached_feeds.c
_s = feed_schedules.c

PORTION = 1000


def has_documents_without(connection: Connection, text: str) -> bool:
    """Whether one of the first documents lacks this text in its header, and is not to be built anyway."""
    first = (
        select(_c.id, _c.xml_header)
        .join(feed_schedules, _s.id == _c.id)
        .where(_s.build_at.is_(None))
        .order_by(_c.id)
        .limit(PORTION)
        .subquery()
    )
    return (
        connection.execute(select(first.c.id).where(lacks(first.c.xml_header, text)).limit(1)).first()
        is not None
    )


def lacks(header: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Both databases have `replace`, and to both a capital letter is another one; to SQLite's LIKE it is not."""
    return func.replace(header, text, "") == header
