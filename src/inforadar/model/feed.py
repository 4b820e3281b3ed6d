"""Feeds: the sources that are fetched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import StrEnum

import msgspec

from inforadar.model.feed_options import NO_OPTIONS, FeedOptions
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.hints import NO_HINTS, ScheduleHints
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import FeedId
from inforadar.model.rhythm import Polling, PollReason
from inforadar.model.zone import zone_named


class FeedKind(StrEnum):
    FEED = "feed"
    """RSS, Atom or JSON Feed."""
    SITEMAP = "sitemap"
    PAGES = "pages"
    """A paged site, newest first."""

    @property
    def is_walked(self) -> bool:
        """Collecting it takes many documents, one after the other, at the polite pace."""
        return self in {FeedKind.SITEMAP, FeedKind.PAGES}


class ErrorPolicy(StrEnum):
    BACKOFF = "backoff"
    ONE_STRIKE = "one-strike"


class Moving(msgspec.Struct, frozen=True, kw_only=True):
    """A permanent redirect that the server announced, but not often enough yet to believe it (ruling 17)."""

    url: str
    times: int
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """A feed with its schedule, as loaded from the database."""

    id: FeedId
    url: str
    kind: FeedKind | None
    """None until it is detected at the first fetch."""
    source: str
    topic: str
    root_domain: str | None
    enabled: bool
    polling: bool
    enforce_feed_domain: bool
    created_at: datetime
    deleted_at: datetime | None = None
    title: str | None = None
    site_url: str | None = None
    description: str | None = None
    language: str | None = None
    icon: str | None = None
    """The address of the feed's own image."""
    origin: str | None = None
    """`sample` for the feeds of the sample, else None."""
    validators: Validators = Validators()
    last_fetch_status: Outcome | None = None
    last_fetched_at: datetime | None = None
    error_policy: ErrorPolicy | None = None
    """None means the global setting."""
    duplicate_of: FeedId | None = None
    """The other feed that has the URL to which this one moved."""
    options: FeedOptions = NO_OPTIONS
    next_run_at: datetime | None = None
    requested_at: datetime | None = None
    locked_until: datetime | None = None
    last_error: str | None = None
    failures: int = 0
    """Failed fetches since the last success; the backoff grows with them."""
    walked_at: datetime | None = None
    """When a walk of its pages was last completed."""
    warnings: tuple[FeedWarning, ...] = ()
    """About the last document that was read."""
    hints: ScheduleHints = NO_HINTS
    """How often that document asks to be fetched."""
    read_at: datetime | None = None
    """When its whole document was last sent; a 304 sends none."""
    body_digest: str | None = None
    """A hash of that document."""
    body_changed_at: datetime | None = None
    """When that document first differed from the one before."""
    moving: Moving | None = None
    reason: PollReason | None = None
    """Why it runs next at `next_run_at`."""
    polling_plan: Polling | None = None
    """None if it is polled at the fixed interval."""

    @property
    def loses_entries(self) -> bool:
        return any(warning.is_loss for warning in self.warnings)

    @property
    def zone(self) -> tzinfo:
        """The zone of dates that do not name one."""
        return zone_named(self.zone_name)

    @property
    def zone_name(self) -> str:
        return self.options.timezone or "UTC"

    @property
    def asks_for_analysis(self) -> bool:
        """Whether the feed is served with analyzed items only. Other feeds show items at once, their analysis later."""
        options = self.options
        if options.analyze is False:
            return False
        return bool(options.analyze or options.analyzer or options.model or options.prompt)
