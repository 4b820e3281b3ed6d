"""The filters, search, marks and order of the list, shared with its title and the Fetch screen. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inforadar.model.ids import FeedId
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.order import SortKey
from inforadar.store.people.marks import Marks
from inforadar.tui.text import safe


class Show(StrEnum):
    """Filter by marks (A15)."""

    ALL = "all"
    """All items that are not archived."""
    UNREAD = "unread"
    STARRED = "starred"
    ARCHIVED = "archived"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFeed:
    """The only feed of the list."""

    id: FeedId
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    feed: ChosenFeed | None = None
    query: str | None = None
    show: Show = Show.ALL
    sort: SortKey = SortKey.DATE
    descending: bool = True

    @property
    def filter(self) -> ItemFilter:
        return ItemFilter(
            sources=self.sources,
            topics=self.topics,
            feed_id=self.feed.id if self.feed else None,
            query=self.query,
            unread=self.show is Show.UNREAD,
            starred=self.show is Show.STARRED,
            archived=self.show is Show.ARCHIVED,
        )

    def has(self, marks: Marks) -> bool:
        """Whether an item with these marks belongs to the list. What was read belongs until the list is loaded anew."""
        if self.show is Show.STARRED and marks.starred_at is None:
            return False
        return (marks.archived_at is not None) is (self.show is Show.ARCHIVED)

    @property
    def is_filtered(self) -> bool:
        return bool(self.sources or self.topics or self.feed)

    @property
    def filter_words(self) -> str:
        """`source: Habr, BBC · topic: python`, for the titles of the list and the Fetch screen."""
        feeds = (self.feed.name,) if self.feed else ()
        parts = (("feed", feeds), ("source", self.sources), ("topic", self.topics))
        return " · ".join(f"{name}: {', '.join(map(safe, values))}" for name, values in parts if values)

    @property
    def title_words(self) -> str:
        """The filters and the search words."""
        found = f"find: {safe(self.query)}" if self.query else ""
        return " · ".join(part for part in (self.filter_words, found) if part)

    @property
    def order_words(self) -> str:
        """`by date ↓ · unread`."""
        order = f"by {self.sort.value} {'↓' if self.descending else '↑'}"
        return order if self.show is Show.ALL else f"{order} · {self.show.value}"
