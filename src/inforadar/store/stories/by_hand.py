"""Changes of stories by hand: split an item off, merge two stories, group again."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, delete, insert, select, update

from inforadar.errors import NotFoundError, UsageError
from inforadar.model.ids import ItemId, StoryId, new_uuid
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import stories, story_apart, story_events, story_items, story_queue
from inforadar.store.stories.queries import resolve_story
from inforadar.store.stories.save import lock_state, move_story, next_version, recount, save_apart
from inforadar.store.types import db_now, one_of
from inforadar.store.upsert import upsert

_s = story_items.c


def split_items(connection: Connection, item_ids: Collection[ItemId]) -> StoryId:
    """Move items of one story to a story of their own, for good: the two are not the same event."""
    version = lock_state(connection)
    found = list(
        connection.execute(select(_s.item_id, _s.story_id, _s.at).where(one_of(_s.item_id, sorted(item_ids))))
    )
    if len(found) < len(set(item_ids)):
        raise NotFoundError("This item is in no story.")
    origins = {row.story_id for row in found}
    if len(origins) != 1:
        raise UsageError("These items are in different stories already.")
    (origin,) = origins
    total = connection.execute(select(stories.c.item_count).where(stories.c.id == origin)).scalar_one()
    if total <= len(found):
        raise UsageError("These are all the items of the story; nothing to split off.")
    own = StoryId(new_uuid())
    times = [row.at for row in found]
    connection.execute(insert(stories).values(id=own, began_at=min(times), last_at=max(times)))
    connection.execute(
        update(story_items)
        .where(one_of(_s.item_id, sorted(item_ids)))
        .values(story_id=own, is_pinned=True, copy_of=None, reasons=None, version=version + 1)
    )
    save_apart(connection, own, [origin])
    for story, other in ((origin, own), (own, origin)):
        connection.execute(
            insert(story_events).values(story_id=story, kind="split", other=other, by_hand=True)
        )
    recount(connection, {origin, own})
    next_version(connection, version)
    return own


def merge_stories(connection: Connection, kept: StoryId, gone: StoryId) -> StoryId:
    """Merge two stories for good; the address of the second leads to the first. Forgets that they were apart."""
    version = lock_state(connection)
    kept, gone = resolve_story(connection, kept), resolve_story(connection, gone)
    if kept == gone:
        raise UsageError("These are the same story already.")
    a = story_apart.c
    connection.execute(
        delete(story_apart).where(
            ((a.one == kept) & (a.other == gone)) | ((a.one == gone) & (a.other == kept))
        )
    )
    move_story(connection, gone, kept, by_hand=True)
    connection.execute(update(story_items).where(_s.story_id == kept).values(is_pinned=True))
    recount(connection, {kept, gone})
    next_version(connection, version)
    return kept


def queue_for_grouping(
    connection: Connection, *, since: datetime | None = None, story: StoryId | None = None
) -> int:
    """Queue items to be placed again: those since a time, or those of a story. What people placed stays."""
    wanted = select(items.c.id)
    if since is not None:
        wanted = wanted.where(items.c.pub_date >= since)
    if story is not None:
        own = select(_s.item_id).where(_s.story_id == resolve_story(connection, story))
        wanted = wanted.where(items.c.id.in_(own))
    ids = list(connection.execute(wanted.order_by(items.c.id)).scalars())
    if ids:
        again = {"due_at": db_now(), "locked_until": None, "lease_token": None}
        statement = upsert(connection, story_queue).on_conflict_do_update(
            index_elements=["item_id"], set_=again
        )
        connection.execute(statement, [{"item_id": id_} for id_ in ids])
    return len(ids)
