"""Count a large story that only grew, without reading all its members."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, exists, func, select, update

from inforadar.model.ids import ItemId, StoryId
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import stories, story_items
from inforadar.store.types import db_now, one_of, unindexed

_s, _t = story_items.c, stories.c

MANY_MEMBERS = 300
"""From this many on, the members of a story are not read again for each one that joins."""


@dataclass(frozen=True, slots=True)
class Joined:
    """An item that joined a story, or was placed in it again."""

    item_id: ItemId
    at: datetime
    source: str
    is_copy: bool


def count_growth(connection: Connection, grown: Mapping[StoryId, Sequence[Joined]]) -> set[StoryId]:
    """Count the large ones of these stories, which nothing left. Returns those that were counted."""
    query = select(_t.id, _t.source_count, _t.last_at).where(
        one_of(_t.id, sorted(grown)), _t.item_count >= MANY_MEMBERS
    )
    large = connection.execute(query).all()
    for id_, sources, last_at in large:
        _count(connection, id_, sources, last_at, grown[id_])
    return {row.id for row in large}


def _count(
    connection: Connection, story: StoryId, sources: int, last_at: datetime, joined: Sequence[Joined]
) -> None:
    # Number and first time are read from the index alone.
    number, began = connection.execute(
        select(func.count(), func.min(_s.at)).where(_s.story_id == story)
    ).one()
    new = [one.item_id for one in joined]
    told_by = {one.source for one in joined if one.source}
    added = [source for source in told_by if not _has_source(connection, story, source, new)]
    connection.execute(
        update(stories)
        .where(_t.id == story)
        .values(
            item_count=number,
            source_count=sources + len(added),
            began_at=began,
            last_at=max([last_at, *(one.at for one in joined if not one.is_copy)]),
            updated_at=db_now(),
        )
    )


def _has_source(connection: Connection, story: StoryId, source: str, new: Collection[ItemId]) -> bool:
    """Whether a story had a member of this source before; it is found among the first members, if there is one."""
    members = (
        select(_s.item_id)
        .join_from(story_items, items, items.c.id == _s.item_id)
        .join(feeds, feeds.c.id == items.c.feed_id)
        .where(_s.story_id == story, unindexed(feeds.c.source) == source, _s.item_id.not_in(new))
    )
    return bool(connection.execute(select(exists(members))).scalar())
