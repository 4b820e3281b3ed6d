"""Load stories and the briefing as every face shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inforadar.errors import NotFoundError, UsageError
from inforadar.model.ids import ItemId, StoryId
from inforadar.model.item import shares_its_page
from inforadar.store.database import Database
from inforadar.store.reading_pages import Told
from inforadar.store.revisions.queries import load_revisions_of
from inforadar.store.stories.queries import (
    StoryCursor,
    StoryFilter,
    StoryItem,
    StoryRow,
    list_stories,
    load_story,
    load_story_events,
    load_story_items,
    load_title_changes,
)
from inforadar.urls import uid
from inforadar.views.brief import Brief, brief_story_document, make_brief
from inforadar.views.revisions import is_minor, summary_text
from inforadar.views.stories import ShownStory, StoryView, show_story, view_story

LISTED_TEXT_CHARS = 2_000
"""How much of a text is read for a list, which shows only how it begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryPage:
    stories: tuple[ShownStory, ...]
    next: str | None
    """The cursor of the next page; None on the last one."""


async def load_story_page(database: Database, wanted: StoryFilter) -> StoryPage:
    """Load a page of the stories that may be shown."""
    rows = await database.read(list_stories, wanted)
    items = await database.read(load_story_items, [row.id for row in rows], text_chars=LISTED_TEXT_CHARS)
    shown = (show_story(row, items[row.id]) for row in rows)
    return StoryPage(
        stories=tuple(
            story for story in shown if story is not None and len(story.sources) >= wanted.min_sources
        ),
        next=_cursor_text(rows[-1]) if len(rows) == wanted.limit else None,
    )


def _cursor_text(row: StoryRow) -> str:
    return f"{row.last_at.isoformat()}~{row.id}~{row.sources}~{row.items}"


def parse_story_cursor(text: str | None) -> StoryCursor | None:
    """Read the `next` of a former page."""
    if text is None:
        return None
    try:
        at, story, sources, items = text.split("~")
        # A plus sign in an address is a space.
        moment = datetime.fromisoformat(at.replace(" ", "+"))
        cursor = StoryCursor(
            last_at=moment, id=StoryId(UUID(story)), sources=int(sources[:9]), items=int(items[:9])
        )
    except ValueError:
        raise UsageError("cursor must be the `next` of a former answer.") from None
    if moment.tzinfo is None:
        raise UsageError("cursor must be the `next` of a former answer.")
    return cursor


async def load_shown_stories(database: Database, wanted: StoryFilter) -> tuple[ShownStory, ...]:
    """List stories that may be shown, newest first."""
    return (await load_story_page(database, wanted)).stories


def show_told(told: Told) -> dict[ItemId, ShownStory]:
    """The stories of a list's items that have more articles which the person sees."""
    shown = {}
    for row in told.stories:
        seen = told.items[row.id]
        if len(seen) > 1 and (story := show_story(row, seen)) is not None:
            shown[row.id] = story
    return {item_id: shown[story_id] for item_id, story_id in told.by_item.items() if story_id in shown}


async def load_story_view(database: Database, story: StoryId) -> StoryView:
    """Load a story in full, or the one that it was merged into."""
    row = await database.read(load_story, story)
    items = (await database.read(load_story_items, [row.id]))[row.id]
    changes = await database.read(load_title_changes, [item.item_id for item in items])
    events = await database.read(load_story_events, row.id)
    texts = await _load_text_changes(database, items)
    view = view_story(row, items, changes, events, texts)
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


async def describe_story(database: Database, story_id: StoryId, now: datetime) -> dict[str, Any] | None:
    """A story as digests tell it; None if none of its items may be shown any more."""
    items = (await database.read(load_story_items, [story_id])).get(story_id, [])
    if not items:
        return None
    row = await database.read(load_story, story_id)
    story = show_story(row, items)
    if story is None:
        return None
    return brief_story_document(make_brief([(story, items)], row.began_at, now).stories[0])


async def _load_text_changes(
    database: Database, items: Sequence[StoryItem]
) -> list[tuple[ItemId, datetime, str]]:
    """The revisions of a story's articles that are more than typos."""
    by_uid = {uid(item.url): item.item_id for item in items if not shares_its_page(item.url)}
    found = await database.read(load_revisions_of, by_uid)
    return [
        (by_uid[key], stored.at, summary_text(stored))
        for key, own in found.items()
        for stored in own
        if not is_minor(stored)
    ]
