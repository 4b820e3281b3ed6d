"""Load the spool: what a fetch found but has not processed yet, stored so that a killed run can be continued (A3).

Rows belong to a feed, in the order in which they were found: the parts of its listing, then the end of the job. Only
the holder of the feed's lease may add, process and delete them. Saving the end of any job of the feed deletes the rest,
so that nothing old is ever processed after something newer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, select

from inforadar.model.feed import FeedKind, Moving
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.hints import ScheduleHints
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import FeedId, RunId
from inforadar.model.item import Listed
from inforadar.model.push import HubLinks
from inforadar.model.schedule import FinishedJob, Lease, ListingPart, NextRun, PartState
from inforadar.store.schema.runs import found_parts
from inforadar.store.types import db_later, one_of

_f = found_parts.c

MAX_SPOOL_AGE_S = 3600.0
"""Older parts are fetched again: meanwhile the pages of the listing show other items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolDocument:
    """The stored part, or the end of a job; lease and run are those of the worker that processes it."""

    at: datetime
    listed: tuple[Listed, ...] = ()
    state: PartState = PartState()
    outcome: Outcome = Outcome.SUCCESS
    next_run: NextRun | None = None
    validators: Validators | None = None
    moved_to: str | None = None
    kind: FeedKind | None = None
    channel: Mapping[str, str] = field(default_factory=dict)
    dropped: int = 0
    warnings: tuple[FeedWarning, ...] | None = None
    hints: ScheduleHints | None = None
    walked: bool = False
    spent_s: float = 0.0
    digest: str | None = None
    moving: Moving | None = None
    hubs: HubLinks | None = None


END_FIELDS = tuple(one.name for one in fields(FinishedJob) if one.name not in {"lease", "run_id"})


def load_found(connection: Connection, lease: Lease, run_id: RunId) -> list[ListingPart | FinishedJob]:
    """Everything found of a feed, in order, if it is fresh enough to continue from; otherwise nothing."""
    query = select(found_parts).where(_f.feed_id == lease.feed.id).order_by(_f.position)
    newest = (
        query.order_by(None).order_by(_f.position.desc()).limit(1).where(_f.at > db_later(-MAX_SPOOL_AGE_S))
    )
    if connection.execute(newest).first() is None:
        return []
    return [_step(row, lease, run_id) for row in connection.execute(query)]


def load_feeds_with_found(connection: Connection, feed_ids: Iterable[FeedId]) -> frozenset[FeedId]:
    query = select(_f.feed_id).where(one_of(_f.feed_id, feed_ids)).distinct()
    return frozenset(connection.execute(query).scalars())


def load_next_found(connection: Connection, lease: Lease, run_id: RunId) -> ListingPart | FinishedJob | None:
    """The first remaining row of a feed."""
    query = select(found_parts).where(_f.feed_id == lease.feed.id).order_by(_f.position).limit(1)
    row = connection.execute(query).first()
    return _step(row, lease, run_id) if row else None


def _step(row: Row[Any], lease: Lease, run_id: RunId) -> ListingPart | FinishedJob:
    document = msgspec.json.decode(row.document, type=SpoolDocument)
    if not row.is_end:
        return ListingPart(
            lease=lease,
            run_id=run_id,
            at=document.at,
            listed=document.listed,
            state=document.state,
            position=row.position,
        )
    return FinishedJob(lease=lease, run_id=run_id, **{name: getattr(document, name) for name in END_FIELDS})
