"""Jobs: one feed to be collected, and what every kind of feed has in common for whoever drives it.

    Job ──► Collector.collect ──► ListingPart, ListingPart, …, FinishedJob

A collector of each kind asks the site and reads what it lists (A6). Kind `feed` is one document and comes as one
`FinishedJob`, saved all or nothing. `pages` and `sitemap` come part by part, and their `FinishedJob` is only the end:
outcome and schedule (B6). The worker saves each part as it comes; the fetch command first keeps them all.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol

from inforadar.model.feed import Feed
from inforadar.model.ids import RunId
from inforadar.model.schedule import FinishedJob, Lease, ListingPart
from inforadar.pipeline.runs.progress import FeedProgress
from inforadar.stages.discover.pages.walk import Depth
from inforadar.urls import keeps_credentials


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkLimits:
    """How far a walk goes, where that is not what feed and settings say."""

    cutoff: date | None = None
    window_days: int | None = None
    depth: Depth | None = None
    """None: `window` once a walk of the feed has ended, else `cutoff`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One feed to be collected; the caller holds its lease and the first turn of its host."""

    lease: Lease
    run_id: RunId
    progress: FeedProgress
    headers: Mapping[str, str] = field(default_factory=dict)
    """Its credentials: request headers that the feed needs, stored apart from it."""
    limits: WalkLimits = WalkLimits()
    found: tuple[ListingPart, ...] = ()
    """What another run found of it before it was cut short: not to be asked for again, and not given out again."""

    @property
    def feed(self) -> Feed:
        return self.lease.feed

    def headers_for(self, url: str) -> Mapping[str, str]:
        """Its credentials, if they may be sent to `url`: what a site names as its next page or file may be anywhere."""
        return self.headers if keeps_credentials(self.feed.url, url) else {}


class Collector(Protocol):
    """How feeds of one kind are collected."""

    def collect(self, job: Job) -> AsyncGenerator[ListingPart | FinishedJob, None]:
        """The parts of the listing, if it has any, then how it ended. `StoreError` is all that it raises."""
        ...
