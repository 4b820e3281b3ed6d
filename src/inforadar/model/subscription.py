"""Adding and editing feeds: what a person asks for, what discovery found on a site, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import msgspec

from inforadar.model.feed import ErrorPolicy, Feed, FeedKind
from inforadar.model.feed_options import NO_OPTIONS, FeedOptions
from inforadar.model.item import Listing

FALLBACK_S = 300.0
"""If no worker hears a request, the schedule takes the feed after this time, in seconds (B3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFeed:
    """A feed that a site has."""

    url: str
    kind: FeedKind
    how: str
    """Where it was found: "the address itself", "named by the page"."""
    listing: Listing | None = None
    """What it lists, if it was fetched to find it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What became of a list of feeds."""

    added: tuple[Feed, ...]
    known: tuple[Feed, ...]
    skipped: tuple[tuple[str, str], ...]
    """(what, why)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFeed:
    """A feed to add, as a person described it. None: not named."""

    url: str
    """A user and password in it become credentials."""
    kind: FeedKind | None = None
    source: str | None = None
    topic: str | None = None
    title: str | None = None
    options: FeedOptions = NO_OPTIONS
    any_host: bool | None = None
    """Whether items on other hosts are kept; None: as the `Start` says."""
    root_domain: bool | None = None
    """Whether it is grouped by its domain; None: yes, and a revived feed keeps its own."""
    origin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How an added feed begins, which differs between the faces."""

    enabled: bool = False
    polling: bool | None = None
    """None: no, and a revived feed keeps its own."""
    any_host: bool = False
    """Whether a new feed keeps items on other hosts, unless it is named (C3)."""
    fetch_within_s: float | None = None
    """Ask for a fetch now, and schedule one after this time; None: neither."""


REGISTERED = Start()
"""On the command line: nothing is fetched until it is enabled and synced."""
LIVE = Start(enabled=True, polling=True, any_host=True, fetch_within_s=FALLBACK_S)
"""On the page, in the terminal, over the API and from OPML: enabled, polling, fetched now, items from any host (B3)."""
EMBEDDED = Start(enabled=True, polling=True, fetch_within_s=FALLBACK_S)
"""From Python: as `LIVE`, with items of the feed's own host only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribed:
    """An added feed."""

    feed: Feed
    is_new: bool
    """Or revived. False: it existed, and nothing was changed."""
    kept_credentials: bool | None = None
    """Whether the credentials of its URL were stored; None: there were none, or nothing was changed."""


class FeedChanges(msgspec.Struct, frozen=True, kw_only=True):
    """What an edit of a feed changes; whatever is not named stays."""

    url: str | None = None
    """A user and password in it become credentials."""
    kind: FeedKind | msgspec.UnsetType = msgspec.UNSET
    source: str | msgspec.UnsetType = msgspec.UNSET
    topic: str | msgspec.UnsetType = msgspec.UNSET
    root_domain: str | msgspec.UnsetType | None = msgspec.UNSET
    enforce_feed_domain: bool | msgspec.UnsetType = msgspec.UNSET
    error_policy: ErrorPolicy | msgspec.UnsetType | None = msgspec.UNSET
    enabled: bool | msgspec.UnsetType = msgspec.UNSET
    polling: bool | msgspec.UnsetType = msgspec.UNSET
    options: Mapping[str, Any] = {}
    """Fields of `FeedOptions`; None removes one."""
    headers: Mapping[str, str] = {}
    """Credentials, added to those that are stored."""
    forget_credentials: bool = False
    """Delete the stored credentials first."""

    @property
    def columns(self) -> dict[str, Any]:
        """The named columns of the feed."""
        given = {name: getattr(self, name) for name in _COLUMNS}
        return {name: value for name, value in given.items() if value is not msgspec.UNSET}

    @property
    def is_switch(self) -> bool:
        """Whether only switches and the grouping change: then the feed is not fetched because of it."""
        return not (
            self.url is not None
            or self.options
            or self.headers
            or self.forget_credentials
            or self.columns.keys() - {"enabled", "polling", "root_domain"}
        )

    def __bool__(self) -> bool:
        return bool(self.columns) or not self.is_switch


_COLUMNS = (
    "kind",
    "source",
    "topic",
    "root_domain",
    "enforce_feed_domain",
    "error_policy",
    "enabled",
    "polling",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUrl:
    """The URL that an edit gives a feed, with what the URL alone says."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """The credentials that it was given with."""
    kind: FeedKind | None = None
    """`pages` where there is a reader for the site; None: to be detected at the next fetch."""
    cutoff_date: date | None = None
    """For a feed that becomes one of kind `pages`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A feed after an edit."""

    feed: Feed
    former_url: str | None = None
    """The URL it had before, if the edit changed it."""
    dropped_credentials: bool = False
    """Its credentials were deleted, because they belong to the origin of the former URL."""
