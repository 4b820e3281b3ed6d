"""Built feeds, and what building one needs: the one place that decides what is served, and since when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import Connection, Select, and_, bindparam, not_, null, select, true

from inforadar.model.article import ArticleStatus
from inforadar.model.feed import Feed
from inforadar.model.feed_options import Content
from inforadar.model.ids import FeedId, UrlHash
from inforadar.model.item import ItemText, ServedItem
from inforadar.store.articles.queries import BEST_TEXT
from inforadar.store.feeds.credentials import load_ids_with_credentials
from inforadar.store.feeds.rows import feed_from_row, select_feeds
from inforadar.store.items.metadata_rows import METADATA_ROWS
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import cached_feeds, feed_schedules
from inforadar.store.schema.items import IS_PART_OF_PAGE, items
from inforadar.store.types import one_of

_i, _a = items.c, articles.c


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedFeed:
    """A document as it is served."""

    updated_at: datetime
    xml_header: str
    xml_content: str
    item_refs: tuple[UrlHash, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildJob:
    """Everything that building one feed needs.

    `build_at` is read before the items: a change in between causes a second build and is never lost.
    """

    feed: Feed
    content: Content
    build_at: datetime
    items: tuple[ServedItem, ...]
    cached: CachedFeed | None


def load_build_jobs(connection: Connection, *, limit: int, last_n: int) -> list[BuildJob]:
    """Load feeds whose items changed since they were built."""
    s = feed_schedules.c
    query = (
        select_feeds()
        .add_columns(s.build_at)
        .where(s.build_at.is_not(None))
        .order_by(s.build_at)
        .limit(limit)
    )
    waiting = [(feed_from_row(row), row.build_at) for row in connection.execute(query).all()]
    ids = [feed.id for feed, _ in waiting]
    cached, secret = _load_cached_feeds(connection, ids), load_ids_with_credentials(connection, ids)
    jobs = []
    for feed, build_at in waiting:
        content = feed.options.published_content(has_credentials=feed.id in secret)
        found = load_last_items(connection, feed, last_n, with_text=content is Content.FULL)
        jobs.append(
            BuildJob(
                feed=feed,
                content=content,
                build_at=build_at,
                items=tuple(found),
                cached=cached.get(feed.id),
            )
        )
    return jobs


def load_last_items(
    connection: Connection,
    feed: Feed,
    last_n: int,
    max_score: float | None = None,
    *,
    with_text: bool = False,
) -> list[ServedItem]:
    """The newest items that the feed serves; with `max_score`, only analyzed items with at most that score."""
    is_scored = max_score is not None
    query = _last_items(
        is_analyzed=feed.asks_for_analysis or is_scored,
        is_scored=is_scored,
        with_text=with_text,
        is_sqlite=connection.dialect.name == "sqlite",
    )
    given = {"feed": feed.id, "number": last_n, **({"max_score": max_score} if is_scored else {})}
    return [
        ServedItem(
            url=url,
            hash=hash_,
            link=link,
            published_at=published_at,
            revised_at=revised_at,
            analyzer_result=analyzer_result,
            source=feed.source,
            topic=feed.topic,
            text=ItemText(
                content=content,
                html=html or "",
                markdown=markdown or "",
                clean_text=clean_text or "",
                text_len=text_len or 0,
            )
            if with_text
            else None,
            **METADATA_ROWS.from_row(metadata),
        )
        for (
            url, hash_, link, published_at, revised_at, analyzer_result,
            content, html, markdown, clean_text, text_len, *metadata
        ) in connection.execute(query, given)
    ]  # fmt: skip


_SERVED = (
    _i.url, _i.hash, _i.link, _i.pub_date, _i.revised_at, _i.analyzer_result,
)  # fmt: skip
_METADATA = tuple(_i[name] for name in METADATA_ROWS.names)
_NO_TEXT = tuple(null() for _ in (_i.content, *BEST_TEXT))
_ITS_ARTICLE = and_(_a.uid == _i.uid, _a.status == ArticleStatus.SUCCESS.value, not_(IS_PART_OF_PAGE))


@cache
def _last_items(*, is_analyzed: bool, is_scored: bool, with_text: bool, is_sqlite: bool) -> Select[Any]:
    """Cached, because every build of a feed uses it."""
    if not with_text:
        query = select(*_SERVED, *_NO_TEXT, *_METADATA)
    elif is_sqlite:
        query = select(*_SERVED, _i.content, *BEST_TEXT, *_METADATA)
        query = query.select_from(items.outerjoin(articles, _ITS_ARTICLE))
    else:
        # While a new database is filled, PostgreSQL would read all articles to join those of one feed.
        text = select(*BEST_TEXT).where(_ITS_ARTICLE).limit(1).lateral()
        query = select(*_SERVED, _i.content, *text.c, *_METADATA)
        query = query.select_from(items.outerjoin(text, true()))
    query = query.where(_i.feed_id == bindparam("feed"))
    if is_analyzed:
        query = query.where(_i.analyzed_at.is_not(None))
    if is_scored:
        query = query.where(_i.score <= bindparam("max_score"))
    return query.order_by(_i.pub_date.desc(), _i.id.desc()).limit(bindparam("number"))


def load_cached_feed(connection: Connection, feed_id: FeedId) -> CachedFeed | None:
    return _load_cached_feeds(connection, [feed_id]).get(feed_id)


def _load_cached_feeds(connection: Connection, feed_ids: Sequence[FeedId]) -> dict[FeedId, CachedFeed]:
    query = select(cached_feeds).where(one_of(cached_feeds.c.id, feed_ids))
    return {
        row.id: CachedFeed(
            updated_at=row.updated_at,
            xml_header=row.xml_header,
            xml_content=row.xml_content,
            item_refs=tuple(row.item_refs),
        )
        for row in connection.execute(query)
    }
