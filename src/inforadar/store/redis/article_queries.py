"""Articles as Redis shows them, and the SQL queries for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, Table, func, literal, select, tuple_, union_all

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


_c = article_categories.c
LISTED: dict[Table, Select[Any]] = {
    items: select(feeds.c.topic.label("topic"), items.c.url.label("url"), items.c.created_at.label("at"))
    .join_from(items, feeds, feeds.c.id == items.c.feed_id)
    .where(feeds.c.deleted_at.is_(None)),
    articles: select(_a.category.label("topic"), _a.url.label("url"), _a.created_at.label("at")),
    article_categories: select(
        _c.category.label("topic"), _a.url.label("url"), _c.created_at.label("at")
    ).join_from(article_categories, articles, _a.uid == _c.uid),
}
"""Topic, URL and time of what feeds list, what was queued, and what other programs brought: each by its own table."""


def load_listed_since(
    connection: Connection, table: Table, since: datetime, after: Sequence[Any] | None, limit: int
) -> tuple[list[tuple[str, str, datetime]], Sequence[Any] | None]:
    """(topic, URL, time) of what one of the `LISTED` tables lists since then, and the key to continue after.

    In order of the table's key, so that all pages together read it once. A URL may be on several pages.
    """
    keys = list(table.primary_key.columns)
    query = LISTED[table].add_columns(*keys).where(table.c.created_at >= since).order_by(*keys).limit(limit)
    if after is not None:
        given = [literal(value, column.type) for value, column in zip(after, keys, strict=True)]
        query = query.where(tuple_(*keys) > tuple_(*given) if len(keys) > 1 else keys[0] > given[0])
    rows = connection.execute(query).all()
    last = tuple(rows[-1][3:]) if rows else None
    return [(row.topic, row.url, row.at) for row in rows], last


def count_listed_since(connection: Connection, since: datetime) -> int:
    """How many URLs are listed since then, each once per topic."""
    recent = [query.where(table.c.created_at >= since) for table, query in LISTED.items()]
    listed = union_all(*recent).subquery()
    once = select(listed.c.topic, listed.c.url).distinct().subquery()
    return connection.execute(select(func.count()).select_from(once)).scalar_one()


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
