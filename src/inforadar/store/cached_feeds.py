"""Built feeds: the one place that says what is served, and since when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select, update
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from inforadar.model.feed import Feed
from inforadar.model.ids import FeedId, UrlHash
from inforadar.model.item import Item
from inforadar.store.feeds import feed_from_row, select_feeds
from inforadar.store.items import item_from_row, select_items
from inforadar.store.schema import cached_feeds, feed_schedules, items


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

    `build_at` is read before the items: what changes in between is built twice, never lost.
    """

    feed: Feed
    build_at: datetime
    items: tuple[Item, ...]
    cached: CachedFeed | None


def load_build_jobs(connection: Connection, *, limit: int, last_n: int) -> list[BuildJob]:
    """Feeds whose items changed since they were built."""
    s = feed_schedules.c
    query = (
        select_feeds()
        .add_columns(s.build_at)
        .where(s.build_at.is_not(None))
        .order_by(s.build_at)
        .limit(limit)
    )
    jobs = []
    for row in connection.execute(query).all():
        feed = feed_from_row(row)
        jobs.append(
            BuildJob(
                feed=feed,
                build_at=row.build_at,
                items=tuple(load_last_items(connection, feed, last_n)),
                cached=load_cached_feed(connection, feed.id),
            )
        )
    return jobs


def load_last_items(
    connection: Connection, feed: Feed, last_n: int, max_score: float | None = None
) -> list[Item]:
    """The newest items that the feed is served with; with `max_score` those that are analyzed and score no more."""
    query = select_items().where(items.c.feed_id == feed.id)
    if feed.asks_for_analysis or max_score is not None:
        query = query.where(items.c.analyzed_at.is_not(None))
    if max_score is not None:
        query = query.where(items.c.score <= max_score)
    newest = query.order_by(items.c.pub_date.desc(), items.c.id.desc()).limit(last_n)
    return [item_from_row(row) for row in connection.execute(newest)]


def load_cached_feed(connection: Connection, feed_id: FeedId) -> CachedFeed | None:
    row = connection.execute(select(cached_feeds).where(cached_feeds.c.id == feed_id)).first()
    if row is None:
        return None
    return CachedFeed(
        updated_at=row.updated_at,
        xml_header=row.xml_header,
        xml_content=row.xml_content,
        item_refs=tuple(row.item_refs),
    )


def save_cached_feed(
    connection: Connection,
    feed_id: FeedId,
    *,
    xml_header: str,
    xml_content: str,
    item_refs: Sequence[UrlHash],
    updated_at: datetime,
) -> None:
    insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
    row = insert(cached_feeds).values(
        id=feed_id,
        xml_header=xml_header,
        xml_content=xml_content,
        item_refs=list(item_refs),
        updated_at=updated_at,
    )
    new = row.excluded
    connection.execute(
        row.on_conflict_do_update(
            index_elements=["id"],
            set_={
                "xml_header": new.xml_header,
                "xml_content": new.xml_content,
                "item_refs": new.item_refs,
                "updated_at": new.updated_at,
            },
        )
    )


def finish_build(connection: Connection, job: BuildJob, document: CachedFeed | None = None) -> bool:
    """Stores the document, if there is a new one, and takes the feed off the list.

    If its items changed meanwhile the feed stays on the list. If another worker has built it meanwhile,
    from items at least as new, nothing is stored, and the answer is False.
    """
    s = feed_schedules.c
    mark = connection.execute(select(s.build_at).where(s.id == job.feed.id).with_for_update()).scalar()
    if mark is None:
        return False
    if document:
        save_cached_feed(
            connection,
            job.feed.id,
            xml_header=document.xml_header,
            xml_content=document.xml_content,
            item_refs=document.item_refs,
            updated_at=document.updated_at,
        )
    if mark == job.build_at:
        connection.execute(update(feed_schedules).where(s.id == job.feed.id).values(build_at=None))
    return True
