"""Retention: delete what is old or too much, and keep the hash (X8).

Everything is deleted in batches, each its own transaction: an interrupted run keeps what it has done, and no worker
waits long. Starred items stay. An article is deleted when no item refers to it and its last attempt is over 30 days
ago: until then its row prevents the URL from being fetched again (ruling 4).

What comes into use meanwhile stays, on PostgreSQL too: rows are locked first and their condition is checked again, and
whoever stars an item or refers to an article locks it as well. What somebody else has locked is left for next time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, delete, select, update

from inforadar.model.ids import FeedId, RunId, Uid
from inforadar.store.schema.articles import article_categories, article_failures, articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import forgotten_items, item_changes, items
from inforadar.store.schema.people import mark_labels, marks
from inforadar.store.schema.runs import runs
from inforadar.store.types import db_after, one_of
from inforadar.store.upkeep.surplus import (
    ROWS_PER_BATCH,
    Keep,
    history_tables,
    is_starred,
    select_orphans,
    select_surplus,
)
from inforadar.store.upsert import upsert


def forget_surplus(connection: Connection, feed_id: FeedId, keep: Keep, limit: int = ROWS_PER_BATCH) -> int:
    """Delete a batch of a feed's surplus items; return how many."""
    surplus = select_surplus(feed_id, keep).limit(limit).with_for_update(skip_locked=True, of=items)
    ids = [row.id for row in connection.execute(surplus)]
    i = items.c
    unused = delete(items).where(one_of(i.id, ids), ~is_starred()).returning(i.id, i.hash, i.pub_date, i.guid)
    gone = connection.execute(unused).all() if ids else []
    if not gone:
        return 0
    connection.execute(
        upsert(connection, forgotten_items).on_conflict_do_nothing(),
        [
            {
                "feed_id": feed_id,
                "hash": row.hash,
                "item_id": row.id,
                "pub_date": row.pub_date,
                "guid": row.guid,
            }
            for row in gone
        ],
    )
    s = feed_schedules.c
    connection.execute(update(feed_schedules).where(s.id == feed_id).values(build_at=db_after(s.build_at)))
    return len(gone)


def delete_orphans(
    connection: Connection, before: datetime, after: Uid | None, limit: int = ROWS_PER_BATCH
) -> tuple[int, Uid | None]:
    """Delete a batch of articles that nothing refers to, with their failures and categories.

    Returns how many, and the last one looked at: the next batch continues `after` it, so that all batches together read
    each article once. None: that was the last batch.
    """
    orphans = select_orphans(before, after).order_by(articles.c.uid).limit(limit)
    chosen = list(connection.execute(orphans.with_for_update(skip_locked=True, of=articles)).scalars())
    if not chosen:
        return 0, None
    unused = select_orphans(before).where(one_of(articles.c.uid, chosen))
    uids = list(connection.execute(unused).scalars())
    for table in (article_failures, article_categories, articles):
        connection.execute(delete(table).where(one_of(table.c.uid, uids)))
    return len(uids), chosen[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The end of one batch of deletions."""

    deleted: int
    last: Any
    """The key that the next batch continues after, so that all batches together read the table once."""


def delete_history(connection: Connection, before: datetime, table: Table, after: Any = None) -> Batch | None:
    """Delete a batch of old rows in one of the `HISTORY` tables; None once nothing is left.

    One table at a time: finding that nothing in it is old requires reading all of it. Nothing is deleted while the next
    runs to delete are still referenced by items and changes.
    """
    old = history_tables(before)[table]
    query = select(old.key).where(old.test).order_by(old.key).limit(old.most)
    if after is not None:
        query = query.where(old.key > after)
    chosen = list(dict.fromkeys(connection.execute(query).scalars()))
    if not chosen:
        return None
    if table is runs and _unlink_runs(connection, chosen):
        return Batch(deleted=0, last=after)
    gone = connection.execute(delete(table).where(one_of(old.key, chosen), old.test))
    return Batch(deleted=gone.rowcount, last=chosen[-1])


def _unlink_runs(connection: Connection, run_ids: Sequence[RunId]) -> bool:
    """Remove the references to these runs from a batch of rows. Returns False if there were none.

    The foreign key would do it for all rows at once, and a run may have added a hundred thousand items.
    """
    for table in (items, item_changes):
        named = select(table.c.id).where(one_of(table.c.run_id, run_ids)).limit(ROWS_PER_BATCH)
        if ids := list(connection.execute(named).scalars()):
            # Locked in the same order as the writer locks them, so that the two cannot deadlock.
            locked = select(table.c.id).where(one_of(table.c.id, ids)).order_by(table.c.id).with_for_update()
            connection.execute(locked)
            connection.execute(update(table).where(one_of(table.c.id, ids)).values(run_id=None))
            return True
    return False


def delete_lost_marks(connection: Connection) -> int:
    """Delete marks of URLs that no item has any more, except stars, labels and notes; return how many."""
    listed = select(items.c.id).where(items.c.url == marks.c.url).exists()
    of_mark = (mark_labels.c.person_id == marks.c.person_id, mark_labels.c.hash == marks.c.hash)
    labelled = select(mark_labels.c.label).where(*of_mark).exists()
    return connection.execute(
        delete(marks).where(~listed, marks.c.starred_at.is_(None), marks.c.note.is_(None), ~labelled)
    ).rowcount
