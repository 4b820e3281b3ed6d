"""Queue articles: URLs that people request, that other programs push, or that are to be retried."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select, update

from inforadar.model.article import ArticleStatus
from inforadar.model.ids import Uid
from inforadar.store.articles.queries import FAILED_LONG_AGO, is_free, load_topics
from inforadar.store.redis.outbox import note_known
from inforadar.store.schema.articles import article_categories, articles
from inforadar.store.types import db_now, one_of
from inforadar.store.upsert import upsert

_a = articles.c


def retry_old_failures(connection: Connection, listed: Iterable[Uid]) -> int:
    """Queue the listed URLs again whose last attempt failed at least 30 days ago, with their attempts reset."""
    if connection.execute(select(_a.uid).where(*FAILED_LONG_AGO).limit(1)).first() is None:
        return 0
    chosen = (
        select(_a.uid)
        .where(*FAILED_LONG_AGO, one_of(_a.uid, listed))
        .order_by(_a.uid)
        .with_for_update()
        .cte("chosen")
    )
    revived = connection.execute(
        update(articles)
        .where(_a.uid.in_(select(chosen.c.uid)))
        .values(next_attempt_at=db_now(), attempts=0)
        .returning(_a.uid)
    )
    return len(revived.all())


@dataclass(frozen=True, slots=True, kw_only=True)
class EnqueueResult:
    """Counts of the URLs that another program pushed."""

    queued: int
    """New, or failed more than 30 days ago: to be fetched."""
    known: int
    """The article is already stored."""


def enqueue_urls(
    connection: Connection, category: str, urls: Mapping[Uid, str], skipped: Sequence[Uid], at: datetime
) -> EnqueueResult:
    """Queue new URLs. `skipped` were handled by someone else, and we have nothing of them."""
    passed_over = set(skipped)
    rows = [
        {"uid": key, "url": urls[key], "category": category} for key in sorted(urls) if key not in passed_over
    ]
    queued = 0
    if rows:
        statement = upsert(connection, articles).values(next_attempt_at=db_now()).on_conflict_do_nothing()
        queued = len(connection.execute(statement.returning(_a.uid), rows).all())
    queued += retry_old_failures(connection, urls)
    here = connection.execute(select(_a.uid, _a.category, _a.status).where(one_of(_a.uid, urls))).all()
    topics = load_topics(connection, urls)
    elsewhere = [
        {"uid": row.uid, "category": category}
        for row in here
        if category not in {row.category, *topics.get(row.uid, ())}
    ]
    if elsewhere:
        connection.execute(upsert(connection, article_categories).on_conflict_do_nothing(), elsewhere)
    known = [row.uid for row in here if row.status == ArticleStatus.SUCCESS]
    note_known(connection, category, known, at)
    return EnqueueResult(queued=queued, known=len(known))


def request_article(connection: Connection, uid: Uid, url: str, category: str) -> None:
    """Make an article due now: the first worker fetches it. A stored text stays until there is a new one."""
    wanted = upsert(connection, articles).values(
        uid=uid, url=url, category=category, next_attempt_at=db_now()
    )
    # If a worker already has it, it continues, and its lease stays as it is.
    connection.execute(
        wanted.on_conflict_do_update(
            index_elements=["uid"], set_={"next_attempt_at": db_now()}, where=is_free()
        )
    )


def request_articles_without_html(connection: Connection) -> int:
    """Make the stored articles due that have no HTML yet; return how many. Those a worker has are left to it."""
    old = (
        select(_a.uid)
        .where(_a.status == ArticleStatus.SUCCESS.value, _a.html.is_(None), is_free())
        .order_by(_a.uid)
        .with_for_update()
        .cte("old")
    )
    # Without validators: an unchanged page is to be read again too.
    wanted = {"next_attempt_at": db_now(), "etag": None, "last_modified": None, "validators_url": None}
    found = connection.execute(
        update(articles).where(_a.uid.in_(select(old.c.uid))).values(**wanted).returning(_a.uid)
    )
    return len(found.all())
