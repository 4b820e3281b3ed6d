"""Mark a whole list as read, part by part, and take that back."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, or_, select, update

from inforadar.model.person import Along, PersonId
from inforadar.store.items.item_filter import ItemFilter, ListPlace
from inforadar.store.items.queries import conditions_of, with_known_names
from inforadar.store.people.along import load_told_along
from inforadar.store.people.save_marks import ROWS_PER_STATEMENT, set_marks
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks


def mark_list_part(
    connection: Connection, wanted: ItemFilter, first: ListPlace, seen_at: datetime, at: datetime
) -> tuple[int, ListPlace | None]:
    """Mark a part of the list as read, from a place on; return how many, and where the next part begins.

    Items that were added after `seen_at` are left: nobody has seen them. In a list by stories, all that tell of the
    same events are read too, also where the filters leave them out: an entry stands for all of them.
    """
    assert wanted.person_id is not None
    unread = with_known_names(connection, replace(wanted, unread=True, unread_at=None, by_story=False))
    c = items.c
    query = (
        select(c.id, c.url, c.pub_date)
        .join_from(items, feeds, feeds.c.id == c.feed_id)
        .where(
            c.pub_date <= first.published_at,
            or_(c.pub_date < first.published_at, c.id <= first.item_id),
            c.created_at <= seen_at,
            *conditions_of(unread),
        )
        .order_by(c.pub_date.desc(), c.id.desc())
        .limit(ROWS_PER_STATEMENT)
    )
    rows = connection.execute(query).all()
    urls = [row.url for row in rows]
    if wanted.by_story:
        urls += load_told_along(connection, urls, Along.STORY)
    set_marks(connection, wanted.person_id, urls, {"read": True}, at)
    if len(rows) < ROWS_PER_STATEMENT:
        return len(rows), None
    return len(rows), ListPlace(published_at=rows[-1].pub_date, item_id=rows[-1].id)


def unmark_read(connection: Connection, person_id: PersonId, at: datetime) -> int:
    """Mark as unread what the person marked as read at exactly this time; return how many."""
    mine = (marks.c.person_id == person_id, marks.c.read_at == at)
    return connection.execute(update(marks).where(*mine).values(read_at=None)).rowcount
