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

from inforadar.model.analysis import score_label
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.hints import NO_HINTS, ScheduleHints
from inforadar.model.ids import FeedId, ItemId, RunId, UrlHash
from inforadar.model.metadata_fields import describe, dict_maker, json_value, traits
from inforadar.model.quick_init import quick_init

MAX_ENCLOSURES = 20
"""Files kept per entry. Real entries have one or a few; a gallery may have a dozen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosure:
    """A file that belongs to an entry: an episode, a video, a picture, a document."""

    url: str
    type: str | None = None
    """Its media type, as given."""
    length: int | None = None
    """In bytes, as given."""
    duration: int | None = None
    """In seconds."""
    title: str | None = None


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
    authors: tuple[str, ...] = field(default=(), metadata=_NOT_DIFFED)
    """All authors, if there are several; `author` is the first."""
    enclosures: tuple[Enclosure, ...] = field(default=(), metadata=_KNOWN_TO_ALL)
    comments_url: str | None = field(default=None, metadata=_NOT_DIFFED)
    """The page where readers discuss the item."""
    season: int | None = field(default=None, metadata=traits(is_diffed=False))
    episode: int | None = field(default=None, metadata=traits(is_diffed=False))

    @property
    def all_authors(self) -> tuple[str, ...]:
        """All authors; the one, if only one is known."""
        return self.authors or ((self.author,) if self.author else ())


METADATA_FIELDS = describe(Metadata)
DIFFED_FIELDS = tuple(one for one in METADATA_FIELDS if one.traits.is_diffed)
"""The fields that a fetch compares and updates on an existing item (A9), in the order of reports."""
COUNTERS = tuple(one.name for one in METADATA_FIELDS if one.traits.is_counter)

FieldValue = str | int | float | tuple[Any, ...]

metadata_of = dict_maker({one.name: f"it.{one.name}" for one in METADATA_FIELDS})
"""An item's metadata as keyword arguments for another item class."""
metadata_json = dict_maker({one.name: one.json_expression for one in METADATA_FIELDS}, json_value=json_value)
"""An item's metadata as a JSON object."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Metadata):
    """One entry of a listing, normalized."""

    url: str
    """The entry's page: absolute, normalized, without its fragment. Several entries can share one (ruling 1)."""
    fragment: str = ""
    """The fragment of the entry's link."""
    guid: str | None = None
    """The entry's own id."""
    repeats_id: bool = False
    """Another entry of the document has the same id, so that it says nothing."""
    published_at: datetime | None = None
    updated_at: datetime | None = None
    content: str | None = None
    """The listing's raw content, usually HTML; hostile until sanitized."""
    shares_page: bool = False
    """Another entry of the document has the same page."""
    has_link: bool = True
    """False: the entry has no link of its own, so `url` is the feed's site, and the content is all there is."""
    former_url: str | None = None
    """The URL by which versions before 0.2 knew such an entry: that of its file or its id."""

    @property
    def link(self) -> str:
        """The address people follow: the page with the entry's fragment."""
        return f"{self.url}#{self.fragment}" if self.fragment else self.url


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A parsed feed document: its own fields and its items."""

    items: tuple[Listed, ...]
    title: str | None = None
    link: str | None = None
    description: str | None = None
    language: str | None = None
    icon: str | None = None
    hints: ScheduleHints = NO_HINTS
    warnings: tuple[FeedWarning, ...] = ()
    is_cut_off: bool = False
    """The document ends too early: entries are missing that its next answer may have."""
    hubs: tuple[str, ...] = ()
    """Hubs that push the feed (WebSub)."""
    self_url: str | None = None
    """The feed's address as the document gives it, by which hubs know it."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class KnownItem:
    """The part of a stored item that the diff compares with."""

    id: ItemId
    hash: UrlHash
    url: str | None
    """None for a forgotten item: only its hash is left."""
    fields: Mapping[str, FieldValue | None]
    """By name, for each of DIFFED_FIELDS."""
    published_at: datetime
    """The date that the source gave, else when the item was first seen."""
    updated_at: datetime | None = None
    """When the source last changed the entry, as it says."""
    guid: str | None = None
    link: str | None = None
    """The entry's latest link, if it is not the URL."""
    forgotten: bool = False
    """Deleted by retention: it is not new and cannot change."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class NewItem:
    """A listed item that the feed does not have yet."""

    url: str
    """Unique in its feed, and never changed."""
    hash: UrlHash
    listed: Listed

    @property
    def has_article(self) -> bool:
        """Whether the page is the item's alone. Otherwise its text is the feed's, and the page is not fetched."""
        return self.listed.has_link and not self.listed.shares_page and self.url == self.listed.url


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """Fields of an existing item whose value changed."""

    id: ItemId
    url: str
    fields: Mapping[str, tuple[FieldValue | None, FieldValue]]
    """{field: (old, new)}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemUpkeep:
    """Values to write to an existing item that are not reported as a change."""

    id: ItemId
    columns: Mapping[str, Any]
    """{column: new value}: the entry's id, its latest link, the source's date of change, the content."""

    @property
    def is_shown(self) -> bool:
        """Whether feeds and pages show it."""
        return "link" in self.columns or "content" in self.columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """The difference between listed and known items: what to insert and what to update. Nothing is ever deleted."""

    added: tuple[NewItem, ...] = ()
    changed: tuple[ItemChange, ...] = ()
    upkeep: tuple[ItemUpkeep, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything that is shown differs."""
        return bool(self.added or self.changed or any(one.is_shown for one in self.upkeep))


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedLabel:
    """A feed by the names that lists show."""

    feed_id: FeedId
    source: str
    topic: str


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Item(Metadata):
    """A stored item as lists and reading views show it."""

    id: ItemId
    feed_id: FeedId
    url: str
    hash: UrlHash
    content: str
    """The listing's raw content; empty in lists that do not ask for it."""
    published_at: datetime
    created_at: datetime
    updated_at: datetime
    analyzer_result: Mapping[str, Any]
    analyzed_at: datetime | None = None
    run_id: RunId | None = None
    guid: str | None = None
    """The entry's own id in its feed."""
    link: str | None = None
    """The entry's latest link, if it is not the URL: this is what people follow."""
    dated_at: datetime | None = None
    """The date as the source gave it; None if it gave none."""
    revised_at: datetime | None = None
    """When the source says that it last changed the entry."""
    source: str = ""
    topic: str = ""
    score: float | None = None
    """The overall score; None if the item is not analyzed yet, or was not measured: see `score_word`."""
    is_shared: bool = False
    """Whether other feeds list the URL too, disabled ones included."""
    also_in: tuple[FeedLabel, ...] = ()
    """The other feeds that list the URL: lists show it once, with all of them."""

    @property
    def score_word(self) -> str | None:
        """The word for the score, or "not measured"; None if the item is not analyzed yet."""
        return None if self.score is None and self.analyzed_at is None else score_label(self.score)

    @property
    def all_sources(self) -> str:
        """The sources that list the URL."""
        if not self.also_in:
            return self.source
        return ", ".join(dict.fromkeys([self.source, *(one.source for one in self.also_in)]))

    @property
    def all_topics(self) -> str:
        """The topics that list the URL."""
        return ", ".join(dict.fromkeys([self.topic, *(one.topic for one in self.also_in)]))

    @property
    def address(self) -> str:
        """The address people follow."""
        return self.link or self.url


def shares_its_page(url: str) -> bool:
    """Whether an item is a part of a page. Its text is the feed's own, because the page is not the item's alone."""
    return "#" in url


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ItemText:
    """Where the full text of an item is found: in its article or in the feed's own content (`views/reading.py`)."""

    content: str = ""
    """The listing's raw content, hostile until sanitized."""
    html: str = ""
    """The article as clean HTML."""
    markdown: str = ""
    """The article as Markdown, if it has no HTML."""
    clean_text: str = ""
    """The article as plain text, if it has neither."""
    text_len: int = 0
    """The length of the article as plain text; 0 if there is none."""


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ServedItem(Metadata):
    """The part of a stored item that its feed is rendered from."""

    url: str
    hash: UrlHash
    link: str | None = None
    published_at: datetime
    revised_at: datetime | None = None
    analyzer_result: Mapping[str, Any]
    source: str
    topic: str
    text: ItemText | None = None
    """None if it was not asked for: it is by far the largest part."""
