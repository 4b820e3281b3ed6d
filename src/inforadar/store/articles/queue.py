"""The queue of URLs to fetch: what comes in beside new items, what comes back, and when the next one is due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from sqlalchemy import Connection, and_, func, literal, or_, select, update

from inforadar.errors import NotFoundError
from inforadar.model.article import ArticleStatus
from inforadar.model.ids import LeaseToken, Uid
from inforadar.store.articles.articles import JOB_COLUMNS, ArticleJob, is_free, job_from_row
from inforadar.store.clock_sanity import is_absurd
from inforadar.store.leases import LEASE_S
from inforadar.store.redis.outbox import note_known
from inforadar.store.schema.articles import article_categories, articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_later, db_now, one_of
from inforadar.store.upsert import upsert

ATTEMPTED_S = 30 * 86400.0
"""For so long a URL that failed for good is left alone (D3)."""

_a = articles.c
_failed_long_ago = (
    # Written out, because SQLite does not look into a partial index for a parameter.
    _a.status == literal(ArticleStatus.FAILURE.value, literal_execute=True),
    _a.attempted_at <= db_later(literal(-ATTEMPTED_S)),
    _a.next_attempt_at.is_(None),
)


def retry_old_failures(connection: Connection, listed: Iterable[Uid]) -> int:
    """Queues those of the listed URLs again whose last attempt failed 30 days ago or more: all is forgotten."""
    if connection.execute(select(_a.uid).where(*_failed_long_ago).limit(1)).first() is None:
        return 0
    chosen = (
        select(_a.uid)
        .where(*_failed_long_ago, one_of(_a.uid, listed))
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


def load_known_uids(connection: Connection, uids: Iterable[Uid]) -> set[Uid]:
    """Those that have a row: fetched, failed or waiting."""
    return set(connection.execute(select(_a.uid).where(one_of(_a.uid, uids))).scalars())


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """What became of URLs that another program brought."""

    queued: int
    """New here, or failed more than 30 days ago: to be fetched."""
    known: int
    """The article is there already."""


def take_in_urls(
    connection: Connection, category: str, urls: Mapping[Uid, str], skipped: Sequence[Uid], at: datetime
) -> TakenIn:
    """Queues what is new. `skipped` are those that someone else has dealt with, of which nothing is here."""
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
    return TakenIn(queued=queued, known=len(known))


def load_topics(connection: Connection, urls: Mapping[Uid, str]) -> dict[Uid, set[str]]:
    """Under which topics articles are listed, by feeds and by other programs, beside their own category."""
    by_url = {url: key for key, url in urls.items()}
    listed = (
        select(items.c.url, feeds.c.topic)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(one_of(items.c.url, by_url), feeds.c.deleted_at.is_(None))
        .distinct()
    )
    topics: dict[Uid, set[str]] = {}
    for row in connection.execute(listed):
        topics.setdefault(by_url[row.url], set()).add(row.topic)
    brought = select(article_categories).where(one_of(article_categories.c.uid, urls))
    for row in connection.execute(brought):
        topics.setdefault(row.uid, set()).add(row.category)
    return topics


def seconds_to_next_article(connection: Connection) -> float | None:
    """Until one is due, by the database's clock; None: nothing is queued."""
    queued = select(func.min(_a.next_attempt_at).label("at"), db_now().label("now"))
    row = connection.execute(queued.where(_a.next_attempt_at.is_not(None))).one()
    return None if row.at is None else max((row.at - row.now).total_seconds(), 0.0)


def claim_article(connection: Connection, uid: Uid, *, lease_s: float = LEASE_S) -> ArticleJob | None:
    """Leases this one, whether it is due or not; None: another worker is at it."""
    until = db_later(literal(lease_s))
    row = connection.execute(
        update(articles)
        .where(_a.uid == uid, is_free())
        .values(locked_until=until, next_attempt_at=until, lease_token=uuid4().hex)
        .returning(*JOB_COLUMNS, _a.lease_token)
    ).first()
    if row is not None:
        return job_from_row(row, LeaseToken(row.lease_token))
    if not load_known_uids(connection, [uid]):
        raise NotFoundError(f"There is no article {uid}.")
    return None


def claim_new_article(connection: Connection, uid: Uid, url: str, category: str) -> ArticleJob | None:
    """Leases an article, queued or unheard of; None: it is there, or another's, or not to be tried again yet."""
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
            and_(_a.next_attempt_at.is_(None), *_failed_long_ago[:2]),
        ),
    )
    return claim_article(connection, uid) if connection.execute(is_due).first() else None


def request_article(connection: Connection, uid: Uid, url: str, category: str) -> None:
    """Someone wants it now: the first worker fetches it. A text that is there stays until there is another."""
    wanted = upsert(connection, articles).values(
        uid=uid, url=url, category=category, next_attempt_at=db_now()
    )
    # Whoever is at it already goes on; its lease ends as it would have.
    connection.execute(
        wanted.on_conflict_do_update(
            index_elements=["uid"], set_={"next_attempt_at": db_now()}, where=is_free()
        )
    )
