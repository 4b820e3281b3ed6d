"""Claim URLs to fetch, and extend, release or postpone the claims.

A lease sets `next_attempt_at` and `locked_until` to the same time. A page that changes during the lease sets only
`next_attempt_at`. If the two differ, the running fetch may bring the old text, and another one is due.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    case,
    func,
    literal,
    or_,
    select,
    update,
)

from inforadar.errors import NotFoundError
from inforadar.model.article import ArticleStatus
from inforadar.model.http import Validators
from inforadar.model.ids import LeaseToken, Uid
from inforadar.store.articles.queries import FAILED_LONG_AGO, is_free, load_known_uids
from inforadar.store.clock_sanity import MAX_WAIT_S, is_absurd
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.fenced import update_held
from inforadar.store.lease_tokens import new_lease_token
from inforadar.store.leases import LEASE_S
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later, db_now, one_of
from inforadar.store.upsert import upsert

_a = articles.c

IDLE_WAIT_S = 3600.0
"""How long an article waits that only inactive feeds list, before the feeds are checked again."""
RUN_ATTEMPTS = 3
"""How often a sitemap's page is tried in its runs, before the article's own schedule decides (ruling 14)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleJob:
    """The right to fetch one article."""

    uid: Uid
    url: str
    category: str
    attempts: int
    token: LeaseToken
    text_len: int | None = None
    """Length of the text already stored, if there is one."""
    validators: Validators = Validators()
    """The page's validators from when that text was fetched."""
    is_of_sitemap: bool = False
    """It was claimed by the run of a sitemap, for its title."""


JOB_COLUMNS = (
    _a.uid,
    _a.url,
    _a.category,
    _a.attempts,
    _a.status,
    _a.text_len,
    _a.etag,
    _a.last_modified,
    _a.validators_url,
)


def job_from_row(row: Row[Any], token: LeaseToken) -> ArticleJob:
    has_text = row.status == ArticleStatus.SUCCESS
    return ArticleJob(
        uid=row.uid,
        url=row.url,
        category=row.category,
        attempts=row.attempts,
        token=token,
        text_len=row.text_len if has_text else None,
        validators=Validators(etag=row.etag, last_modified=row.last_modified, url=row.validators_url)
        if has_text
        else Validators(),
    )


def claim_articles(connection: Connection, limit: int, *, lease_s: float = LEASE_S) -> list[ArticleJob]:
    """Lease due URLs, the longest waiting first, and push their due time forward.

    URLs that only disabled and deleted feeds list are postponed on the way. So they do not block the head of the queue,
    however many they are, and they return by themselves once a feed is active again.
    """
    jobs: list[ArticleJob] = []
    # One query per condition, so that each can use the index.
    for is_due in (_a.next_attempt_at <= db_now(), is_absurd(_a.next_attempt_at)):
        while (wanted := limit - len(jobs)) > 0:
            leased = _lease(connection, is_due, wanted, lease_s)
            idle = _load_idle(connection, leased)
            postpone_articles(connection, [(job, IDLE_WAIT_S) for job in leased if job.url in idle])
            jobs += [job for job in leased if job.url not in idle]
            if len(leased) < wanted:
                break
    return jobs


def _load_idle(connection: Connection, jobs: Sequence[ArticleJob]) -> set[str]:
    """URLs that only inactive feeds list. URLs pushed by another program are in no feed and are not among them."""
    is_active = func.count(case((and_(*ACTIVE), 1)))
    listed = (
        select(items.c.url)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(one_of(items.c.url, [job.url for job in jobs]))
        .group_by(items.c.url)
        .having(is_active == 0)
    )
    return set(connection.execute(listed).scalars()) if jobs else set()


def _lease(
    connection: Connection, is_due: ColumnElement[bool], limit: int, lease_s: float
) -> list[ArticleJob]:
    chosen = (
        select(_a.uid)
        .where(is_due, is_free())
        .order_by(_a.next_attempt_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("chosen")
    )
    token = new_lease_token()
    until = db_later(literal(lease_s))
    rows = connection.execute(
        update(articles)
        .where(_a.uid.in_(select(chosen.c.uid)))
        .values(locked_until=until, next_attempt_at=until, lease_token=token)
        .returning(*JOB_COLUMNS)
    )
    return [job_from_row(row, token) for row in rows]


def postpone_articles(connection: Connection, waits: Iterable[tuple[ArticleJob, float]]) -> None:
    """Release articles whose host must wait: due when its turn comes, but checked again after a week at the latest."""
    rows = [
        {"b_uid": job.uid, "b_token": job.token, "b_wait": min(wait_s, MAX_WAIT_S)} for job, wait_s in waits
    ]
    if rows:
        connection.execute(
            update(articles)
            .where(_a.uid == bindparam("b_uid"), _a.lease_token == bindparam("b_token"))
            .values(next_attempt_at=db_later(bindparam("b_wait")), locked_until=None, lease_token=None),
            rows,
        )


def unless_requested(at: ColumnElement[datetime] | None) -> ColumnElement[datetime]:
    """`next_attempt_at` of a leased article: `at`, or the time at which it was requested again since the claim."""
    return case((_a.next_attempt_at != _a.locked_until, _a.next_attempt_at), else_=at)


def extend_articles(
    connection: Connection, jobs: Iterable[ArticleJob], *, lease_s: float = LEASE_S
) -> frozenset[Uid]:
    """Extend the leases (the heartbeat). Returns the articles whose lease is still ours; the others are lost."""
    until = db_later(literal(lease_s))
    return _save_leases(connection, jobs, locked_until=until, next_attempt_at=unless_requested(until))


def release_articles(connection: Connection, jobs: Iterable[ArticleJob]) -> None:
    """Release articles that will not be fetched after all: they are due again at once."""
    _save_leases(connection, jobs, locked_until=None, lease_token=None, next_attempt_at=db_now())


def _save_leases(connection: Connection, jobs: Iterable[ArticleJob], **values: Any) -> frozenset[Uid]:
    return update_held(connection, _a.uid, _a.lease_token, ((job.token, job.uid) for job in jobs), **values)


def claim_article(connection: Connection, uid: Uid, *, lease_s: float = LEASE_S) -> ArticleJob | None:
    """Lease this article, due or not. Returns None if another worker has it."""
    until = db_later(literal(lease_s))
    row = connection.execute(
        update(articles)
        .where(_a.uid == uid, is_free())
        .values(locked_until=until, next_attempt_at=until, lease_token=new_lease_token())
        .returning(*JOB_COLUMNS, _a.lease_token)
    ).first()
    if row is not None:
        return job_from_row(row, LeaseToken(row.lease_token))
    if not load_known_uids(connection, [uid]):
        raise NotFoundError(f"There is no article {uid}.")
    return None


def claim_new_article(connection: Connection, uid: Uid, url: str, category: str) -> ArticleJob | None:
    """Lease an article that a sitemap lists. Returns None if it is stored, leased, or not to be retried yet.

    Each run retries what may pass until its third failure, whatever the article's own schedule says.
    """
    queued = upsert(connection, articles).values(
        uid=uid, url=url, category=category, next_attempt_at=db_now()
    )
    connection.execute(queued.on_conflict_do_nothing())
    is_due = select(_a.uid).where(
        _a.uid == uid,
        _a.status != ArticleStatus.SUCCESS.value,
        or_(
            _a.next_attempt_at <= db_now(),
            is_absurd(_a.next_attempt_at),
            and_(_a.next_attempt_at.is_not(None), _a.attempts.between(1, RUN_ATTEMPTS - 1)),
            and_(_a.next_attempt_at.is_(None), *FAILED_LONG_AGO[:2]),
        ),
    )
    job = claim_article(connection, uid) if connection.execute(is_due).first() else None
    return job and replace(job, is_of_sitemap=True)
