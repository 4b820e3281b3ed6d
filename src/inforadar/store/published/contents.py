"""How much text feeds publish, and the texts of items from several feeds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import Connection, select

from inforadar.model.feed_options import Content, parse_options
from inforadar.model.ids import FeedId, ItemId
from inforadar.model.item import Item, ItemText, shares_its_page
from inforadar.store.articles.queries import load_article_texts
from inforadar.store.feeds.credentials import load_ids_with_credentials
from inforadar.store.schema.feeds import feeds
from inforadar.store.types import one_of
from inforadar.urls import uid


def load_published_contents(connection: Connection, feed_ids: Collection[FeedId]) -> dict[FeedId, Content]:
    """How much text each of these feeds publishes."""
    secret = load_ids_with_credentials(connection, feed_ids)
    rows = connection.execute(select(feeds.c.id, feeds.c.options).where(one_of(feeds.c.id, feed_ids)))
    return {
        row.id: parse_options(row.options).published_content(has_credentials=row.id in secret) for row in rows
    }


def load_item_texts(connection: Connection, items: Sequence[Item]) -> dict[ItemId, ItemText]:
    """Where the full text of each item is found."""
    uids = [None if shares_its_page(item.url) else uid(item.url) for item in items]
    articles = load_article_texts(connection, {one for one in uids if one is not None})
    return {
        item.id: replace(articles[own], content=item.content)
        if own is not None and own in articles
        else ItemText(content=item.content)
        for item, own in zip(items, uids, strict=True)
    }
