"""Schedule and lease: when a feed is due, who works on it until when, and the result of that work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import msgspec

from inforadar.model.feed import Feed, FeedKind, Moving
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.hints import ScheduleHints
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import FeedId, LeaseToken, RunId
from inforadar.model.item import ItemChange, Listed, NewItem
from inforadar.model.push import HubLinks
from inforadar.model.rhythm import Delays, Polling, PollLimits, PollReason, Rhythm


class Lane(StrEnum):
    """Separate queues, so that feeds that take minutes never delay feeds that take a second."""

    FEEDS = "feeds"
    """Kind `feed`, and feeds whose kind is not known yet."""
    WALKS = "walks"
    """Kinds `pages` and `sitemap`: many documents, one after the other, at the polite pace."""


LANES = tuple(Lane)


def lane_of(kind: FeedKind | None) -> Lane:
    return Lane.WALKS if kind is not None and kind.is_walked else Lane.FEEDS


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
    """Seconds from now; None means not scheduled."""
    failures: int = 0
    error: str | None = None
    reason: PollReason | None = None
    limits: PollLimits | None = None
    """Set if the feed's rhythm decides within them, once the job's new items are known; `after_s` stands until then."""
    polling: Polling | None = None
    """The plan, if its rhythm decided."""


class PartState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state that a collector needs to continue after a part in another process; stored as JSON with the part.

    Keys of other versions are ignored. Kind `pages` sets the first four, kind `sitemap` the others.
    """

    url: str = ""
    """The URL of the page, after redirects."""
    items: tuple[Listed, ...] = ()
    """The page's items that the part does not list."""
    next_url: str | None = None
    is_next_guessed: bool = False
    site: str | None = None
    """The site's name in the state tables."""
    modified: dict[str, datetime] = {}
    """{URL: lastmod} of pages that changed and are published again."""
    failed: tuple[str, ...] = ()
    """URLs that could not be processed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingPart:
    """The items of one page or file of a long listing: committed separately, without touching the schedule (B6)."""

    lease: Lease
    run_id: RunId
    at: datetime
    listed: tuple[Listed, ...]
    """Items to compare with the stored ones and save; at most about a hundred, as a run stops between two parts."""
    state: PartState = PartState()
    position: int | None = None
    """Its position among the parts stored on disk; it is removed there when it is saved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """The end of a job whose feed turned out to belong to another lane: it is collected there, as due as it was."""

    lease: Lease
    run_id: RunId
    kind: FeedKind


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
    """None means keep the old ones."""
    moved_to: str | None = None
    kind: FeedKind | None = None
    """The kind detected from the content, if it was not known."""
    channel: Mapping[str, str] = field(default_factory=dict)
    """`title`, `site_url`, `description` and `language` of the document."""
    dropped: int = 0
    """Number of items on other hosts, dropped because of `enforce_feed_domain`."""
    warnings: tuple[FeedWarning, ...] | None = None
    """About entries left out; None means that no document was read, so the stored warnings stay."""
    hints: ScheduleHints | None = None
    """How often the document asks to be fetched; None means that no document was read, so the stored hints stay."""
    walked: bool = False
    """A walk was completed down to the feed's own cutoff: from now on scheduled walks may stop at the window."""
    spent_s: float = 0.0
    """Seconds until the response was complete."""
    digest: str | None = None
    """A hash of the document; None if none was read."""
    moving: Moving | None = None
    """A permanent redirect that is to be confirmed by further fetches."""
    hubs: HubLinks | None = None
    """The hubs that the document names; None means that no document was read, so a subscription stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The changes made by saving a job."""

    feed_id: FeedId
    added: tuple[NewItem, ...] = ()
    changed: tuple[ItemChange, ...] = ()
    duplicate_of: FeedId | None = None
    """The other feed that has the URL to which this one moved; the URL was not changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedRun:
    """A job's next run, once its new items are known."""

    next_run: NextRun
    rhythm: Rhythm | None
    """The feed's counts, if the job changed them."""
    delays: Delays


class Planner(Protocol):
    """Learns the rhythm of feeds and plans their next runs, while their jobs are saved."""

    def learn(
        self, feed: Feed, added: Sequence[NewItem], at: datetime, rhythm: Rhythm | None
    ) -> tuple[Rhythm | None, Delays]:
        """The counts with these new items, None if they did not change, and how late the items were seen."""
        ...

    def plan(self, job: FinishedJob, added: Sequence[NewItem], rhythm: Rhythm | None) -> PlannedRun: ...

    def relax(self, job: FinishedJob, wait_s: float) -> NextRun:
        """The job's next run, at this time if that is later: push tells what is new before."""
        ...

    def hasten(self, job: FinishedJob, wait_s: float) -> NextRun:
        """The job's next run, at this time if that is sooner and nothing asks for more."""
        ...
