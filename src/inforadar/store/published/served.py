"""Queries for `/rss`: one indexed query, because readers ask for it far more often than for anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from inforadar.model.feed import Feed
from inforadar.model.feed_options import Content
from inforadar.model.ids import FeedId
from inforadar.model.item import ServedItem
from inforadar.store.feeds.credentials import has_credentials
from inforadar.store.feeds.queries import load_feed
from inforadar.store.published.cached_feeds import CachedFeed, load_cached_feed, load_last_items
from inforadar.store.schema.feeds import cached_feeds, feed_urls, feeds
from inforadar.store.types import one_of_given


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
_SERVED = [
    select(key.label("key"), *_COLUMNS).select_from(table).where(one_of_given(key, "hashes"))
    for key, table in ((feeds.c.url_hash, _served), (feed_urls.c.url_hash, _served_before))
]
"""By the URL that feeds have now, and by those that they had before."""
_DOCUMENT = select(cached_feeds.c.updated_at, cached_feeds.c.xml_content).where(
    cached_feeds.c.id == bindparam("feed")
)


def load_served_feeds(connection: Connection, url_hashes: Sequence[str]) -> Mapping[str, ServedFeed]:
    """Find feeds by the hash of their URL (`feed_key`), or if no feed has it now, of a URL they had before."""
    found: dict[str, ServedFeed] = {}
    for query in _SERVED:
        missing = [url_hash for url_hash in url_hashes if url_hash not in found]
        if missing:
            for row in connection.execute(query, {"hashes": missing}):
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
    content: Content
    """How much text these items come with."""
    built: CachedFeed | None
    items: tuple[ServedItem, ...]


def load_feed_content(
    connection: Connection,
    feed_id: FeedId,
    limit: int,
    max_score: float | None = None,
    *,
    choose: Callable[[Content], Content] = lambda own: own,
) -> FeedContent:
    """Load a feed with its newest items; with `max_score`, only analyzed items with at most that score.

    `choose` gets how much text the feed itself publishes, and returns how much is wanted.
    """
    # The date is read first: after a change in between, the document is rendered again once the build has caught up.
    built = load_cached_feed(connection, feed_id)
    feed = load_feed(connection, feed_id)
    own = feed.options.published_content(has_credentials=has_credentials(connection, feed_id))
    content = choose(own)
    found = load_last_items(connection, feed, limit, max_score, with_text=content is Content.FULL)
    return FeedContent(feed=feed, content=content, built=built, items=tuple(found))
