"""Queries for `/rss`: one indexed query, because readers ask for it far more often than for anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.model.item import ServedItem
from inforadar.store.feeds.queries import load_feed
from inforadar.store.published.cached_feeds import load_last_items
from inforadar.store.schema.feeds import cached_feeds, feed_urls, feeds
from inforadar.store.types import one_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedFeed:
    """The parts of a feed needed to serve it, without the document, which is rarely needed to answer."""

    id: FeedId
    enabled: bool
    deleted: bool
    updated_at: datetime | None
    """When the document last changed; None if nothing was built yet."""


_COLUMNS = (feeds.c.id, feeds.c.enabled, feeds.c.deleted_at, cached_feeds.c.updated_at)
_served = feeds.join(cached_feeds, cached_feeds.c.id == feeds.c.id, isouter=True)
_served_before = feed_urls.join(_served, feeds.c.id == feed_urls.c.feed_id)
_DOCUMENT = select(cached_feeds.c.updated_at, cached_feeds.c.xml_content).where(
    cached_feeds.c.id == bindparam("feed")
)


def load_served_feeds(connection: Connection, url_hashes: Sequence[str]) -> Mapping[str, ServedFeed]:
    """Find feeds by the hash of their URL (`feed_key`), or if no feed has it now, of a URL they had before."""
    found: dict[str, ServedFeed] = {}
    for key, table in ((feeds.c.url_hash, _served), (feed_urls.c.url_hash, _served_before)):
        missing = [url_hash for url_hash in url_hashes if url_hash not in found]
        if missing:
            query = select(key.label("key"), *_COLUMNS).select_from(table).where(one_of(key, missing))
            for row in connection.execute(query):
                found[row.key] = ServedFeed(
                    id=row.id,
                    enabled=row.enabled,
                    deleted=row.deleted_at is not None,
                    updated_at=row.updated_at,
                )
    return found


def load_document(connection: Connection, feed_id: FeedId) -> tuple[datetime, str] | None:
    """The document and its date, read by one statement because they belong together."""
    row = connection.execute(_DOCUMENT, {"feed": feed_id}).first()
    return (row.updated_at, row.xml_content) if row else None


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedContent:
    """The data that every document of a feed is rendered from."""

    feed: Feed
    updated_at: datetime | None
    items: tuple[ServedItem, ...]


def load_feed_content(
    connection: Connection, feed_id: FeedId, limit: int, max_score: float | None = None
) -> FeedContent:
    """Load a feed with its newest items; with `max_score`, only analyzed items with at most that score."""
    # The date is read first: after a change in between, the document is rendered again once the build has caught up.
    updated_at = connection.execute(
        select(cached_feeds.c.updated_at).where(cached_feeds.c.id == feed_id)
    ).scalar()
    feed = load_feed(connection, feed_id)
    return FeedContent(
        feed=feed,
        updated_at=updated_at,
        items=tuple(load_last_items(connection, feed, limit, max_score)),
    )
