"""A feed as its document tells it, whatever the format, before anything is judged or normalized.

RSS, Atom and JSON Feed all end in this form; the listing is made from it in one place. It keeps every
entry, also those without a link that a listing has no use for.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from inforadar.model.item import ScheduleHints

NO_HINTS = ScheduleHints()


class RawEntry(NamedTuple):
    """One item or entry. Texts are as written, usually HTML; links are absolute where they could be made so.

    A named tuple, because it is built in a quarter of the time of a frozen dataclass, and reading a feed is
    little else than building these.
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
    enclosure: str | None = None
    """The first attached file's URL."""
    language: str | None = None
    comments: int | None = None
    views: int | None = None
    is_title_plain: bool = False
    """The title was said to be plain text, so a "<" in it is just that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFeed:
    entries: tuple[RawEntry, ...]
    title: str | None = None
    link: str | None = None
    description: str | None = None
    language: str | None = None
    hints: ScheduleHints = NO_HINTS
    warnings: tuple[str, ...] = ()
    """Sentences: what was wrong with the document and what was done about it."""
