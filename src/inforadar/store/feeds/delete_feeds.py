"""Delete feeds: softly, so that they can be restored, or permanently with everything that belongs to them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, delete, select

from inforadar.errors import UsageError
from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.options import lock_options, save_options
from inforadar.store.feeds.queries import load_feed
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.people import mark_labels, marks
from inforadar.store.schema.runs import runs
from inforadar.store.sitemaps.prune import delete_sites
from inforadar.urls import uid, url_hash


def delete_feed(connection: Connection, feed_id: FeedId, at: datetime) -> Feed:
    """Delete a feed softly: the row stays and records whether it was enabled, so that it can be restored."""
    held = lock_options(connection, feed_id)
    feed = load_feed(connection, feed_id)
    if feed.deleted_at:
        return feed
    save_options(connection, feed_id, held.replaced({"was_enabled": feed.enabled or None}))
    update_feed(connection, feed_id, {"deleted_at": at, "enabled": False})
    return load_feed(connection, feed_id)


def restore_feed(connection: Connection, feed_id: FeedId) -> Feed:
    """Restore a deleted feed with its schedule. A feed that an earlier version deleted stays disabled."""
    held = lock_options(connection, feed_id)
    feed = load_feed(connection, feed_id)
    if feed.deleted_at is None:
        raise UsageError(f"{feed.url} is not deleted; nothing was changed.")
    save_options(connection, feed_id, held.replaced({"was_enabled": None}))
    update_feed(connection, feed_id, {"deleted_at": None, "enabled": bool(held.was_enabled)})
    return load_feed(connection, feed_id)


def purge_feeds(connection: Connection, feed_ids: Sequence[FeedId]) -> None:
    """Delete permanently: the feeds, their items, and the articles, marks and runs that nothing else uses."""
    mine = items.c.feed_id.in_(feed_ids)
    urls = select(items.c.url).where(mine).distinct().subquery()
    only_here = select(urls.c.url).where(~select(items.c.id).where(items.c.url == urls.c.url, ~mine).exists())
    gone = list(connection.execute(only_here).scalars())
    touched = (
        select(items.c.run_id)
        .where(mine)
        .union(select(item_changes.c.run_id).join_from(item_changes, items).where(mine))
    )
    run_ids = [run_id for run_id in connection.execute(touched).scalars() if run_id]
    connection.execute(delete(feeds).where(feeds.c.id.in_(feed_ids)))
    delete_sites(connection, [str(feed_id) for feed_id in feed_ids])
    for start in range(0, len(gone), 500):
        part = gone[start : start + 500]
        uids = [uid(url) for url in part]
        connection.execute(delete(articles).where(articles.c.uid.in_(uids)))
        connection.execute(delete(article_failures).where(article_failures.c.uid.in_(uids)))
        for table in (marks, mark_labels):
            connection.execute(delete(table).where(table.c.hash.in_([url_hash(url) for url in part])))
    still_used = select(items.c.run_id).where(items.c.run_id == runs.c.id).exists()
    still_changed = select(item_changes.c.run_id).where(item_changes.c.run_id == runs.c.id).exists()
    connection.execute(delete(runs).where(runs.c.id.in_(run_ids), ~still_used, ~still_changed))
