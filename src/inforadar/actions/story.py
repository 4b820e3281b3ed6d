"""Change stories: split items off, merge two, group again."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from inforadar.model.ids import ItemId, StoryId
from inforadar.store.database import Database
from inforadar.store.stories.by_hand import merge_stories, queue_for_grouping, split_items


async def split(database: Database, item_ids: Collection[ItemId]) -> StoryId:
    """Split items off their story into one of their own. Grouping never joins the two again."""
    return await database.write(split_items, item_ids)


async def merge(database: Database, kept: StoryId, gone: StoryId) -> StoryId:
    """Merge two stories; the second one's address leads to the first."""
    return await database.write(merge_stories, kept, gone)


async def regroup(database: Database, *, since: datetime | None = None, story: StoryId | None = None) -> int:
    """Queue items to be placed again; return how many."""
    return await database.write(queue_for_grouping, since=since, story=story)
