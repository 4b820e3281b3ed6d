"""Items: one URL as one feed lists it.

`Metadata` has the fields that a listing gives for an item; everything that stores, compares, publishes or shows them is
derived from it (`docs/howto/add-an-item-field.md`). `Listed` is an entry as a collector read it, `KnownItem` the part
of the stored row that the diff needs, `Item` the whole row, and `ServedItem` the part of it that feeds show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from inforadar.model.ids import FeedId, ItemId, RunId, UrlHash
from inforadar.model.metadata_fields import describe, dict_maker, json_value, traits

_KNOWN_TO_ALL = traits(has_place=True, has_element=True)
_NOT_DIFFED = traits(has_place=True, has_element=True, is_diffed=False)
_COUNTER = traits(is_counter=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The fields that a listing gives for an item, as the source wrote them. Absent is None; "0" and 0 are values.

    The order is that of columns, of JSON documents and of the changes in reports.
    """

    title: str | None = field(default=None, metadata=_KNOWN_TO_ALL)
    author: str | None = field(default=None, metadata=_KNOWN_TO_ALL)
    snippet: str | None = field(default=None, metadata=_KNOWN_TO_ALL)
    """Plain text of the summary, white space folded, cut at 1,000 characters."""
    tags: tuple[str, ...] = field(default=(), metadata=_KNOWN_TO_ALL)
    image: str | None = field(default=None, metadata=_NOT_DIFFED)
    language: str | None = field(default=None, metadata=_NOT_DIFFED)
    views: int | None = field(default=None, metadata=_COUNTER)
    comments: int | None = field(default=None, metadata=_COUNTER)
    rating: float | None = field(default=None, metadata=_COUNTER)
    bookmarks: int | None = field(default=None, metadata=_COUNTER)


METADATA_FIELDS = describe(Metadata)
DIFFED_FIELDS = tuple(one for one in METADATA_FIELDS if one.traits.is_diffed)
"""The fields that a fetch compares and updates on an existing item (A9), in the order of reports."""
COUNTERS = tuple(one.name for one in METADATA_FIELDS if one.traits.is_counter)

FieldValue = str | int | float | tuple[Any, ...]

metadata_of = dict_maker({one.name: f"it.{one.name}" for one in METADATA_FIELDS})
"""An item's metadata as keyword arguments for another item class."""
metadata_json = dict_maker({one.name: one.json_expression for one in METADATA_FIELDS}, json_value=json_value)
"""An item's metadata as a JSON object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Metadata):
    """One entry of a listing, normalized."""

    url: str
    """Absolute, normalized."""
    guid: str | None = None
    published_at: datetime | None = None
    updated_at: datetime | None = None
    content: str | None = None
    """The listing's raw content, usually HTML; hostile until sanitized."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleHints:
    """How often a feed asks to be fetched; this can only lengthen the interval (P8)."""

    ttl_s: int | None = None
    skip_hours: frozenset[int] = frozenset()
    """Hours of the day in UTC, 0 to 23."""
    skip_days: frozenset[int] = frozenset()
    """Days of the week, Monday = 0."""
    update_period_s: int | None = None
    """From sy:updatePeriod and sy:updateFrequency."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A parsed feed document: its own fields and its items."""

    items: tuple[Listed, ...]
    title: str | None = None
    link: str | None = None
    description: str | None = None
    language: str | None = None
    hints: ScheduleHints = ScheduleHints()
    warnings: tuple[str, ...] = ()
    """Sentences about what was wrong with the document and how it was handled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownItem:
    """The part of a stored item that the diff compares with."""

    id: ItemId
    hash: UrlHash
    fields: Mapping[str, FieldValue | None]
    """By name, for each of DIFFED_FIELDS."""
    forgotten: bool = False
    """Deleted by retention: it is not new and cannot change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """A listed item that the feed does not have yet."""

    hash: UrlHash
    listed: Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """Fields of an existing item whose value changed."""

    id: ItemId
    url: str
    fields: Mapping[str, tuple[FieldValue | None, FieldValue]]
    """{field: (old, new)}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The difference between listed and known items: what to insert and what to update. Nothing is ever deleted."""

    added: tuple[NewItem, ...] = ()
    changed: tuple[ItemChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Metadata):
    """A stored item as lists and reading views show it."""

    id: ItemId
    feed_id: FeedId
    url: str
    hash: UrlHash
    content: str
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
class ServedItem(Metadata):
    """The part of a stored item that its feed is rendered from: all but the content, which is by far the largest."""

    url: str
    hash: UrlHash
    published_at: datetime
    analyzer_result: Mapping[str, Any]
    source: str
    topic: str
