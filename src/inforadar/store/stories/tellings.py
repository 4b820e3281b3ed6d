"""Other outlets that tell of the same event as an item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from inforadar.model.person import PersonId
from inforadar.store.feeds.hidden import sees_feed
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import stories, story_items
from inforadar.store.types import StoredId, one_of, stored_form

MAX_TELLINGS = 30
"""How many articles of a story are looked at; the first ones."""

_s, _i = story_items.c, items.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """Another article about the same event."""

    outlet: str
    title: str
    url: str


def load_other_tellings(
    connection: Connection, person_id: PersonId, item_ids: Sequence[StoredId]
) -> dict[StoredId, list[Telling]]:
    """For each item that has any: one article of each other outlet about its event, the earliest first."""
    own = {
        row.item_id: row
        for row in connection.execute(
            select(stored_form(_s.item_id).label("item_id"), _s.story_id, feeds.c.source)
            .join_from(story_items, stories, stories.c.id == _s.story_id)
            .join(items, _i.id == _s.item_id)
            .join(feeds, feeds.c.id == _i.feed_id)
            .where(one_of(_s.item_id, list(item_ids)), stories.c.source_count > 1)
        )
    }
    if not own:
        return {}
    place = func.row_number().over(partition_by=_s.story_id, order_by=(_s.at, _s.item_id)).label("place")
    told = (
        select(_s.story_id, feeds.c.source, _i.title, _i.url, place)
        .join_from(story_items, items, _i.id == _s.item_id)
        .join(feeds, feeds.c.id == _i.feed_id)
        .where(
            one_of(_s.story_id, sorted({row.story_id for row in own.values()})),
            *ACTIVE,
            *sees_feed(person_id),
        )
    ).subquery()
    by_story = defaultdict(list)
    query = select(told).where(told.c.place <= MAX_TELLINGS).order_by(told.c.story_id, told.c.place)
    for row in connection.execute(query):
        by_story[row.story_id].append(row)
    found = {}
    for item_id, mine in own.items():
        others = {
            row.source: Telling(outlet=row.source, title=row.title or row.url, url=row.url)
            for row in reversed(by_story[mine.story_id])
            if row.source != mine.source
        }
        if others:
            found[item_id] = list(reversed(others.values()))
    return found
