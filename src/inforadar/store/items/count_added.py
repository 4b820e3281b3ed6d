"""Count new items: those of each feed, and those that somebody has read already, in another feed.

One statement a batch and counter, unlike the triggers that count what is deleted and marked: collecting adds tens of
thousands of items at a time, and a trigger would run for each.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, func, select

from inforadar.store.rows import JsonRows
from inforadar.store.schema.counters import feed_counts, person_feed_counts
from inforadar.store.schema.items import items
from inforadar.store.schema.people import marks
from inforadar.store.types import StoredId
from inforadar.store.upsert import upsert

_added = JsonRows("added", id="uuid")
_COUNTED = (
    select(items.c.feed_id, func.count().label("items"), func.max(items.c.created_at).label("newest_at"))
    .join_from(_added.table, items, items.c.id == _added.c["id"])
    .group_by(items.c.feed_id)
    .order_by(items.c.feed_id)
)
_READ = (
    select(marks.c.person_id, items.c.feed_id, func.count().label("read"))
    .join_from(_added.table, items, items.c.id == _added.c["id"])
    .join(marks, marks.c.hash == items.c.hash)
    .where(marks.c.read_at.is_not(None))
    .group_by(marks.c.person_id, items.c.feed_id)
    .order_by(marks.c.person_id, items.c.feed_id)
)


def count_added(connection: Connection, item_ids: Iterable[StoredId]) -> None:
    """Count those of the items that are there; one that was not inserted, because its URL was known, is not."""
    given = _added.parameters([(id_,) for id_ in item_ids])
    new = upsert(connection, feed_counts).from_select(["feed_id", "items", "newest_at"], _COUNTED)
    latest = func.max if connection.dialect.name == "sqlite" else func.greatest
    summed = {
        "items": feed_counts.c["items"] + new.excluded["items"],
        "newest_at": latest(feed_counts.c.newest_at, new.excluded.newest_at),
    }
    connection.execute(new.on_conflict_do_update(index_elements=["feed_id"], set_=summed), given)
    read = upsert(connection, person_feed_counts).from_select(["person_id", "feed_id", "read"], _READ)
    more = {"read": person_feed_counts.c.read + read.excluded.read}
    connection.execute(read.on_conflict_do_update(index_elements=["person_id", "feed_id"], set_=more), given)
