"""Finding the next unread article of a list, and the next feed that has one."""

from __future__ import annotations

from collections.abc import Sequence

from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.model.person import PersonId
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.order import load_sorted_items
from inforadar.store.people.marks import NO_MARKS, load_marks
from inforadar.store.people.unread import load_unread_feeds
from inforadar.tui.list.view import ChosenFeed, View

CHUNK = 500
MAX_CHUNKS = 20
"""How far the search goes: ten thousand articles."""


async def find_unread(database: Database, view: View, wanted: ItemFilter, start: int) -> int | None:
    """Return the place in the list of the first unread article from `start` on; None if there is none."""
    for number in range(MAX_CHUNKS):
        offset = start + number * CHUNK
        items = await database.read(
            load_sorted_items, wanted, view.sort, descending=view.descending, limit=CHUNK, offset=offset
        )
        marks = await database.read(load_marks, wanted.person_id, [item.hash for item in items])
        for place, item in enumerate(items, offset):
            if marks.get(item.hash, NO_MARKS).read_at is None:
                return place
        if len(items) < CHUNK:
            return None
    return None


async def next_unread_feed(database: Database, person_id: PersonId, now: FeedId) -> ChosenFeed | None:
    """Return the next feed after this one, by name, that has unread articles."""
    unread = {one.feed_id for one in await database.read(load_unread_feeds, person_id) if one.unread}
    feeds = sorted(await database.read(load_feeds, only_enabled=True), key=_name)
    found = next((feed for feed in _after(feeds, now) if feed.id in unread), None)
    return ChosenFeed(id=found.id, name=_name(found)) if found else None


def _name(feed: Feed) -> str:
    return feed.options.title or feed.title or feed.source


def _after(feeds: Sequence[Feed], now: FeedId) -> list[Feed]:
    """The feeds after this one, then those before it."""
    at = next((place for place, feed in enumerate(feeds) if feed.id == now), -1)
    return [*feeds[at + 1 :], *feeds[: max(at, 0)]]
