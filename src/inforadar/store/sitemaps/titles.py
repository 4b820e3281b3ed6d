"""Titles of known pages, so that a sitemap need not fetch them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from inforadar.model.ids import FeedId
from inforadar.store.items.known import load_known_hashes
from inforadar.store.schema.articles import articles
from inforadar.store.types import one_of
from inforadar.urls import uid, url_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTitles:
    """Titles and items that need not be fetched."""

    items: frozenset[str]
    """URLs that are already items of the feed."""
    pages: Mapping[str, str]
    """Titles of pages that were fetched before, for any feed."""


def load_titles(connection: Connection, feed_id: FeedId, urls: Sequence[str]) -> KnownTitles:
    by_hash = {url_hash(url): url for url in urls}
    known = load_known_hashes(connection, feed_id, [*by_hash])
    return KnownTitles(
        items=frozenset(by_hash[hash_] for hash_ in known),
        pages=load_page_titles(connection, urls),
    )


def load_page_titles(connection: Connection, urls: Sequence[str]) -> dict[str, str]:
    """Titles of pages that were fetched, whether or not they have a text."""
    by_uid = {uid(url): url for url in urls}
    titled = select(articles.c.uid, articles.c.title).where(
        one_of(articles.c.uid, by_uid),
        articles.c.title.is_not(None),
    )
    return {by_uid[row.uid]: row.title for row in connection.execute(titled)}
