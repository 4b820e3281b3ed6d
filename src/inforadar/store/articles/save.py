"""Save the result of fetching an article; queue its items for analysis, and their feeds for building."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, case, insert, literal, select, update

from inforadar.model.article import ArticleStatus, Extracted, NotExtracted
from inforadar.model.http import NotModified, Validators
from inforadar.store.articles.claims import ArticleJob, unless_requested
from inforadar.store.articles.values import article_values, lock_schedules, queue_builds, wake_items
from inforadar.store.redis.outbox import note_article
from inforadar.store.revisions.prune import DEFAULT_VERSIONS
from inforadar.store.revisions.save import NewVersion, record_revision
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.types import db_later
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
    new_version: NewVersion | None = None
    """Set if the text was stored before and the outlet has changed it since."""


def save_article(
    connection: Connection,
    ending: ArticleEnding,
    *,
    max_versions: int = DEFAULT_VERSIONS,
    outbox: bool = False,
) -> bool:
    """Store the result, and queue the article's items for analysis and their feeds for building.

    Returns False if the lease was lost. With `outbox`, also note it for Redis.
    """
    job, result = ending.job, ending.result
    values = _values(ending)
    if isinstance(result, Extracted):
        # Lock the schedules before article and items: the writer uses the same order.
        lock_schedules(connection, job.url)
    own = (_a.uid == job.uid, _a.lease_token == job.token)
    stored = None
    if job.text_len is not None:
        stored = connection.execute(select(articles).where(*own).with_for_update()).first()
    before: str | None = stored.clean_text if stored else None
    if stored is not None and ending.new_version is not None:
        record_revision(connection, job.uid, stored, ending.new_version, ending.at, max_versions=max_versions)
    is_final = values["next_attempt_at"] is None
    if is_final:
        values["next_attempt_at"] = unless_requested(None)
    held = connection.execute(update(articles).where(*own).values(**values).returning(_a.uid)).first()
    if held is None:
        return False
    if isinstance(result, Extracted):
        queue_builds(connection, job.url)
    elif isinstance(result, NotExtracted):
        _note_failure(connection, ending, result)
    if is_final:
        is_new = isinstance(result, Extracted) and result.clean_text != before
        wake_items(connection, job.url, is_new=is_new, again=is_new and before is not None)
    if outbox:
        note_article(
            connection, job.uid, ending.at, result.code if isinstance(result, NotExtracted) else None
        )
    return True


def _values(ending: ArticleEnding) -> dict[str, Any]:
    """The columns that this ending changes."""
    job, result = ending.job, ending.result
    values: dict[str, Any] = {
        "attempts": job.attempts + 1,
        "locked_until": None,
        "lease_token": None,
        "updated_at": ending.at,
    }
    match result:
        case Extracted():
            values |= article_values(result) | _stored(ending)
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
    return values


def _note_failure(connection: Connection, ending: ArticleEnding, failure: NotExtracted) -> None:
    row = {"uid": ending.job.uid, "at": ending.at, "code": failure.code.value, "detail": failure.detail}
    connection.execute(insert(article_failures).values(**row, host=hostname(ending.job.url)))


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
