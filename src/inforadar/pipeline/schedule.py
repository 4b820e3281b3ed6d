"""When a feed runs again: pure functions of what happened and what the server and the feed asked for.

Server and feed can only lengthen the interval, at most to `MAX_INTERVAL_S`. Jitter only adds, so that feeds that were
added together drift apart and no feed is fetched before its interval is over.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from inforadar.model.feed import ErrorPolicy, Feed
from inforadar.model.hints import NO_HINTS, ScheduleHints
from inforadar.model.http import Failed, FailureReason, Outcome
from inforadar.model.schedule import NextRun

MAX_INTERVAL_S = 7 * 86400.0
FIRST_BACKOFF_S = 300.0
MAX_BACKOFF_S = 86400.0
JITTER = 0.1
REPROBE_S = 7 * 86400.0
DEFAULT_DEPTH = timedelta(days=30)
"""How far back from the day it was added a paged site is walked, unless a cutoff is set (A1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePolicy:
    """The settings that a decision needs."""

    success_interval_s: float
    error_policy: ErrorPolicy
    reprobe: bool
    dice: Callable[[], float] = random.random
    """Uniform from 0 to 1."""


def after_success(
    feed: Feed,
    policy: SchedulePolicy,
    now: datetime,
    *,
    freshness_s: float | None = None,
    hints: ScheduleHints = NO_HINTS,
) -> NextRun:
    """Schedule the next run after the longest of our interval and those that server and feed ask for (B5, P8)."""
    if not feed.polling:
        return NextRun(after_s=None)
    asked = (freshness_s, hints.ttl_s, hints.update_period_s)
    outside = min(max((value for value in asked if value), default=0.0), MAX_INTERVAL_S)
    interval = max(policy.success_interval_s, outside)
    spread = interval * (1 + JITTER * policy.dice())
    if hints.skip_hours or hints.skip_days:
        spread += _until_allowed(now + timedelta(seconds=spread), hints)
    return NextRun(after_s=spread)


def _until_allowed(at: datetime, hints: ScheduleHints) -> float:
    """Seconds from `at` to the first hour that skipHours and skipDays allow; 0 if they allow none."""
    moment = at
    for _ in range(24 * 8):
        if moment.hour not in hints.skip_hours and moment.weekday() not in hints.skip_days:
            return (moment - at).total_seconds()
        moment = moment.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    return 0.0


def after_failure(feed: Feed, policy: SchedulePolicy, failed: Failed) -> NextRun:
    """Schedule a retry with backoff after a temporary error; suspend the feed after a permanent one (ruling 2)."""
    failures = feed.failures + 1
    lasting = failed.outcome is not Outcome.TEMPORARY_ERROR
    # A distant turn of the host is not the feed's fault.
    is_strike = failed.reason is not FailureReason.TURN
    if lasting or (is_strike and (feed.error_policy or policy.error_policy) is ErrorPolicy.ONE_STRIKE):
        again = REPROBE_S if policy.reprobe and not failed.is_gone else None
        return NextRun(after_s=again, failures=failures, error=failed.message)
    wait = max(backoff_s(failures, policy.dice), min(failed.retry_after_s or 0.0, MAX_INTERVAL_S))
    return NextRun(after_s=wait, failures=failures, error=failed.message)


def backoff_s(failures: int, dice: Callable[[], float]) -> float:
    """Seconds of backoff: 5 minutes, doubled with each failure, at most a day, ±10 %."""
    steps = min(failures - 1, 16)
    wait = min(FIRST_BACKOFF_S * 2.0**steps, MAX_BACKOFF_S)
    return wait * (1 + JITTER * (2 * dice() - 1))


def default_cutoff(added_at: datetime) -> date:
    """The cutoff date of a feed without one of its own."""
    return (added_at - DEFAULT_DEPTH).date()
