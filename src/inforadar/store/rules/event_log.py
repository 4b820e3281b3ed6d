"""Read events in order, for programs that follow them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from inforadar.model.ids import FeedId, ItemId, StoryId
from inforadar.model.person import PersonId
from inforadar.model.rule import EventKind
from inforadar.store.schema.rules import event_state, events

_e = events.c


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedEvent:
    number: int
    at: datetime
    kind: EventKind
    item_id: ItemId | None
    story_id: StoryId | None
    feed_id: FeedId | None
    payload: Mapping[str, Any]


def load_last_number(connection: Connection) -> int:
    """The number of the newest event; 0 if there was none yet."""
    return connection.execute(select(event_state.c.last_number)).scalar() or 0


def load_first_number(connection: Connection) -> int | None:
    """The number of the oldest event that is kept."""
    return connection.execute(select(func.min(_e.number))).scalar()


def load_events_after(
    connection: Connection,
    number: int,
    *,
    kinds: Collection[EventKind],
    person_id: PersonId | None,
    limit: int = 200,
) -> tuple[list[LoggedEvent], int]:
    """Load the next events of these kinds, and the number up to which all were looked at.

    Matches of rules are private: only those of `person_id` are loaded.
    """
    query = select(events).where(_e.number > number).order_by(_e.number).limit(limit)
    found: list[LoggedEvent] = []
    for row in connection.execute(query):
        number = row.number
        kind = EventKind(row.kind)
        payload = row.payload or {}
        is_private = kind is EventKind.MATCH and (
            person_id is None or payload.get("person_id") != person_id.hex
        )
        if kind in kinds and not is_private:
            found.append(
                LoggedEvent(
                    number=number,
                    at=row.at,
                    kind=kind,
                    item_id=row.item_id,
                    story_id=row.story_id,
                    feed_id=row.feed_id,
                    payload={key: value for key, value in payload.items() if key != "person_id"},
                )
            )
    return found, number
