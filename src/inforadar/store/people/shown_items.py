"""Items with all that a reader app shows of them: text, marks, the feed's name, other outlets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from inforadar.model.feed_options import parse_options
from inforadar.model.ids import FeedId
from inforadar.model.item import Item, ItemText
from inforadar.model.person import PersonId
from inforadar.store.people.marks import NO_MARKS, Marks, load_marks
from inforadar.store.people.streams import load_numbered_items
from inforadar.store.published.contents import load_item_texts
from inforadar.store.schema.feeds import feeds
from inforadar.store.stories.tellings import Telling, load_other_tellings
from inforadar.store.types import one_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedName:
    """Name and site of an item's feed."""

    name: str
    site_url: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownItem:
    item: Item
    text: ItemText | None
    marks: Marks
    feed: FeedName
    others: Sequence[Telling] = ()
    """What other outlets wrote about the same event."""


def load_shown_items(connection: Connection, person_id: PersonId, numbers: Sequence[int]) -> list[ShownItem]:
    """Load the items with these numbers that the person sees, in the order of the numbers."""
    if not numbers:
        return []
    items = load_numbered_items(connection, person_id, numbers)
    texts = load_item_texts(connection, items)
    marks = load_marks(connection, person_id, [item.hash for item in items])
    others = load_other_tellings(connection, person_id, [item.id for item in items])
    names = _load_feed_names(connection, {item.feed_id for item in items})
    return [
        ShownItem(
            item=item,
            text=texts.get(item.id),
            marks=marks.get(item.hash, NO_MARKS),
            feed=names[item.feed_id],
            others=others.get(item.id, ()),
        )
        for item in items
        if item.feed_id in names
    ]


def _load_feed_names(connection: Connection, feed_ids: Iterable[FeedId]) -> dict[FeedId, FeedName]:
    f = feeds.c
    query = select(f.id, f.options, f.title, f.source, f.url, f.site_url).where(one_of(f.id, feed_ids))
    return {
        id_: FeedName(
            # The person's title wins, as it does in the list of feeds.
            name=(parse_options(options).title if options else None) or title or source or url,
            site_url=site_url,
        )
        for id_, options, title, source, url, site_url in connection.execute(query)
    }
