"""Fetches as evidence about push: it was right, or news came without it; and how long polling can wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, case, select, update

from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.model.item import Diff
from inforadar.model.push import PushState
from inforadar.model.schedule import FinishedJob, Planner
from inforadar.store.push.queries import subscription_from_row
from inforadar.store.schema.push import push_subscriptions
from inforadar.store.types import one_of

RELAXED_S = 86_400.0
"""How often a feed is polled while push is proven to be alive."""
SECOND_LOOK_S = 300.0
"""When a feed is looked at again that did not show what a push announced."""
MAX_RENEWAL_H = 168
_s = push_subscriptions.c


def note_push_results(
    connection: Connection, jobs: Sequence[FinishedJob], found: Mapping[FeedId, Diff], planner: Planner | None
) -> list[FinishedJob]:
    """Judge each feed's push by what its job found; jobs come back with the next run that follows from it."""
    ended = {job.lease.feed.id: job for job in jobs}
    fetched = [key for key, job in ended.items() if job.outcome is Outcome.SUCCESS]
    query = select(push_subscriptions).where(one_of(_s.feed_id, fetched), _s.state == PushState.ACTIVE.value)
    for row in connection.execute(query.order_by(_s.feed_id).with_for_update()).all():
        job = ended[row.feed_id]
        values = _judged(row, job, found[row.feed_id])
        if values:
            connection.execute(update(push_subscriptions).where(_s.feed_id == row.feed_id).values(**values))
        if planner is not None:
            ended[row.feed_id] = _planned(row, values, job, planner)
    return list(ended.values())


def _judged(row: Any, job: FinishedJob, found: Diff) -> dict[str, Any]:
    """The columns that the job changes: a hit, a miss, or a push that nothing was found for."""
    if row.looks_left:
        if found.added or found.changed:
            return {"looks_left": 0, "hits": row.hits + 1}
        return {"looks_left": row.looks_left - 1}
    before = job.lease.feed.last_fetched_at
    was_listening = row.verified_at is not None and before is not None and row.verified_at <= before
    has_lease = row.lease_until is not None and row.lease_until > job.at
    is_requested = job.lease.feed.requested_at is not None
    if not (found.added and was_listening and has_lease) or is_requested:
        return {}
    # The hub may have lost us: ask again, but less often the more often it misses.
    renewal = job.at + timedelta(hours=min(2.0**row.misses, MAX_RENEWAL_H))
    return {
        "hits": 0,
        "misses": row.misses + 1,
        "missed_at": job.at,
        "due_at": case((_s.due_at > renewal, renewal), else_=_s.due_at),
    }


def _planned(row: Any, values: Mapping[str, Any], job: FinishedJob, planner: Planner) -> FinishedJob:
    if job.next_run.after_s is None:
        return job
    if values.get("looks_left"):
        return replace(job, next_run=planner.hasten(job, SECOND_LOOK_S))
    judged = replace(
        subscription_from_row(row),
        hits=values.get("hits", row.hits),
        misses=values.get("misses", row.misses),
    )
    if not judged.is_alive(job.at) or row.lease_until is None:
        return job
    left_s = (row.lease_until - job.at).total_seconds()
    return replace(job, next_run=planner.relax(job, min(RELAXED_S, left_s)))
