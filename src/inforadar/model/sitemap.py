"""Sitemaps: their entries, and the state kept from run to run (seed 4).

`SitemapEntry` and `SitemapRef` are named tuples, not dataclasses: a sitemap has 50,000 of them, and a frozen
dataclass takes four times as long to make.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from typing import NamedTuple


class SitemapEntry(NamedTuple):
    """One page as a sitemap lists it. Texts are plain text and may be hostile."""

    url: str
    """Absolute, normalized."""
    lastmod: datetime | None = None
    title: str | None = None
    """From the news extension, or from the feed that is used as a sitemap."""
    published_at: datetime | None = None
    """The news extension's date."""
    language: str | None = None
    publication: str | None = None
    tags: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    alternates: tuple[tuple[str, str], ...] = ()
    """(hreflang, URL): the same page in other languages."""

    @property
    def date(self) -> datetime | None:
        """When the page was published if the sitemap says so, else when it was last changed."""
        return self.published_at or self.lastmod


class SitemapRef(NamedTuple):
    """A sitemap listed in an index."""

    url: str
    """Absolute, with all its parameters, because it is requested."""
    lastmod: datetime | None = None


class SitemapForm(StrEnum):
    URLSET = "urlset"
    INDEX = "index"
    FEED = "feed"
    """RSS or Atom used as a sitemap."""
    TEXT = "text"


class TitleOrigin(StrEnum):
    """Where an item's title comes from, in order of preference."""

    SITEMAP = "sitemap"
    PAGE = "page"
    SLUG = "slug"


class UrlState(IntEnum):
    """Values of `url_states.state`: the seed's numbers, because people read the table with SQLite tools (ruling 15)."""

    PENDING = 0
    PROCESSED = 1
    FAILED = 2


@dataclass(frozen=True, slots=True)
class SiteState:
    """The state of a site; `last_run` is when its sitemap was last fully processed."""

    site_name: str
    sitemap_url: str | None = None
    last_run: datetime | None = None


@dataclass(frozen=True, slots=True)
class IncrementalResult:
    """The URLs that a run found, by whether they have to be processed."""

    new_urls: Sequence[str] = ()
    """Never seen before, or with a lastmod that advanced."""
    pending_urls: Sequence[str] = ()
    """Seen before, but not processed yet; includes failed ones if they are retried."""
    skipped_urls: Sequence[str] = ()
    total_to_process: int | None = None
    """How many URLs are to be processed: by default the new and the pending ones."""
    modified_urls: Sequence[str] = ()
    """The `new_urls` that were known and now have a later lastmod."""

    def __post_init__(self) -> None:
        if self.total_to_process is None:
            object.__setattr__(self, "total_to_process", len(self.new_urls) + len(self.pending_urls))
