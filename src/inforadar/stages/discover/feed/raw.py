"""A feed as its document has it, in one form for every format, before anything is normalized.

RSS, Atom and JSON Feed readers all return this form, and the listing is made from it in one place. It keeps every
entry, including those without a link, which a listing leaves out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from inforadar.model.feed_warning import FeedWarning
from inforadar.model.hints import NO_HINTS, ScheduleHints
from inforadar.model.item import Enclosure


class RawEntry(NamedTuple):
    """One item or entry. Texts are as written, usually HTML; links are absolute where possible.

    A named tuple, because building one takes a quarter of the time of a frozen dataclass, and reading a feed is
    mostly building these.
    """

    id: str | None = None
    link: str | None = None
    title: str | None = None
    published: datetime | None = None
    updated: datetime | None = None
    summary: str | None = None
    content: str | None = None
    author: str | None = None
    tags: tuple[str, ...] = ()
    image: str | None = None
    enclosures: tuple[Enclosure, ...] = ()
    language: str | None = None
    comments: int | None = None
    views: int | None = None
    is_title_plain: bool = False
    """The title is declared as plain text, so a "<" in it is not markup."""
    authors: tuple[str, ...] = ()
    """All of them, the first of whom is `author`."""
    self_link: str | None = None
    """Where the entry itself is served: used if it has no link."""
    comments_url: str | None = None
    season: int | None = None
    episode: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFeed:
    """A feed and its entries, as written."""

    entries: tuple[RawEntry, ...]
    title: str | None = None
    link: str | None = None
    description: str | None = None
    language: str | None = None
    icon: str | None = None
    """A picture that stands for the feed."""
    hints: ScheduleHints = NO_HINTS
    warnings: tuple[FeedWarning, ...] = ()
    is_cut_off: bool = False
    """The document ends too early; an entry that it ends in is left out."""
    hubs: tuple[str, ...] = ()
    self_link: str | None = None
