"""The items that a run added or changed, page by page: a run may have added a million."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from inforadar.model.ids import ItemId, RunId
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import item_changes, items
from inforadar.store.types import unindexed


@dataclass(frozen=True, slots=True, kw_only=True)
class RunItem:
    """An item that a run added or changed."""

    id: ItemId
    url: str
    title: str | None
    source: str
    fields: dict[str, tuple[Any, Any]]
    """{field: (old, new)}; empty for an added item."""


_columns = (items.c.id, items.c.url, items.c.title, feeds.c.source)


def load_run_added(connection: Connection, run_id: RunId, *, limit: int) -> list[RunItem]:
    """The first items that the run added, in the order in which they were found; each URL once."""
    other = items.alias("other")
    before = select(other.c.id).where(
        other.c.url == items.c.url, unindexed(other.c.run_id) == run_id, other.c.id < items.c.id
    )
    query = (
        select(*_columns)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(items.c.run_id == run_id, before.limit(1).scalar_subquery().is_(None))
        .order_by(items.c.id)
        .limit(limit)
    )
    return [
        RunItem(id=row.id, url=row.url, title=row.title, source=row.source, fields={})
        for row in connection.execute(query)
    ]


def load_run_changed(connection: Connection, run_id: RunId, *, limit: int) -> list[RunItem]:
    """The first changes, merged by item: from its first old value to its last new one."""
    query = (
        select(*_columns, item_changes.c.fields)
        .join_from(item_changes, items, items.c.id == item_changes.c.item_id)
        .join(feeds, feeds.c.id == items.c.feed_id)
        .where(item_changes.c.run_id == run_id)
        .order_by(item_changes.c.at, item_changes.c.id)
        .limit(limit)
    )
    found: dict[ItemId, RunItem] = {}
    for row in connection.execute(query):
        item = found.setdefault(
            row.id, RunItem(id=row.id, url=row.url, title=row.title, source=row.source, fields={})
        )
        for name, (old, new) in row.fields.items():
            item.fields[name] = (item.fields[name][0] if name in item.fields else old, new)
    return list(found.values())
