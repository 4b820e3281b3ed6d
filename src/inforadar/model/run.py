"""Runs and reports: one pass over a set of feeds, and its results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from inforadar.model.ids import RunId
from inforadar.model.progress import ProgressKind


class RunKind(StrEnum):
    FETCH = "fetch"
    """Requested by a person (A1)."""
    COLLECT = "collect"
    """A cycle of the worker, with the following cycles in its interval for a crowded host's turns."""
    CANONICAL = "canonical"
    ANALYZE = "analyze"


class FeedTally(msgspec.Struct, kw_only=True):
    """The results of a fetch for one feed."""

    feed: str
    """The feed's name for people: its title, else its source."""
    items: int = 0
    added: int = 0
    updated: int = 0


class RunNumbers(msgspec.Struct, kw_only=True):
    """How far a fetch has got."""

    found: int = 0
    done: int = 0
    pages: int = 0
    phase: ProgressKind | msgspec.UnsetType = msgspec.UNSET
    """Set only while the run goes on."""

    @property
    def is_counting(self) -> bool:
        return self.phase in {msgspec.UNSET, ProgressKind.COUNTING}


class RunDetails(msgspec.Struct, kw_only=True):
    """The details of a run, stored as JSON in `runs.details`. Keys of other versions are ignored."""

    feeds: int = 0
    """Number of feeds collected so far, or to be fetched."""
    errors: dict[str, str] = {}
    """{feed URL: sentence}."""
    dropped: int = 0
    """Number of items on other hosts, dropped because of `enforce_feed_domain`."""
    warnings: dict[str, list[str]] = {}
    """Entries left out: {feed URL: sentences}."""
    sources: tuple[str, ...] = ()
    """This and the next five: the filter and the limits that a fetch was requested with."""
    topics: tuple[str, ...] = ()
    feed_ids: tuple[UUID, ...] = ()
    cutoff: date | None = None
    window_days: int | None = None
    depth: str | None = None
    by_feed: dict[str, FeedTally] = {}
    """Results of a fetch by feed URL."""
    progress: RunNumbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The results of a run (A10)."""

    run_id: RunId
    kind: RunKind
    started_at: datetime
    finished_at: datetime | None = None
    interrupted: bool = False
    added_count: int = 0
    updated_count: int = 0
    errors_count: int = 0
    added_articles: tuple[str, ...] = ()
    updated_articles: tuple[str, ...] = ()
    updated_fields_map: Mapping[str, Mapping[str, tuple[Any, Any]]] = field(default_factory=dict)
    """{url: {field: (old, new)}}."""
    details: RunDetails = field(default_factory=RunDetails)
    """Filters, dropped items, errors by feed."""
    is_wanted: bool = False
    """Requested, and not yet taken by a worker."""
    stop_asked: bool = False
    """A stop was requested; the run stops between two items."""
