"""Write events, in the transaction that caused them: one statement for a whole batch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, and_, case, delete, exists, insert, literal, select

from inforadar.clock import utc_now
from inforadar.model.ids import StoryId
from inforadar.model.rule import EventKind
from inforadar.store.schema.items import items
from inforadar.store.schema.rules import events
from inforadar.store.types import StoredId, db_later, one_of

NEW_FOR = timedelta(days=1)
"""An item that was added longer ago than this has been told as new already."""
KEPT_FOR = timedelta(days=7)
PRUNED_EVENTS = 5000


def note_items(connection: Connection, item_ids: Sequence[StoredId]) -> None:
    """Note items that were added, or whose title, text or analysis changed."""
    if not item_ids:
        return
    told = exists().where(events.c.item_id == items.c.id)
    is_new = and_(items.c.created_at >= utc_now() - NEW_FOR, ~told)
    kind = case((is_new, literal(EventKind.ITEM.value)), else_=literal(EventKind.CHANGE.value))
    found = select(kind, items.c.id, items.c.feed_id).where(one_of(items.c.id, item_ids)).order_by(items.c.id)
    connection.execute(insert(events).from_select(["kind", "item_id", "feed_id"], found))


def note_stories(connection: Connection, story_ids: Iterable[StoryId]) -> None:
    """Note stories that grew or were merged."""
    rows: list[dict[str, Any]] = [
        {"kind": EventKind.STORY.value, "story_id": story} for story in sorted(story_ids)
    ]
    if rows:
        connection.execute(insert(events), rows)


def note_alerts(connection: Connection, alerts: Sequence[dict[str, Any]]) -> None:
    """Note health alerts: `{"feed_id": …, "payload": …}`."""
    if alerts:
        connection.execute(insert(events), [{"kind": EventKind.ALERT.value, **alert} for alert in alerts])


def prune_events(connection: Connection) -> int:
    """Delete numbered events that are older than a week, some at a time."""
    old = (
        select(events.c.id)
        .where(events.c.at < db_later(-KEPT_FOR.total_seconds()), events.c.number.is_not(None))
        .order_by(events.c.at)
        .limit(PRUNED_EVENTS)
    )
    return connection.execute(delete(events).where(events.c.id.in_(old))).rowcount
