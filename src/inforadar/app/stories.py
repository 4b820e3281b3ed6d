"""Load stories and the briefing as every face shows them."""

from __future__ import annotations

from datetime import datetime

from inforadar.errors import NotFoundError
from inforadar.model.ids import StoryId
from inforadar.store.database import Database
from inforadar.store.stories.queries import (
    StoryFilter,
    list_stories,
    load_story,
    load_story_events,
    load_story_items,
    load_title_changes,
)
from inforadar.views.brief import Brief, make_brief
from inforadar.views.stories import ShownStory, StoryView, show_story, view_story


async def load_shown_stories(database: Database, wanted: StoryFilter) -> list[ShownStory]:
    """List stories that may be shown, newest first."""
    rows = await database.read(list_stories, wanted)
    items = await database.read(load_story_items, [row.id for row in rows])
    shown = (show_story(row, items[row.id]) for row in rows)
    return [story for story in shown if story is not None and len(story.sources) >= wanted.min_sources]


async def load_story_view(database: Database, story: StoryId) -> StoryView:
    """Load a story in full, or the one that it was merged into."""
    row = await database.read(load_story, story)
    items = (await database.read(load_story_items, [row.id]))[row.id]
    changes = await database.read(load_title_changes, [item.item_id for item in items])
    events = await database.read(load_story_events, row.id)
    view = view_story(row, items, changes, events)
    if view is None:
        raise NotFoundError(f"There is no story {story}, or its feeds are disabled.")
    return view


async def load_brief(
    database: Database, since: datetime, top: int, now: datetime, *, with_text: bool = True
) -> Brief:
    """Load the most-told stories since a time."""
    wanted = StoryFilter(since=since, most_told=True, limit=top)
    rows = await database.read(list_stories, wanted)
    items = await database.read(load_story_items, [row.id for row in rows])
    found = []
    for row in rows:
        story = show_story(row, items[row.id])
        if story is not None:
            found.append((story, items[row.id]))
    return make_brief(found, since, now, with_text=with_text)
