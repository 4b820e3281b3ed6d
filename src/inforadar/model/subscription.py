"""Adding and editing feeds: the request, the feeds that discovery found, and the result."""

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
"""If no worker reacts to a request, the feed is due by its schedule after this time (B3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFeed:
    """A feed found on a site."""

    url: str
    kind: FeedKind
    how: str
    """Where it was found: "the address itself", "named by the page"."""
    listing: Listing | None = None
    """Its content, if discovery fetched it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of importing a list of feeds."""

    added: tuple[Feed, ...]
    known: tuple[Feed, ...]
    skipped: tuple[tuple[str, str], ...]
    """(what, why)."""
    twins: tuple[tuple[str, Feed], ...] = ()
    """(URL in the list, the feed that is already followed under another form of it); these feeds are also `known`."""
    is_cut_off: bool = False
    """The list ends too early: feeds may be missing."""

    @property
    def warning(self) -> str | None:
        """The sentence to show if feeds may be missing."""
        if not self.is_cut_off:
            return None
        return "The file was cut off: feeds after that are missing. Export it again and import it once more."


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFeed:
    """A feed to add, as a person described it. None means not given."""

    url: str
    """A user and password in it become credentials."""
    kind: FeedKind | None = None
    source: str | None = None
    topic: str | None = None
    title: str | None = None
    """It stays, whatever the document calls itself."""
    site_url: str | None = None
    options: FeedOptions = NO_OPTIONS
    any_host: bool | None = None
    """Whether items on other hosts are kept; None means as in the `Start`."""
    root_domain: bool | None = None
    """Whether it is grouped by its domain; None means yes, but a revived feed keeps its own."""
    origin: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How an added feed starts, which differs between the faces."""

    enabled: bool = False
    polling: bool | None = None
    """None means no, but a revived feed keeps its own value."""
    any_host: bool = False
    """Whether a new feed keeps items on other hosts, unless the person says otherwise (C3)."""
    fetch_within_s: float | None = None
    """Request a fetch now, and schedule one after this time; None means neither."""


REGISTERED = Start()
"""On the command line: nothing is fetched until the feed is enabled and synced."""
LIVE = Start(enabled=True, polling=True, any_host=True, fetch_within_s=FALLBACK_S)
"""On the page, in the terminal, over the API and from OPML: enabled, polling, fetched now, items from any host (B3)."""
EMBEDDED = Start(enabled=True, polling=True, fetch_within_s=FALLBACK_S)
"""From Python: like `LIVE`, but only with items on the feed's own host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribed:
    """An added feed."""

    feed: Feed
    is_new: bool
    """True if it was added or revived, False if it already existed and nothing was changed."""
    url: str
    """The URL it was asked for by, without credentials."""
    is_twin: bool = False
    """It is followed under another form of the URL: http or https, with or without a slash at the end."""
    kept_credentials: bool | None = None
    """Whether the credentials in its URL were stored; None if there were none, or nothing was changed."""


class FeedChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of an edit; whatever is not set stays as it is."""

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
    """Credentials, added to the stored ones."""
    forget_credentials: bool = False
    """Delete the stored credentials first."""

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the feed that are set."""
        given = {name: getattr(self, name) for name in _COLUMNS}
        return {name: value for name, value in given.items() if value is not msgspec.UNSET}

    @property
    def is_switch(self) -> bool:
        """Whether only switches and the grouping change; such an edit does not trigger a fetch."""
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
    """The new URL of an edited feed, with what follows from the URL alone."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    """The credentials contained in the URL."""
    kind: FeedKind | None = None
    """`pages` if there is a reader for the site; None if it is detected at the next fetch."""
    cutoff_date: date | None = None
    """The cutoff if the feed becomes one of kind `pages`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A feed after an edit."""

    feed: Feed
    former_url: str | None = None
    """The URL it had before, if the edit changed it."""
    dropped_credentials: bool = False
    """Its credentials were deleted, because they belong to the origin of the former URL."""
