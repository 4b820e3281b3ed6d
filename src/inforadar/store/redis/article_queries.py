"""Articles as Redis shows them, and the SQL queries for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from inforadar.model.article import ArticleStatus
from inforadar.model.ids import Uid
from inforadar.store.articles.queries import load_topics
from inforadar.store.schema.articles import article_categories, article_failures, articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.types import one_of

_a = articles.c


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectedArticle:
    """An article as Redis shows it."""

    uid: Uid
    categories: frozenset[str]
    at: datetime
    """Start of its 7 days: when the text was fetched, or else when the last attempt failed."""
    attempted_at: datetime | None
    is_stored: bool
    fields: Mapping[str, str | int]
    """The seed's ten fields, in its order."""


_COLUMNS = (
    _a.uid,
    _a.url,
    _a.category,
    _a.status,
    _a.raw_len,
    _a.text_len,
    _a.clean_text,
    _a.abstract,
    _a.image,
    _a.fetched_at,
    _a.attempted_at,
    _a.updated_at,
)


def load_projected(connection: Connection, uids: Sequence[Uid]) -> list[ProjectedArticle]:
    """Load the articles among these that were attempted."""
    query = select(*_COLUMNS).where(one_of(_a.uid, uids))
    return _projected(connection, query.where(_a.status != ArticleStatus.NOT_FETCHED.value))


def load_projected_after(connection: Connection, last: str, limit: int) -> list[ProjectedArticle]:
    """Load the next attempted articles, in order of uid."""
    query = select(*_COLUMNS).where(_a.uid > last, _a.status != ArticleStatus.NOT_FETCHED.value)
    return _projected(connection, query.order_by(_a.uid).limit(limit))


def _projected(connection: Connection, query: Any) -> list[ProjectedArticle]:
    rows = connection.execute(query).all()
    topics = load_topics(connection, {row.uid: row.url for row in rows})
    found = []
    for row in rows:
        is_stored = row.status == ArticleStatus.SUCCESS
        at = row.fetched_at if is_stored else row.updated_at
        found.append(
            ProjectedArticle(
                uid=row.uid,
                categories=frozenset({row.category, *topics.get(row.uid, ())}),
                at=at,
                attempted_at=row.attempted_at,
                is_stored=is_stored,
                fields={
                    "uid": row.uid,
                    "url": row.url,
                    "category": row.category,
                    "raw_len": row.raw_len,
                    "text_len": row.text_len,
                    "clean_text": row.clean_text or "",
                    "abstract": row.abstract or "",
                    "image": row.image or "",
                    "fetched_ts": int(at.timestamp()),
                    "status": row.status,
                },
            )
        )
    return found


def load_listed_since(
    connection: Connection, since: datetime, after: tuple[str, str], limit: int
) -> list[tuple[str, str, datetime]]:
    """(topic, URL, time) of what was listed since then, after the given topic and URL."""
    listed = (
        select(feeds.c.topic.label("topic"), items.c.url.label("url"), items.c.created_at.label("at"))
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(items.c.created_at >= since, feeds.c.deleted_at.is_(None))
    )
    queued = select(_a.category, _a.url, _a.created_at).where(_a.created_at >= since)
    also = articles.join(article_categories, article_categories.c.uid == _a.uid)
    brought = (
        select(article_categories.c.category, _a.url, article_categories.c.created_at)
        .select_from(also)
        .where(article_categories.c.created_at >= since)
    )
    both = listed.union_all(queued, brought).subquery()
    topic, url = after
    query = (
        select(both.c.topic, both.c.url, func.max(both.c.at).label("at"))
        .where((both.c.topic > topic) | ((both.c.topic == topic) & (both.c.url > url)))
        .group_by(both.c.topic, both.c.url)
        .order_by(both.c.topic, both.c.url)
        .limit(limit)
    )
    return [(row.topic, row.url, row.at) for row in connection.execute(query)]


def load_failures_after(
    connection: Connection, last: tuple[str, str], limit: int
) -> list[tuple[Uid, str, datetime]]:
    """(uid, code, last time) of every failure, after the given uid and code."""
    f = article_failures.c
    uid, code = last
    query = (
        select(f.uid, f.code, func.max(f.at).label("at"))
        .where((f.uid > uid) | ((f.uid == uid) & (f.code > code)))
        .group_by(f.uid, f.code)
        .order_by(f.uid, f.code)
        .limit(limit)
    )
    return [(row.uid, row.code, row.at) for row in connection.execute(query)]
