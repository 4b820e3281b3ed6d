"""Jobs: one feed to be collected, and the interface that the collectors of all kinds share.

    Job ──► Collector.collect ──► ListingPart, ListingPart, …, FinishedJob

The collector of each kind asks the site and reads what it lists (A6). Kind `feed` is one document and yields one
`FinishedJob`, saved all or nothing. `pages` and `sitemap` yield part after part, and their `FinishedJob` has only the
outcome and the schedule (B6). The worker saves each part as it arrives; the fetch command first stores them all.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from inforadar.model.feed import Feed
from inforadar.model.ids import RunId
from inforadar.model.schedule import FinishedJob, Handover, Lease, ListingPart
from inforadar.pipeline.runs.progress import FeedProgress
from inforadar.stages.discover.pages.walk import Depth
from inforadar.urls import keeps_credentials


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkLimits:
    """Limits of a walk that override those of the feed and the settings."""

    cutoff: date | None = None
    window_days: int | None = None
    depth: Depth | None = None
    """None: `window` once a walk of the feed has ended, else `cutoff`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One feed to be collected. The caller holds its lease and the first turn of its host."""

    lease: Lease
    run_id: RunId
    progress: FeedProgress
    headers: Mapping[str, str] = field(default_factory=dict)
    """The feed's credentials: request headers, stored apart from the feed."""
    limits: WalkLimits = WalkLimits()
    may_walk: bool = True
    """False: the lane is for feeds alone. A feed whose content turns out to need a walk is handed over."""
    found: tuple[ListingPart, ...] = ()
    """Parts that an interrupted run already found: they are neither fetched nor yielded again."""

    @property
    def feed(self) -> Feed:
        return self.lease.feed

    def headers_for(self, url: str) -> Mapping[str, str]:
        """The credentials if they may be sent to `url`: a site's next page or file may be on another host."""
        return self.headers if keeps_credentials(self.feed.url, url) else {}


class Collector(Protocol):
    """Collects feeds of one kind."""

    def collect(self, job: Job) -> AsyncGenerator[ListingPart | FinishedJob | Handover, None]:
        """Yield the parts of the listing, if there are any, then the `FinishedJob`. Raises only `StoreError`.

        Yields only a `Handover` if the feed has to be walked and the job may not do that.
        """
        ...
