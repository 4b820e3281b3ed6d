"""When a feed runs again: pure functions of what happened and what the server and the feed asked for.

Server and feed can only lengthen the interval, at most to `MAX_INTERVAL_S` or, if that is in an hour to skip, to the
next one that is allowed. Jitter only adds, so that feeds that were
added together drift apart and no feed is fetched before its interval is over. Where a feed's rhythm decides
(`polling.py`), it does so within the same limits, once the job's new items are known.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from inforadar.model.feed import ErrorPolicy, Feed, FeedKind, Moving
from inforadar.model.hints import NO_HINTS, ScheduleHints
from inforadar.model.http import Failed, FailureReason, Outcome
from inforadar.model.rhythm import PollingMode, PollLimits, PollReason
from inforadar.model.schedule import NextRun

MAX_INTERVAL_S = 7 * 86400.0
FIRST_BACKOFF_S = 300.0
MAX_BACKOFF_S = 86400.0
JITTER = 0.1
UNCHANGED_AFTER_S = 7 * 86400.0
UNCHANGED_INTERVAL_S = 86400.0
"""A document that is sent whole and has been the same for a week is asked for once a day."""
REPEAT_COST = 4.0
"""A whole document costs this many times as much as a 304, so it is asked for half as often."""
VALIDATOR_CHECK_S = 30 * 86400.0
"""After this time of nothing but 304, one request without validators checks that they do not lie (P1)."""
REPROBE_S = 7 * 86400.0
DEFAULT_DEPTH = timedelta(days=30)
"""How far back from the day it was added a paged site is walked, unless a cutoff is set (A1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulePolicy:
    """The settings that a decision needs."""

    success_interval_s: float
    error_policy: ErrorPolicy
    reprobe: bool
    polling_mode: PollingMode = PollingMode.FIXED
    """The mode of feeds that do not choose one."""
    min_interval_s: float = 600.0
    """Minimum time between two polls, if the feed's rhythm decides."""
    move_confirmations: int = 3
    """How many fetches must confirm a permanent redirect before the feed's URL changes."""
    dice: Callable[[], float] = random.random
    """Uniform from 0 to 1."""

    def is_adaptive(self, feed: Feed, kind: FeedKind | None = None) -> bool:
        """Whether the feed's rhythm decides when it is polled. A walk of pages is no single request: never there."""
        mode = feed.options.polling_mode or self.polling_mode
        return mode is PollingMode.ADAPTIVE and (kind or feed.kind) is not FeedKind.PAGES


def after_success(
    feed: Feed,
    policy: SchedulePolicy,
    now: datetime,
    *,
    freshness_s: float | None = None,
    hints: ScheduleHints = NO_HINTS,
    repeat: Repeat | None = None,
) -> NextRun:
    """Schedule the next run after the longest of our interval and those that server and feed ask for (B5, P8).

    Where the feed's rhythm decides, the result carries the limits within which it does; they are the same.
    """
    if not feed.polling:
        return NextRun(after_s=None)
    asked = {
        PollReason.FRESHNESS: freshness_s,
        PollReason.TTL: hints.ttl_s,
        PollReason.UPDATE_PERIOD: hints.update_period_s,
    }
    outside = {reason: min(value, MAX_INTERVAL_S) for reason, value in asked.items() if value}
    is_first = feed.last_fetched_at is None
    own = {PollReason.INTERVAL: policy.success_interval_s}
    limits: PollLimits | None = None
    if policy.is_adaptive(feed):
        repeat = repeat or Repeat()
        bounds = {PollReason.MINIMUM: policy.min_interval_s, **outside}
        if repeat.unchanged_s >= UNCHANGED_AFTER_S:
            bounds[PollReason.UNCHANGED] = UNCHANGED_INTERVAL_S
        reason = max(bounds, key=bounds.__getitem__)
        limits = PollLimits(
            at_least_s=bounds[reason],
            reason=reason,
            hints=ScheduleHints(skip_hours=hints.skip_hours, skip_days=hints.skip_days),
            cost=REPEAT_COST if repeat.is_whole else 1.0,
            is_first=is_first,
        )
        own[PollReason.INTERVAL] = max(policy.success_interval_s, policy.min_interval_s)
    waits = {**own, **outside}
    reason = max(waits, key=waits.__getitem__)
    interval = waits[reason]
    after_s, is_skipped = spread(interval, now, hints, policy.dice, is_first=is_first)
    return NextRun(after_s=after_s, reason=PollReason.SKIPPED_TIME if is_skipped else reason, limits=limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """Whether a server sends its whole document even if it has not changed (Q5)."""

    is_whole: bool = False
    """It gives no validators, or sent the same document again in spite of them."""
    unchanged_s: float = 0.0
    """How long the document has been the same, if it is sent whole."""


def repeat_of(
    feed: Feed, *, digest: str, has_validators: bool, was_conditional: bool, now: datetime
) -> Repeat:
    """Judge a response that carried the whole document. If it was asked for without validators, that is no repeat."""
    is_same = digest == feed.body_digest
    since = feed.body_changed_at if is_same else None
    is_whole = not has_validators or (is_same and was_conditional)
    unchanged_s = (now - since).total_seconds() if since and is_whole else 0.0
    return Repeat(is_whole=is_whole, unchanged_s=unchanged_s)


def spread(
    interval_s: float,
    now: datetime,
    hints: ScheduleHints,
    dice: Callable[[], float],
    *,
    is_first: bool = False,
    jitter_s: float | None = None,
    at_least_s: float | None = None,
) -> tuple[float, bool]:
    """Add jitter, and wait out skipped hours and days. Returns the seconds and whether some were skipped.

    After its first fetch a feed is spread over a whole interval, because feeds are often added together. The longest
    wait holds with jitter, unless our own interval is longer. If skipped hours would exceed it, the first allowed time
    after `at_least_s` (default: the interval) is taken; only if even that is later, the longest wait is exceeded.
    """
    most = interval_s if is_first else JITTER * interval_s if jitter_s is None else jitter_s
    longest_s = max(MAX_INTERVAL_S, interval_s)
    after_s = min(interval_s + most * dice(), longest_s)
    if not (hints.skip_hours or hints.skip_days):
        return after_s, False
    skipped_s = _until_allowed(now + timedelta(seconds=after_s), hints)
    if after_s + skipped_s > longest_s:
        after_s = interval_s if at_least_s is None else at_least_s
        skipped_s = _until_allowed(now + timedelta(seconds=after_s), hints)
    return after_s + skipped_s, skipped_s > 0


def is_skipped(at: datetime, hints: ScheduleHints) -> bool:
    """Whether a feed asks not to be fetched at this time."""
    at = at.astimezone(UTC)
    return at.hour in hints.skip_hours or at.weekday() in hints.skip_days


def _until_allowed(at: datetime, hints: ScheduleHints) -> float:
    """Seconds from `at` to the first hour that skipHours and skipDays allow; 0 if they allow none."""
    moment = at = at.astimezone(UTC)
    for _ in range(24 * 8):
        if not is_skipped(moment, hints):
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
        return NextRun(after_s=again, failures=failures, error=failed.message, reason=PollReason.ERROR)
    wait = max(backoff_s(failures, policy.dice), min(failed.retry_after_s or 0.0, MAX_INTERVAL_S))
    return NextRun(after_s=wait, failures=failures, error=failed.message, reason=PollReason.ERROR)


def is_check_due(read_at: datetime | None, now: datetime) -> bool:
    """Whether the next request is made without validators, because no document was read for a long time."""
    return read_at is not None and (now - read_at).total_seconds() >= VALIDATOR_CHECK_S


def confirm_move(
    feed: Feed, moved_to: str | None, at: datetime, confirmations: int
) -> tuple[str | None, Moving | None]:
    """Decide on a permanent redirect: the URL to store now, if any, and what is still to be confirmed (ruling 17).

    A redirect from https to http is followed but never stored: it would give up the encryption for good.
    """
    if moved_to is None or (feed.url.startswith("https://") and not moved_to.startswith("https://")):
        return None, None
    before = feed.moving if feed.moving and feed.moving.url == moved_to else None
    moving = Moving(
        url=moved_to, times=before.times + 1 if before else 1, since=before.since if before else at
    )
    if moving.times < confirmations:
        return None, moving
    is_lasting = confirmations == 1 or at.astimezone(UTC).date() > moving.since.astimezone(UTC).date()
    return (moved_to, None) if is_lasting else (None, moving)


def backoff_s(failures: int, dice: Callable[[], float]) -> float:
    """Seconds of backoff: 5 minutes, doubled with each failure, at most a day, ±10 %."""
    steps = min(failures - 1, 16)
    wait = min(FIRST_BACKOFF_S * 2.0**steps, MAX_BACKOFF_S)
    return wait * (1 + JITTER * (2 * dice() - 1))


def default_cutoff(added_at: datetime) -> date:
    """The cutoff date of a feed without one of its own."""
    return (added_at - DEFAULT_DEPTH).date()
