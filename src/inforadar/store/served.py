"""What the API answers `/rss` from: one indexed question, because readers ask it far more than any other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from inforadar.store.schema import cached_feeds, feed_urls, feeds


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedFeed:
    """A feed as far as serving it goes."""

    enabled: bool
    deleted: bool
    updated_at: datetime | None
    """When the document last changed; `None`: nothing was built yet."""
    xml_content: str | None


_SERVED: Select[Any] = select(
    feeds.c.enabled, feeds.c.deleted_at, cached_feeds.c.updated_at, cached_feeds.c.xml_content
).join_from(feeds, cached_feeds, cached_feeds.c.id == feeds.c.id, isouter=True)
_BY_URL = _SERVED.where(feeds.c.url_hash == bindparam("key"))
_BY_FORMER_URL = _SERVED.join(feed_urls, feed_urls.c.feed_id == feeds.c.id).where(
    feed_urls.c.url_hash == bindparam("key")
)


def load_served_feed(connection: Connection, url_hash: str) -> ServedFeed | None:
    """By the hash of its URL (`feed_key`) or, if nobody has it now, of one that a feed had before it moved."""
    asked = {"key": url_hash}
    row = connection.execute(_BY_URL, asked).first() or connection.execute(_BY_FORMER_URL, asked).first()
    if row is None:
        return None
    return ServedFeed(
        enabled=row.enabled,
        deleted=row.deleted_at is not None,
        updated_at=row.updated_at,
        xml_content=row.xml_content,
    )
