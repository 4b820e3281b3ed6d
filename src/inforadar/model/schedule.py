"""Schedule and lease: when a feed is due, who works on it until when, and what that work came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import msgspec

from inforadar.model.feed import Feed, FeedKind
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import FeedId, LeaseToken, RunId
from inforadar.model.item import ItemChange, Listed, NewItem


class Lane(StrEnum):
    """Who queues with whom: what may take many minutes never holds up what takes a second."""

    FEEDS = "feeds"
    """Kind `feed`, and feeds whose kind is not known yet."""
    WALKS = "walks"
    """Kinds `pages` and `sitemap`: one document after the other, at the polite pace."""


LANES = tuple(Lane)


def lane_of(kind: FeedKind | None) -> Lane:
    return Lane.WALKS if kind in {FeedKind.PAGES, FeedKind.SITEMAP} else Lane.FEEDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on a feed until `locked_until`; `token` fences the commit."""

    feed: Feed
    token: LeaseToken
    claimed_at: datetime
    locked_until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRun:
    """When a feed runs again, decided at the end of a job."""

    after_s: float | None
    """Seconds from now; None: out of the schedule."""
    failures: int = 0
    error: str | None = None


class PartState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a collector needs to go on after a part in another process; stored as JSON with the part.

    Keys of other versions are ignored. Kind `pages` sets the first four, kind `sitemap` the others.
    """

    url: str = ""
    """Where the page was, after redirects."""
    items: tuple[Listed, ...] = ()
    """The page's items that the part does not list."""
    next_url: str | None = None
    is_next_guessed: bool = False
    site: str | None = None
    """The name, in the state tables, of the site whose URLs the part's items are."""
    modified: dict[str, datetime] = {}
    """{URL: lastmod} of pages that changed and are published once more."""
    failed: tuple[str, ...] = ()
    """URLs that could not be processed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingPart:
    """What one page, or one file, of a long listing brings: committed by itself, schedule untouched (B6)."""

    lease: Lease
    run_id: RunId
    at: datetime
    listed: tuple[Listed, ...]
    """To be compared with what is stored, and saved. At most some hundred: a run stops between two parts."""
    state: PartState = PartState()
    position: int | None = None
    """Where it was kept on disk until now; it leaves there as it is saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedJob:
    """One finished job of a feed, to be saved all or nothing (B6)."""

    lease: Lease
    run_id: RunId
    at: datetime
    outcome: Outcome
    next_run: NextRun
    listed: tuple[Listed, ...] = ()
    validators: Validators | None = None
    """None: keep the old ones."""
    moved_to: str | None = None
    kind: FeedKind | None = None
    """What the content showed the feed to be, if that was not known."""
    channel: Mapping[str, str] = field(default_factory=dict)
    """title, site_url, description, language as the document gives them."""
    dropped: int = 0
    """Items of another host, left out by `enforce_feed_domain`."""
    walked: bool = False
    """A walk came to its end, as deep as the feed's own cutoff: from now on polling may stop at the window."""
    dated_in: str | None = None
    """The time zone that all of the listing was read in; None: it was not read, or not all of it at once."""
    spent_s: float = 0.0
    """How long the answer took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What saving a job changed."""

    feed_id: FeedId
    added: tuple[NewItem, ...] = ()
    changed: tuple[ItemChange, ...] = ()
    duplicate_of: FeedId | None = None
    """The feed moved to a URL that this other feed has; nothing was changed about the URL."""
