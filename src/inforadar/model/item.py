"""Items: one URL as one feed lists it.

`Listed` is what a collector read, `KnownItem` what the database has of it, `Item` the whole row, `ServedItem`
as much of it as feeds show.
In `Listed` an absent value is `None`; "0" and 0 are values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inforadar.model.ids import FeedId, ItemId, RunId, UrlHash

METADATA_FIELDS = ("title", "author", "snippet", "tags", "views", "comments", "rating", "bookmarks")
"""What a fetch compares and updates on an existing item (A9), in the order reports show it."""

FieldValue = str | int | float | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One entry of a listing, normalized."""

    url: str
    """Absolute, normalized."""
    guid: str | None = None
    title: str | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    author: str | None = None
    snippet: str | None = None
    """Plain text of the summary, white space folded, cut at 1,000 characters."""
    content: str | None = None
    """The listing's raw content, usually HTML; hostile until sanitized."""
    tags: tuple[str, ...] = ()
    image: str | None = None
    language: str | None = None
    views: int | None = None
    comments: int | None = None
    rating: float | None = None
    bookmarks: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleHints:
    """What a feed says about how often to ask; it can only lengthen the interval (P8)."""

    ttl_s: int | None = None
    skip_hours: frozenset[int] = frozenset()
    """Hours of the day in UTC, 0 to 23."""
    skip_days: frozenset[int] = frozenset()
    """Days of the week, Monday = 0."""
    update_period_s: int | None = None
    """From sy:updatePeriod and sy:updateFrequency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a feed document says of itself and its items."""

    items: tuple[Listed, ...]
    title: str | None = None
    link: str | None = None
    description: str | None = None
    language: str | None = None
    hints: ScheduleHints = ScheduleHints()
    warnings: tuple[str, ...] = ()
    """Sentences: what was wrong with the document and what was done about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownItem:
    """The part of a stored item that the diff compares with."""

    id: ItemId
    hash: UrlHash
    published_at: datetime
    fields: Mapping[str, FieldValue | None]
    """By name, for each of METADATA_FIELDS."""
    forgotten: bool = False
    """Retention deleted it: it is neither new nor can it change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """A listed item that this feed did not have."""

    hash: UrlHash
    listed: Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """Fields of an existing item that now have another value."""

    id: ItemId
    url: str
    fields: Mapping[str, tuple[FieldValue | None, FieldValue]]
    """{field: (old, new)}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Listed against known: what to insert and what to update. Nothing is ever deleted."""

    added: tuple[NewItem, ...] = ()
    changed: tuple[ItemChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A stored item as lists and reading views show it."""

    id: ItemId
    feed_id: FeedId
    url: str
    hash: UrlHash
    title: str | None
    author: str | None
    snippet: str | None
    content: str
    tags: tuple[str, ...]
    image: str | None
    language: str | None
    views: int | None
    comments: int | None
    rating: float | None
    bookmarks: int | None
    published_at: datetime
    created_at: datetime
    updated_at: datetime
    analyzer_result: Mapping[str, Any] = field(default_factory=dict)
    analyzed_at: datetime | None = None
    run_id: RunId | None = None
    source: str = ""
    topic: str = ""
    score: float | None = None
    """The overall framing score, if analyzed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedItem:
    """The part of a stored item that its feed is rendered from: without its content, the longest part by far."""

    url: str
    hash: UrlHash
    published_at: datetime
    title: str | None
    snippet: str | None
    author: str | None
    tags: tuple[str, ...]
    image: str | None
    language: str | None
    analyzer_result: Mapping[str, Any]
    views: int | None
    comments: int | None
    rating: float | None
    bookmarks: int | None
    source: str
    topic: str
