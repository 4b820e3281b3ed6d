"""Change a feed's URL and keep the former one findable (B4)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete

from inforadar.model.feed import Feed
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.queries import feed_key
from inforadar.store.schema.feeds import feed_urls
from inforadar.store.types import db_now
from inforadar.store.upsert import upsert


def save_url(connection: Connection, feed: Feed, url: str, at: datetime | None = None) -> None:
    """Replace a feed's URL; the former one, left `at` that time or now, still finds it. The new one must be free."""
    href, key = feed_key(url)
    _, old_key = feed_key(feed.url)
    former = upsert(connection, feed_urls).values(
        url_hash=old_key, feed_id=feed.id, url=feed.url, left_at=at or db_now()
    )
    connection.execute(
        former.on_conflict_do_update(
            index_elements=["url_hash"],
            set_={"feed_id": former.excluded.feed_id, "left_at": former.excluded.left_at},
        )
    )
    # A feed that returns to a former URL has not left it.
    connection.execute(delete(feed_urls).where(feed_urls.c.url_hash == key, feed_urls.c.feed_id == feed.id))
    update_feed(connection, feed.id, {"url": href, "url_hash": key, "moving": None, "body_digest": None})
