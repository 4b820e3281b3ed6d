"""Values that follow from an article's text: its columns, the documents of its feeds, the analyses of its items."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, select, update

from inforadar.model.article import Extracted
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.types import db_after, db_now


def article_values(found: Extracted) -> dict[str, Any]:
    return {
        "raw_len": found.raw_len,
        "text_len": found.text_len,
        "clean_text": found.clean_text,
        "markdown": found.markdown,
        "html": found.html,
        "abstract": found.abstract,
        "image": found.image,
        "title": found.title,
        "author": found.author,
        "published_at": found.published_at,
        "modified_at": found.updated_at,
        "language": found.language,
        "site_name": found.site_name,
        "canonical_url": found.canonical_url,
    }


def _is_listed(url: str) -> ColumnElement[bool]:
    return feed_schedules.c.id.in_(select(items.c.feed_id).where(items.c.url == url))


def lock_schedules(connection: Connection, url: str) -> None:
    """Lock the schedules of the feeds that list an article, in the order in which the writer locks them."""
    schedules = select(feed_schedules.c.id).where(_is_listed(url)).order_by(feed_schedules.c.id)
    connection.execute(schedules.with_for_update())


def queue_builds(connection: Connection, url: str) -> None:
    """Queue the feeds that list an article for building: feeds are published with their texts."""
    built = {"build_at": db_after(feed_schedules.c.build_at)}
    connection.execute(update(feed_schedules).where(_is_listed(url)).values(**built))


def wake_items(connection: Connection, url: str, *, is_new: bool, again: bool) -> None:
    """Queue the article's items for analysis: everything that can be known of the article is known.

    `is_new` includes items being analyzed, because that analysis lacks this text. `again` includes items already
    analyzed, because the text has changed.
    """
    unread = [] if again else [items.c.analyzed_at.is_(None)]
    idle = [] if is_new else [items.c.analyze_token.is_(None)]
    waiting = (
        select(items.c.id)
        .where(items.c.url == url, *unread, *idle)
        .order_by(items.c.id)
        .with_for_update()
        .cte("waiting")
    )
    connection.execute(update(items).where(items.c.id.in_(select(waiting.c.id))).values(analyze_at=db_now()))
