"""Articles: the queue of URLs to fetch, and what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    case,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from inforadar.model.article import Article, ArticleStatus, Extracted, FailureCode, NotExtracted
from inforadar.model.http import NotModified, Validators
from inforadar.model.ids import LeaseToken, Uid
from inforadar.store.clock_sanity import LONGEST_WAIT_S, is_absurd
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.leases import LEASE_S
from inforadar.store.redis.outbox import note_article
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later, db_now, one_of
from inforadar.urls import hostname

_a = articles.c

IDLE_WAIT_S = 3600.0
"""After so long it is looked again whether a feed that lists the article is active."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleJob:
    """The right to fetch one article."""

    uid: Uid
    url: str
    category: str
    attempts: int
    token: LeaseToken
    text_len: int | None = None
    """Of the text that is there already, if there is one."""
    validators: Validators = Validators()
    """What the page gave us with that text."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleEnding:
    """What became of it."""

    job: ArticleJob
    at: datetime
    result: Extracted | NotExtracted | NotModified
    validators: Validators = Validators()
    retry_after_s: float | None = None
    """The failure was not the article's fault: try again after that long (ruling 14)."""
    is_forbidden: bool = False
    """robots.txt asks us to stay away, from the page or from where it leads."""


def claim_articles(connection: Connection, limit: int, *, lease_s: float = LEASE_S) -> list[ArticleJob]:
    """Leases URLs that are to be fetched, the longest waiting first; the due column is pushed forward.

    Those that only disabled and deleted feeds list are put off on the way: however many they are, they do not stand
    at the head of the queue for the next claim, and come back by themselves once a feed is active again.
    """
    jobs: list[ArticleJob] = []
    # One after the other, so that each is a piece of the index.
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
    """URLs that feeds list, but none that is active. What another program brought is listed by none."""
    is_active = func.count(case((and_(*ACTIVE), 1)))
    listed = (
        select(items.c.url)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(one_of(items.c.url, [job.url for job in jobs]))
        .group_by(items.c.url)
        .having(is_active == 0)
    )
    return set(connection.execute(listed).scalars()) if jobs else set()


def is_free() -> ColumnElement[bool]:
    """Nobody has it, or whoever had it is gone."""
    return or_(_a.locked_until.is_(None), _a.locked_until <= db_now(), is_absurd(_a.locked_until))


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
    token = LeaseToken(uuid4().hex)
    until = db_later(literal(lease_s))
    rows = connection.execute(
        update(articles)
        .where(_a.uid.in_(select(chosen.c.uid)))
        .values(locked_until=until, next_attempt_at=until, lease_token=token)
        .returning(*JOB_COLUMNS)
    )
    return [job_from_row(row, token) for row in rows]


def postpone_articles(connection: Connection, waits: Iterable[tuple[ArticleJob, float]]) -> None:
    """Gives articles back whose host must wait: due when its turn comes, or to look again after a week."""
    rows = [
        {"b_uid": job.uid, "b_token": job.token, "b_wait": min(wait_s, LONGEST_WAIT_S)}
        for job, wait_s in waits
    ]
    if rows:
        connection.execute(
            update(articles)
            .where(_a.uid == bindparam("b_uid"), _a.lease_token == bindparam("b_token"))
            .values(next_attempt_at=db_later(bindparam("b_wait")), locked_until=None, lease_token=None),
            rows,
        )


def extend_articles(
    connection: Connection, jobs: Iterable[ArticleJob], *, lease_s: float = LEASE_S
) -> frozenset[Uid]:
    """The heartbeat. Returns those that are still ours; the others are lost."""
    until = db_later(literal(lease_s))
    return _save_leases(connection, jobs, locked_until=until, next_attempt_at=until)


def release_articles(connection: Connection, jobs: Iterable[ArticleJob]) -> None:
    """Gives back what will not be fetched after all: it is due again at once."""
    _save_leases(connection, jobs, locked_until=None, lease_token=None, next_attempt_at=db_now())


def _save_leases(connection: Connection, jobs: Iterable[ArticleJob], **values: Any) -> frozenset[Uid]:
    by_token: dict[LeaseToken, list[Uid]] = {}
    for job in jobs:
        by_token.setdefault(job.token, []).append(job.uid)
    ours: set[Uid] = set()
    for token, uids in by_token.items():
        held = select(_a.uid).where(one_of(_a.uid, uids), _a.lease_token == token)
        locked = held.order_by(_a.uid).with_for_update().cte("locked")
        changed = update(articles).where(_a.uid.in_(select(locked.c.uid))).values(**values)
        ours.update(connection.execute(changed.returning(_a.uid)).scalars())
    return frozenset(ours)


def count_due_articles(connection: Connection) -> int:
    return connection.execute(select(func.count()).where(_a.next_attempt_at <= db_now())).scalar_one()


def save_article(connection: Connection, ending: ArticleEnding, *, outbox: bool = False) -> bool:
    """Stores what came of it and wakes the analysis of its items. False: the lease was lost.

    With `outbox` Redis is to be told.
    """
    job, result = ending.job, ending.result
    values: dict[str, Any] = {
        "attempts": job.attempts + 1,
        "locked_until": None,
        "lease_token": None,
        "updated_at": ending.at,
    }
    match result:
        case Extracted():
            values |= _article_values(result) | _stored(ending)
        case NotModified():
            values |= _stored(ending)
        case NotExtracted(code=code, detail=detail):
            final = ending.retry_after_s is None
            values |= {
                # A text that is there already is not lost to a later failure.
                "status": case(
                    (_a.status == ArticleStatus.SUCCESS.value, _a.status), else_=ArticleStatus.FAILURE.value
                ),
                "failure_code": code.value,
                "failure_detail": detail,
                "attempted_at": ending.at if final else None,
                "next_attempt_at": None if final else db_later(literal(ending.retry_after_s)),
            }
    own = (_a.uid == job.uid, _a.lease_token == job.token)
    before: str | None = None
    if job.text_len is not None:
        before = connection.execute(select(_a.clean_text).where(*own).with_for_update()).scalar()
    held = connection.execute(update(articles).where(*own).values(**values).returning(_a.uid)).first()
    if held is None:
        return False
    if isinstance(result, NotExtracted):
        connection.execute(
            insert(article_failures).values(
                uid=job.uid,
                at=ending.at,
                code=result.code.value,
                detail=result.detail,
                host=hostname(job.url),
            )
        )
    if values["next_attempt_at"] is None:
        is_new = isinstance(result, Extracted) and result.clean_text != before
        _wake_items(connection, job.url, is_new=is_new, again=is_new and before is not None)
    if outbox:
        note_article(
            connection, job.uid, ending.at, result.code if isinstance(result, NotExtracted) else None
        )
    return True


def _stored(ending: ArticleEnding) -> dict[str, Any]:
    """Of an article whose text is right as of now."""
    given = {
        "etag": ending.validators.etag,
        "last_modified": ending.validators.last_modified,
        "validators_url": ending.validators.url,
    }
    # A 304 that brings no validators leaves those that were asked with.
    renewed = isinstance(ending.result, Extracted) or bool(ending.validators)
    return {
        "status": ArticleStatus.SUCCESS.value,
        "failure_code": None,
        "failure_detail": None,
        "fetched_at": ending.at,
        "attempted_at": ending.at,
        "next_attempt_at": None,
        **(given if renewed else {}),
    }


def _article_values(found: Extracted) -> dict[str, Any]:
    return {
        "raw_len": found.raw_len,
        "text_len": found.text_len,
        "clean_text": found.clean_text,
        "markdown": found.markdown,
        "abstract": found.abstract,
        "image": found.image,
        "title": found.title,
        "author": found.author,
        "published_at": found.published_at,
        "modified_at": found.updated_at,
        "language": found.language,
        "site_name": found.site_name,
        "canonical_url": found.canonical_url,
    }


def _wake_items(connection: Connection, url: str, *, is_new: bool, again: bool) -> None:
    """Everything that can be known of the article is known: its items are ready for analysis.

    `is_new`: those that are being analyzed too, because it is without this text. `again`: those that were
    analyzed too, because the text is another one now.
    """
    unread = [] if again else [items.c.analyzed_at.is_(None)]
    idle = [] if is_new else [items.c.analyze_token.is_(None)]
    waiting = (
        select(items.c.id)
        .where(items.c.url == url, *unread, *idle)
        .order_by(items.c.id)
        .with_for_update()
        .cte("waiting")
    )
    connection.execute(update(items).where(items.c.id.in_(select(waiting.c.id))).values(analyze_at=db_now()))


def load_article(connection: Connection, uid: Uid) -> Article | None:
    row = connection.execute(select(articles).where(_a.uid == uid)).first()
    return article_from_row(row) if row else None


def load_articles(connection: Connection, uids: Sequence[Uid]) -> Mapping[Uid, Article]:
    rows = connection.execute(select(articles).where(one_of(_a.uid, uids)))
    return {row.uid: article_from_row(row) for row in rows}


def article_from_row(row: Row[Any]) -> Article:
    extracted = None
    if row.status == ArticleStatus.SUCCESS:
        extracted = Extracted(
            clean_text=row.clean_text or "",
            markdown=row.markdown or "",
            abstract=row.abstract,
            title=row.title,
            author=row.author,
            published_at=row.published_at,
            updated_at=row.modified_at,
            language=row.language,
            site_name=row.site_name,
            image=row.image,
            canonical_url=row.canonical_url,
            raw_len=row.raw_len,
        )
    failure = None
    if row.failure_code:
        failure = NotExtracted(code=FailureCode(row.failure_code), detail=row.failure_detail or "")
    return Article(
        uid=row.uid,
        url=row.url,
        category=row.category,
        status=ArticleStatus(row.status),
        fetched_at=row.fetched_at,
        extracted=extracted,
        failure=failure,
        attempts=row.attempts,
    )
