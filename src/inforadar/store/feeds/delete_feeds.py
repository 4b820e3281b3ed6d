"""Feeds that go for good, with all that hangs on them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, delete, select

from inforadar.model.ids import FeedId
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.people import marks
from inforadar.store.schema.runs import runs
from inforadar.store.sitemaps.prune import delete_sites
from inforadar.urls import uid, url_hash


def purge_feeds(connection: Connection, feed_ids: Sequence[FeedId]) -> None:
    """For good: the feeds, their items, and the articles, marks and runs that nothing else hangs on."""
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
        connection.execute(delete(marks).where(marks.c.hash.in_([url_hash(url) for url in part])))
    still_used = select(items.c.run_id).where(items.c.run_id == runs.c.id).exists()
    still_changed = select(item_changes.c.run_id).where(item_changes.c.run_id == runs.c.id).exists()
    connection.execute(delete(runs).where(runs.c.id.in_(run_ids), ~still_used, ~still_changed))
