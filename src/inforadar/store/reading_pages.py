"""All that the page shows of an article, or of a list of them, in one question.

A question for each part would cost more than its answer: a thread to wake and a transaction, ten times a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from inforadar.model.article import Article
from inforadar.model.feed import Feed
from inforadar.model.feed_options import Content
from inforadar.model.ids import ItemId, StoryId, UrlHash
from inforadar.model.item import Item
from inforadar.model.person import PersonId
from inforadar.store.articles.queries import ArticlePreview, load_article, load_previews
from inforadar.store.feeds.hidden import load_hidden_feeds
from inforadar.store.feeds.labels import has_only
from inforadar.store.feeds.queries import load_broken_count, load_feed
from inforadar.store.items.item_filter import ItemFilter
from inforadar.store.items.neighbours import Neighbours, load_neighbours
from inforadar.store.items.one_row import load_shown_item
from inforadar.store.items.page_place import ItemPage
from inforadar.store.items.pages import load_item_page
from inforadar.store.items.queries import load_item_changes
from inforadar.store.people.marks import NO_MARKS, Marks, load_label_names, load_marks
from inforadar.store.published.contents import load_published_contents
from inforadar.store.revisions.queries import count_revisions
from inforadar.store.stories.queries import (
    StoryChip,
    StoryItem,
    StoryRow,
    load_placed,
    load_stories,
    load_story_chips,
    load_story_items,
    told_by_several,
)
from inforadar.urls import uid


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticlePage:
    """An article, read in a list."""

    item: Item
    feed: Feed
    article: Article | None
    history: list[tuple[datetime, dict[str, list[Any]]]]
    neighbours: Neighbours
    marks: Marks
    labels: list[str]
    """All labels that the person uses."""
    published: Content
    """How much text the feed publishes."""
    story: StoryChip | None
    revisions: int
    broken_feeds: int


def load_article_page(connection: Connection, item_id: ItemId, wanted: ItemFilter) -> ArticlePage | None:
    """Load what the reading view shows; None if there is no such item, or its feed is disabled or deleted."""
    item = load_shown_item(connection, item_id)
    feed = load_feed(connection, item.feed_id) if item else None
    if item is None or feed is None or feed.deleted_at or not feed.enabled:
        return None
    key, person_id = uid(item.url), wanted.person_id
    return ArticlePage(
        item=item,
        feed=feed,
        article=load_article(connection, key),
        history=load_item_changes(connection, item.id),
        neighbours=load_neighbours(connection, wanted, item),
        marks=load_marks(connection, person_id, [item.hash]).get(item.hash, NO_MARKS),
        labels=load_label_names(connection, person_id) if person_id else [],
        published=load_published_contents(connection, [feed.id]).get(feed.id, Content.NONE),
        story=load_story_chips(connection, [item.id]).get(item.id),
        revisions=count_revisions(connection, [key]).get(key, 0),
        broken_feeds=load_broken_count(connection),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """The stories of a list's items that have more than one of them."""

    by_item: Mapping[ItemId, StoryId]
    stories: Sequence[StoryRow]
    items: Mapping[StoryId, Sequence[StoryItem]]
    """Only those that the person sees."""


def load_told(
    connection: Connection, person_id: PersonId | None, by_item: Mapping[ItemId, StoryId], *, text_chars: int
) -> Told | None:
    stories = load_stories(connection, sorted(set(by_item.values())), min_items=2)
    if not stories:
        return None
    hidden = load_hidden_feeds(connection, person_id) if person_id else frozenset()
    found = load_story_items(connection, [row.id for row in stories], text_chars=text_chars)
    seen = {story: [one for one in told if one.feed_id not in hidden] for story, told in found.items()}
    return Told(by_item=by_item, stories=stories, items=seen)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """A page of a list of articles."""

    page: ItemPage
    marks: Mapping[UrlHash, Marks]
    previews: Mapping[ItemId, ArticlePreview]
    chips: Mapping[ItemId, StoryChip]
    told: Told | None
    """With `by_story`: the other items of their stories, if they have any."""
    is_hidden: bool
    """Whether the list is of a feed that the person hides elsewhere."""
    has_only_origin: bool
    broken_feeds: int


def load_list_page(
    connection: Connection,
    wanted: ItemFilter,
    *,
    limit: int,
    cursor: str | None,
    text_chars: int,
    only_origin: str | None,
) -> ListPage:
    """Load what the article list shows. `only_origin`: ask whether all feeds come from there."""
    page = load_item_page(connection, wanted, limit=limit, cursor=cursor, with_content=False)
    ids, person_id = [item.id for item in page.items], wanted.person_id
    hidden = load_hidden_feeds(connection, person_id) if person_id and wanted.feed_id else frozenset()
    placed = load_placed(connection, ids)
    stories = {item: chip.story_id for item, chip in placed.items()}
    keys = {item.id: uid(item.url) for item in page.items}
    found = load_previews(connection, keys.values())
    return ListPage(
        page=page,
        marks=load_marks(connection, person_id, [item.hash for item in page.items]),
        previews={item: found[key] for item, key in keys.items() if key in found},
        chips=told_by_several(placed),
        told=load_told(connection, person_id, stories, text_chars=text_chars) if wanted.by_story else None,
        is_hidden=wanted.feed_id in hidden,
        has_only_origin=only_origin is not None and has_only(connection, only_origin),
        broken_feeds=load_broken_count(connection),
    )
