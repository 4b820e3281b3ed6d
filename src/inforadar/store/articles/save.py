"""Save the result of fetching an article; queue its items for analysis, and their feeds for building."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, insert, literal, select, update

from inforadar.model.article import ArticleStatus, Extracted, NotExtracted
from inforadar.model.http import NotModified, Validators
from inforadar.store.articles.claims import ArticleJob, unless_requested
from inforadar.store.redis.outbox import note_article
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.types import db_after, db_later, db_now
from inforadar.urls import hostname

_a = articles.c


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleEnding:
    """The result of one attempt to fetch an article."""

    job: ArticleJob
    at: datetime
    result: Extracted | NotExtracted | NotModified
    validators: Validators = Validators()
    retry_after_s: float | None = None
    """The failure was not the article's fault: try again after this long (ruling 14)."""
    is_forbidden: bool = False
    """robots.txt forbids the page or the page it redirects to."""


def save_article(connection: Connection, ending: ArticleEnding, *, outbox: bool = False) -> bool:
    """Store the result, and queue the article's items for analysis and their feeds for building.

    Returns False if the lease was lost. With `outbox`, also note it for Redis.
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
        case NotExtracted(code=code, detail=detail, title=title):
            final = ending.retry_after_s is None
            if title:
                values["title"] = case((_a.status == ArticleStatus.SUCCESS.value, _a.title), else_=title)
            values |= {
                # A stored text is not lost to a later failure.
                "status": case(
                    (_a.status == ArticleStatus.SUCCESS.value, _a.status), else_=ArticleStatus.FAILURE.value
                ),
                "failure_code": code.value,
                "failure_detail": detail,
                "attempted_at": ending.at if final else None,
                "next_attempt_at": None if final else db_later(literal(ending.retry_after_s)),
            }
    lists_it = select(items.c.feed_id).where(items.c.url == job.url)
    is_listed = feed_schedules.c.id.in_(lists_it)
    if isinstance(result, Extracted):
        # Lock the schedules before article and items: the writer uses the same order.
        schedules = select(feed_schedules.c.id).where(is_listed).order_by(feed_schedules.c.id)
        connection.execute(schedules.with_for_update())
    own = (_a.uid == job.uid, _a.lease_token == job.token)
    before: str | None = None
    if job.text_len is not None:
        before = connection.execute(select(_a.clean_text).where(*own).with_for_update()).scalar()
    is_final = values["next_attempt_at"] is None
    if is_final:
        values["next_attempt_at"] = unless_requested(None)
    held = connection.execute(update(articles).where(*own).values(**values).returning(_a.uid)).first()
    if held is None:
        return False
    if isinstance(result, Extracted):
        # Feeds are published with their texts.
        connection.execute(
            update(feed_schedules).where(is_listed).values(build_at=db_after(feed_schedules.c.build_at))
        )
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
    if is_final:
        is_new = isinstance(result, Extracted) and result.clean_text != before
        _wake_items(connection, job.url, is_new=is_new, again=is_new and before is not None)
    if outbox:
        note_article(
            connection, job.uid, ending.at, result.code if isinstance(result, NotExtracted) else None
        )
    return True


def _stored(ending: ArticleEnding) -> dict[str, Any]:
    """The columns of an article whose text is up to date."""
    given = {
        "etag": ending.validators.etag,
        "last_modified": ending.validators.last_modified,
        "validators_url": ending.validators.url,
    }
    # A 304 without validators leaves the ones that were sent.
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
        "html": found.html,
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
    """Queue the article's items for analysis: everything that can be known of the article is known.

    `is_new` includes items being analyzed, because that analysis lacks this text. `again` includes items already
    analyzed, because the text has changed.
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
