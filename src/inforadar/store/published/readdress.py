"""Documents that say another address than the one they are served at now (`INFORADAR_PUBLIC_URL` was changed).

No row says which address documents were built with, because the documents do. To look through a million of them at
each start would take minutes, so it is looked at the first thousand: all of a usual database. A larger one follows
a change as a whole, and those first thousand are marked last: a marking that was cut short is noticed and ended.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, func, select, update

from inforadar.model.ids import FeedId
from inforadar.store.schema.feeds import cached_feeds, feed_schedules
from inforadar.store.types import db_after, one_of

PORTION = 1000
_c, _s = cached_feeds.c, feed_schedules.c


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
        connection.execute(select(first.c.id).where(_lacks(first.c.xml_header, text)).limit(1)).first()
        is not None
    )


def mark_documents_without(
    connection: Connection, text: str, *, before: FeedId | None
) -> tuple[FeedId, int] | None:
    """Marks those of one portion for building. Returns where the next one ends, and how many; `None`: it was the last.

    From the highest id down, so that the first documents are the last.
    """
    query = select(_c.id, _lacks(_c.xml_header, text).label("lacks")).order_by(_c.id.desc()).limit(PORTION)
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


def _lacks(header: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Both databases have `replace`, and to both a capital letter is another one; to SQLite's LIKE it is not."""
    return func.replace(header, text, "") == header
