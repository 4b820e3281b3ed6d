"""Save items: insert new ones, update changed fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, case, func, or_, select, update

from inforadar.model.ids import FeedId, RunId, Uid, new_uuid, new_uuids
from inforadar.model.item import ItemChange, ItemUpkeep, NewItem
from inforadar.model.metadata_fields import json_value
from inforadar.store.feeds.note_history import note_added
from inforadar.store.items.count_added import count_added
from inforadar.store.items.metadata_rows import METADATA_ROWS
from inforadar.store.rows import insert_rows, stored_id, stored_time
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import item_changes, items
from inforadar.store.types import StoredId, db_now, one_of, one_of_given
from inforadar.store.upsert import upsert
from inforadar.urls import uid

MAX_FUTURE = timedelta(days=1)
"""An item dated later than this sorts as of when it was first seen: a wrong year would keep it on top for months."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItems:
    """New items of one feed, to be inserted."""

    feed_id: FeedId
    topic: str
    run_id: RunId | None
    at: datetime
    added: tuple[NewItem, ...]


def insert_items(connection: Connection, batches: Sequence[FeedItems]) -> None:
    """Insert new items and queue their articles. An existing item stays as it is."""
    rows: list[tuple[Any, ...]] = []
    added: list[tuple[StoredId, Uid]] = []
    complete: list[StoredId] = []
    """Items whose text is in the feed."""
    queue: dict[Uid, tuple[str, str, str]] = {}
    ids = iter(new_uuids(sum(len(batch.added) for batch in batches)))
    for batch in batches:
        at = stored_time(connection, batch.at)
        latest = batch.at + MAX_FUTURE
        feed_id = stored_id(connection, batch.feed_id)
        run_id = stored_id(connection, batch.run_id) if batch.run_id else None
        for new in batch.added:
            listed = new.listed
            id_, key = stored_id(connection, next(ids)), uid(listed.url)
            dated_at = stored_time(connection, listed.published_at) if listed.published_at else None
            rows.append(
                (
                    id_,
                    at,
                    at,
                    new.hash,
                    feed_id,
                    new.url,
                    key,
                    dated_at if listed.published_at and listed.published_at <= latest else at,
                    listed.content or "",
                    listed.guid,
                    *METADATA_ROWS.to_row(listed),
                    run_id,
                    None if listed.link == new.url or not listed.has_link else listed.link,
                    dated_at,
                    stored_time(connection, listed.updated_at) if listed.updated_at else None,
                )
            )
            if new.has_article:
                added.append((id_, key))
                queue.setdefault(key, (key, new.url, batch.topic))
            else:
                complete.append(id_)
    if not rows:
        return
    there = _queue_articles(connection, queue)
    insert_rows(
        connection,
        upsert(connection, items).on_conflict_do_nothing(index_elements=["feed_id", "hash"]),
        _ITEM_VALUES,
        rows,
    )
    _mark_shared(connection, [row[_URL] for row in rows])
    if waiting := complete + [id_ for id_, key in added if key in there]:
        connection.execute(update(items).where(one_of(items.c.id, waiting)).values(analyze_at=db_now()))
    count_added(connection, [row[_ID] for row in rows])
    note_added(connection, [(batch.feed_id, batch.at, len(batch.added)) for batch in batches])


_ITEM_VALUES = (
    "id", "created_at", "updated_at", "hash", "feed_id", "url", "uid", "pub_date", "content", "guid",
    *METADATA_ROWS.names, "run_id", "link", "dated_at", "revised_at",
)  # fmt: skip
"""The columns a new item is inserted with, in the table's order."""


_ID, _URL = _ITEM_VALUES.index("id"), _ITEM_VALUES.index("url")


def _mark_shared(connection: Connection, urls: Sequence[str]) -> None:
    """Mark the items whose URL several feeds list, so that lists need to look only these up."""
    mine = one_of(items.c.url, urls)
    repeated = select(items.c.url).where(mine).group_by(items.c.url).having(func.count() > 1)
    locked = (
        select(items.c.id)
        .where(items.c.url.in_(repeated), items.c.is_shared.is_(False))
        .order_by(items.c.id)
        .with_for_update()
        .cte("locked")
    )
    connection.execute(update(items).where(items.c.id.in_(select(locked.c.id))).values(is_shared=True))


def _queue_articles(connection: Connection, queue: Mapping[Uid, tuple[str, str, str]]) -> set[str]:
    """Queue the articles and return those that another feed has already brought in: their items need not wait.

    All rows stay locked until the items are committed. Otherwise an article that is being saved at this moment could
    miss the new items, and they it, and they would never be queued for analysis. Retention may delete one before it is
    locked; then it is queued again.
    """
    finished: set[str] = set()
    missing = sorted(queue)
    to_do = upsert(connection, articles).values(next_attempt_at=db_now()).on_conflict_do_nothing()
    while missing:
        # Always in order of uid, so that two workers inserting the same articles cannot deadlock.
        insert_rows(connection, to_do, ("uid", "url", "category"), [queue[key] for key in missing])
        locked = connection.execute(_LOCK_ARTICLES, {"uids": missing}).all()
        finished.update(key for key, is_finished in locked if is_finished)
        missing = sorted(set(missing).difference(key for key, _ in locked))
    return finished


_LOCK_ARTICLES = (
    select(articles.c.uid, articles.c.next_attempt_at.is_(None))
    .where(one_of_given(articles.c.uid, "uids"))
    .order_by(articles.c.uid)
    .with_for_update(read=True)
)


def save_changes(
    connection: Connection, changes: Iterable[ItemChange], *, run_id: RunId | None, at: datetime
) -> None:
    """Write only the changed fields, and record their old values."""
    by_fields: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    history = []
    for change in sorted(changes, key=lambda change: change.id):
        names = tuple(sorted(change.fields))
        values = {f"new_{name}": json_value(change.fields[name][1]) for name in names}
        by_fields.setdefault(names, []).append({"item": change.id, **values})
        fields = {name: [json_value(old), json_value(new)] for name, (old, new) in change.fields.items()}
        history.append({"id": new_uuid(), "item_id": change.id, "run_id": run_id, "at": at, "fields": fields})
    if len(by_fields) > 1 and connection.dialect.name != "sqlite":
        ids = [row["item_id"] for row in history]
        connection.execute(
            select(items.c.id).where(one_of(items.c.id, ids)).order_by(items.c.id).with_for_update()
        )
    for names, rows in by_fields.items():
        columns: dict[str, Any] = {name: bindparam(f"new_{name}", type_=items.c[name].type) for name in names}
        if not _ANALYZED.isdisjoint(names):
            columns["analyze_at"] = _again()
        statement = update(items).where(items.c.id == bindparam("item")).values(**columns, updated_at=at)
        connection.execute(statement, rows)
    if history:
        connection.execute(item_changes.insert(), history)


def _again() -> ColumnElement[datetime]:
    """Queue an item again whose analysis, done or in progress, is outdated. Others still wait for their article."""
    read = or_(items.c.analyzed_at.is_not(None), items.c.analyze_token.is_not(None))
    return case((read, db_now()), else_=items.c.analyze_at)


_ANALYZED = frozenset({"title", "snippet"})
"""Fields that the analyzer reads."""


def save_upkeep(connection: Connection, upkeep: Iterable[ItemUpkeep]) -> None:
    """Write what is no change to report."""
    by_columns: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for one in sorted(upkeep, key=lambda one: one.id):
        names = tuple(sorted(one.columns))
        values = {f"new_{name}": one.columns[name] for name in names}
        by_columns.setdefault(names, []).append({"item": one.id, **values})
    for names, rows in by_columns.items():
        columns: dict[str, Any] = {name: bindparam(f"new_{name}", type_=items.c[name].type) for name in names}
        if "content" in columns:
            columns["analyze_at"] = _again()
        connection.execute(update(items).where(items.c.id == bindparam("item")).values(**columns), rows)
