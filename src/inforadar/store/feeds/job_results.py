"""Save the results of finished jobs to their feeds and schedules: one statement for a whole batch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, case, func, select, update

from inforadar.model.hints import ScheduleHints
from inforadar.model.http import Outcome, Validators
from inforadar.model.ids import FeedId
from inforadar.model.schedule import FinishedJob
from inforadar.store.feeds.credentials import has_credentials
from inforadar.store.feeds.queries import feed_key
from inforadar.store.feeds.urls import save_url
from inforadar.store.rows import JsonRows, stored_id, stored_time
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.types import db_after, db_later, db_now
from inforadar.urls import keeps_credentials


def save_move(connection: Connection, job: FinishedJob) -> FeedId | None:
    """Give the feed its new URL and record the old one; if another feed has the new URL, only return that feed's id.

    A deleted feed keeps its URL too, but nobody's articles come from it, so this one is no duplicate of it.
    A feed with credentials does not leave their origin: they would be sent to a site they were not given for. Instead
    the redirect is followed each time without them, so a site's answer never costs the user anything they entered.
    """
    feed = job.lease.feed
    href, key = feed_key(job.moved_to or feed.url)
    if href == feed.url:
        return None
    other = connection.execute(select(feeds.c.id, feeds.c.deleted_at).where(feeds.c.url_hash == key)).first()
    if other is not None:
        return other.id if other.deleted_at is None else None
    if not keeps_credentials(feed.url, href) and has_credentials(connection, feed.id):
        return None
    save_url(connection, feed, href, job.at)
    return None


_CHANNEL = ("title", "site_url", "description", "language", "icon")
_NO_CHANNEL = (None,) * len(_CHANNEL)
_fetched = JsonRows(
    "fetched",
    id="uuid",
    status="text",
    at="timestamptz",
    kind="text",
    renewed="boolean",
    etag="text",
    last_modified="text",
    validators_url="text",
    was_read="boolean",
    warnings="jsonb",
    hints="jsonb",
    read_at="timestamptz",
    digest="text",
    changed_at="timestamptz",
    moving="jsonb",
    **dict.fromkeys(_CHANNEL, "text"),
)


def _renewed(name: str) -> ColumnElement[Any]:
    return case((_fetched.c["renewed"], _fetched.c[name]), else_=feeds.c[name])


_title = case(
    (feeds.c.is_title_given, feeds.c.title), else_=func.coalesce(_fetched.c["title"], feeds.c.title)
)
_SAVE_FEEDS = (
    update(feeds)
    .where(feeds.c.id == _fetched.c["id"])
    .values(
        last_fetch_status=_fetched.c["status"],
        last_fetched_at=_fetched.c["at"],
        kind=func.coalesce(feeds.c.kind, _fetched.c["kind"]),
        etag=_renewed("etag"),
        last_modified=_renewed("last_modified"),
        validators_url=_renewed("validators_url"),
        warnings=case((_fetched.c["was_read"], _fetched.c["warnings"]), else_=feeds.c.warnings),
        hints=case((_fetched.c["was_read"], _fetched.c["hints"]), else_=feeds.c.hints),
        read_at=func.coalesce(_fetched.c["read_at"], feeds.c.read_at),
        body_digest=func.coalesce(_fetched.c["digest"], feeds.c.body_digest),
        body_changed_at=func.coalesce(_fetched.c["changed_at"], feeds.c.body_changed_at),
        moving=_fetched.c["moving"],
        # The job's value, or else the current one: someone may have edited it meanwhile.
        **{name: func.coalesce(_fetched.c[name], feeds.c[name]) for name in _CHANNEL} | {"title": _title},
    )
)


_seen = JsonRows("seen", id="uuid", status="text", at="timestamptz")
_SAVE_SEEN = (
    update(feeds)
    .where(feeds.c.id == _seen.c["id"])
    .values(last_fetch_status=_seen.c["status"], last_fetched_at=_seen.c["at"])
)
"""For jobs that learned nothing new about the feed, which are most."""


def save_feeds(connection: Connection, jobs: Iterable[FinishedJob]) -> None:
    rows: list[tuple[Any, ...]] = []
    seen: list[tuple[Any, ...]] = []
    for job in jobs:
        new, channel, feed = job.validators, job.channel, job.lease.feed
        moving = job.moving if job.outcome is Outcome.SUCCESS else feed.moving
        learned = new is not None or channel or job.kind or job.warnings is not None
        if not learned and moving == feed.moving:
            id_, at = stored_id(connection, feed.id), stored_time(connection, job.at)
            seen.append((id_, job.outcome.value, at))
            continue
        at = stored_time(connection, job.at)
        is_other = job.digest is not None and job.digest != feed.body_digest
        kept = new or Validators()
        rows.append(
            (
                stored_id(connection, feed.id),
                job.outcome.value,
                at,
                job.kind,
                new is not None,
                kept.etag,
                kept.last_modified,
                kept.url,
                job.warnings is not None,
                [asdict(one) for one in job.warnings or ()] or None,
                _stored_hints(job.hints),
                at if job.warnings is not None else None,
                job.digest,
                at if is_other else None,
                msgspec.to_builtins(moving) if moving else None,
                *((channel.get(name) or None for name in _CHANNEL) if channel else _NO_CHANNEL),
            )
        )
    if rows:
        connection.execute(_SAVE_FEEDS, _fetched.parameters(rows))
    if seen:
        connection.execute(_SAVE_SEEN, _seen.parameters(seen))


def _stored_hints(hints: ScheduleHints | None) -> dict[str, Any] | None:
    """The hints that a document gives, without the empty ones; None if it gives none."""
    given = msgspec.to_builtins(hints) if hints else {}
    return {name: value for name, value in given.items() if value} or None


def _stored_plan(job: FinishedJob) -> tuple[float | None, float | None, float | None]:
    """The plan in its columns. A failed job plans nothing, but the feed's share of the budget stays its own."""
    feed = job.lease.feed
    plan = job.next_run.polling if job.outcome is Outcome.SUCCESS else feed.polling_plan
    return (plan.polls_per_day, plan.items_per_day, plan.expected_delay_s) if plan else (None, None, None)


_s = feed_schedules.c
_next = JsonRows(
    "next",
    id="uuid",
    at="timestamptz",
    after="double precision",
    error="text",
    failures="integer",
    touched="boolean",
    walked="boolean",
    reason="text",
    polls_per_day="double precision",
    items_per_day="double precision",
    expected_delay_s="double precision",
)
_SAVE_SCHEDULES = (
    update(feed_schedules)
    .where(_s.id == _next.c["id"])
    .values(
        fetched_at=_next.c["at"],
        next_run_at=case((_next.c["after"].is_(None), None), else_=db_later(_next.c["after"])),
        last_error=_next.c["error"],
        failures=_next.c["failures"],
        locked_until=None,
        lease_token=None,
        # A request made while the job ran is still open.
        requested_at=case((_s.requested_at <= _s.claimed_at, None), else_=_s.requested_at),
        build_at=case((_next.c["touched"], db_after(_s.build_at)), else_=_s.build_at),
        walked_at=case((_next.c["walked"], db_now()), else_=_s.walked_at),
        reason=_next.c["reason"],
        polls_per_day=_next.c["polls_per_day"],
        items_per_day=_next.c["items_per_day"],
        expected_delay_s=_next.c["expected_delay_s"],
    )
)


def save_schedules(connection: Connection, jobs: Iterable[FinishedJob], touched: set[FeedId]) -> None:
    rows = [
        (
            stored_id(connection, job.lease.feed.id),
            stored_time(connection, job.at),
            job.next_run.after_s,
            job.next_run.error,
            job.next_run.failures,
            job.lease.feed.id in touched,
            job.walked,
            job.next_run.reason,
            *_stored_plan(job),
        )
        for job in jobs
    ]
    if rows:
        connection.execute(_SAVE_SCHEDULES, _next.parameters(rows))
