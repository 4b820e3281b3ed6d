"""Questions about stories: lists, one story with its items, where a merged one leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, select, tuple_

from inforadar.errors import NotFoundError
from inforadar.model.ids import FeedId, ItemId, StoryId
from inforadar.store.feeds.label_match import has_name, known_names
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.stories import stories, story_events, story_items, story_queue
from inforadar.store.types import one_of, one_of_given

_s, _t, _i = story_items.c, stories.c, items.c

MAX_SHOWN_ITEMS = 300
"""How many items of one story are read: a story of thousands is shown by its first and last ones."""
MAX_TEXT_CHARS = 12_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryCursor:
    """The place of a story in a list, by either order."""

    last_at: datetime
    id: StoryId
    sources: int
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryFilter:
    """Which stories to list."""

    min_sources: int = 2
    topic: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: StoryCursor | None = None
    """Continue after this story."""
    most_told: bool = False
    """The stories with the most sources first, instead of the newest."""
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryRow:
    id: StoryId
    began_at: datetime
    last_at: datetime
    updated_at: datetime
    items: int
    sources: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryChip:
    """How many sources tell the story of an item: what lists of items show of it."""

    story_id: StoryId
    sources: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryItem:
    """An item of a story, with what every face shows of it."""

    story_id: StoryId
    item_id: ItemId
    feed_id: FeedId
    at: datetime
    url: str
    title: str
    source: str
    topic: str
    language: str
    snippet: str
    text: str
    """The beginning of the article's text, else of the feed's own content, with its markup."""
    has_article: bool
    analyzer_result: Mapping[str, Any]
    score: float | None
    copy_of: ItemId | None
    is_pinned: bool
    reasons: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEvent:
    at: datetime
    kind: str
    other: StoryId | ItemId | None
    by_hand: bool
    score: float | None


def resolve_story(connection: Connection, story: StoryId) -> StoryId:
    """Follow the merges of a story to the one that exists. Raises a `NotFoundError` for an unknown one."""
    seen = story
    for _ in range(100):
        row = connection.execute(select(_t.merged_into).where(_t.id == seen)).first()
        if row is None:
            raise NotFoundError(f"There is no story {story}.")
        if row.merged_into is None:
            return seen
        seen = StoryId(row.merged_into)
    raise NotFoundError(f"There is no story {story}.")


def list_stories(connection: Connection, wanted: StoryFilter) -> list[StoryRow]:
    """List stories, the newest or the most-told ones first."""
    query = select(_t.id, _t.began_at, _t.last_at, _t.updated_at, _t.item_count, _t.source_count)
    query = query.where(*_conditions(connection, wanted))
    sizes = (_t.source_count, _t.item_count) if wanted.most_told else ()
    if (before := wanted.before) is not None:
        place = (before.sources, before.items) if wanted.most_told else ()
        query = query.where(tuple_(*sizes, _t.last_at, _t.id) < tuple_(*place, before.last_at, before.id))
    order = (column.desc() for column in (*sizes, _t.last_at, _t.id))
    query = query.order_by(*order).limit(wanted.limit)
    return [_story(row) for row in connection.execute(query)]


def count_stories(connection: Connection, wanted: StoryFilter) -> int:
    """Count the stories of a list; only sources whose feeds are active count."""
    sources = _served().with_only_columns(func.count(feeds.c.source.distinct())).scalar_subquery()
    conditions = [*_conditions(connection, wanted), sources >= wanted.min_sources]
    return connection.execute(select(func.count()).select_from(stories).where(*conditions)).scalar_one()


def _conditions(connection: Connection, wanted: StoryFilter) -> list[ColumnElement[bool]]:
    found = [_t.merged_into.is_(None), _t.source_count >= wanted.min_sources, _t.item_count > 0]
    served = _served()
    if wanted.topic is not None:
        topics = known_names(connection, feeds.c.topic, [wanted.topic])
        served = served.where(has_name(feeds.c.topic, topics))
    found.append(served.exists())
    if wanted.since is not None:
        found.append(_t.last_at >= wanted.since)
    if wanted.until is not None:
        found.append(_t.last_at < wanted.until)
    return found


def _served() -> Select[Any]:
    """The items of a story whose feeds are active."""
    return (
        select(_s.item_id)
        .join_from(story_items, items, _i.id == _s.item_id)
        .join(feeds, feeds.c.id == _i.feed_id)
        .where(_s.story_id == _t.id, *ACTIVE)
    )


def load_story(connection: Connection, story: StoryId) -> StoryRow:
    """Load a story, or the one that it was merged into."""
    found = resolve_story(connection, story)
    columns = (_t.id, _t.began_at, _t.last_at, _t.updated_at, _t.item_count, _t.source_count)
    return _story(connection.execute(select(*columns).where(_t.id == found)).one())


def load_stories(connection: Connection, ids: Sequence[StoryId], *, min_items: int) -> list[StoryRow]:
    """Load those of these stories that have at least so many items."""
    if not ids:
        return []
    columns = (_t.id, _t.began_at, _t.last_at, _t.updated_at, _t.item_count, _t.source_count)
    query = select(*columns).where(one_of(_t.id, list(ids)), _t.item_count >= min_items)
    return [_story(row) for row in connection.execute(query)]


def _story(row: Any) -> StoryRow:
    return StoryRow(
        id=row.id,
        began_at=row.began_at,
        last_at=row.last_at,
        updated_at=row.updated_at,
        items=row.item_count,
        sources=row.source_count,
    )


def load_story_items(
    connection: Connection, story_ids: Sequence[StoryId], *, text_chars: int = MAX_TEXT_CHARS
) -> dict[StoryId, list[StoryItem]]:
    """Load the items of stories, the oldest first; only those of active feeds, with the beginning of their texts."""
    found: dict[StoryId, list[StoryItem]] = {story: [] for story in story_ids}
    for story in story_ids:
        own = (
            select(
                _s.story_id,
                _s.item_id,
                _s.at,
                _s.copy_of,
                _s.is_pinned,
                _s.reasons,
                _i.feed_id,
                _i.url,
                _i.title,
                _i.snippet,
                _i.analyzer_result,
                _i.score,
                feeds.c.source,
                feeds.c.topic,
                func.coalesce(articles.c.language, _i.language, feeds.c.language).label("language"),
                func.substr(articles.c.clean_text, 1, text_chars).label("clean_text"),
                func.substr(_i.content, 1, text_chars).label("content"),
            )
            .join_from(story_items, items, _i.id == _s.item_id)
            .join(feeds, feeds.c.id == _i.feed_id)
            .join(articles, and_(articles.c.uid == _i.uid, articles.c.url == _i.url), isouter=True)
            .where(_s.story_id == story, *ACTIVE)
        )
        half = MAX_SHOWN_ITEMS // 2
        rows = {
            row.item_id: row
            for order in (_s.at, _s.at.desc())
            for row in connection.execute(own.order_by(order, _s.item_id).limit(half))
        }
        found[story] = [_item(row) for row in sorted(rows.values(), key=lambda row: (row.at, row.item_id))]
    return found


def _item(row: Any) -> StoryItem:
    return StoryItem(
        story_id=row.story_id,
        item_id=row.item_id,
        feed_id=row.feed_id,
        at=row.at,
        url=row.url,
        title=row.title or "",
        source=row.source or "",
        topic=row.topic or "",
        language=row.language or "",
        snippet=row.snippet or "",
        text=row.clean_text or row.content or "",
        has_article=bool(row.clean_text),
        analyzer_result=row.analyzer_result,
        score=row.score,
        copy_of=row.copy_of,
        is_pinned=bool(row.is_pinned),
        reasons=row.reasons,
    )


def load_title_changes(
    connection: Connection, item_ids: Sequence[ItemId]
) -> list[tuple[ItemId, datetime, str, str]]:
    """Changes of the titles of these items: (item, when, old, new)."""
    c = item_changes.c
    query = select(c.item_id, c.at, c.fields).where(one_of(c.item_id, list(item_ids))).order_by(c.at)
    return [
        (row.item_id, row.at, row.fields["title"][0] or "", row.fields["title"][1] or "")
        for row in connection.execute(query)
        if "title" in row.fields
    ]


def load_story_events(connection: Connection, story: StoryId) -> list[StoryEvent]:
    e = story_events.c
    query = select(e.at, e.kind, e.other, e.by_hand, e.score).where(e.story_id == story).order_by(e.at)
    return [
        StoryEvent(at=row.at, kind=row.kind, other=row.other, by_hand=bool(row.by_hand), score=row.score)
        for row in connection.execute(query)
    ]


_STORY_IDS = select(_s.item_id, _s.story_id).where(one_of_given(_s.item_id, "items"))
_PLACED = (
    select(_s.item_id, _s.story_id, _t.source_count)
    .join_from(story_items, stories, _t.id == _s.story_id)
    .where(one_of_given(_s.item_id, "items"))
)


def load_story_ids(connection: Connection, item_ids: Sequence[ItemId]) -> dict[ItemId, StoryId]:
    """The story of each of these items that is in one."""
    rows = connection.execute(_STORY_IDS, {"items": list(item_ids)})
    return {row.item_id: row.story_id for row in rows}


def load_story_chips(connection: Connection, item_ids: Sequence[ItemId]) -> dict[ItemId, StoryChip]:
    """The stories of these items that more than one source tells."""
    return told_by_several(load_placed(connection, item_ids))


def told_by_several(placed: Mapping[ItemId, StoryChip]) -> dict[ItemId, StoryChip]:
    return {item: chip for item, chip in placed.items() if chip.sources > 1}


def load_placed(connection: Connection, item_ids: Sequence[ItemId]) -> dict[ItemId, StoryChip]:
    """The story of each of these items that is in one, also if nobody else tells it."""
    rows = connection.execute(_PLACED, {"items": list(item_ids)})
    return {item: StoryChip(story_id=story, sources=sources) for item, story, sources in rows}


def find_story_item(connection: Connection, url: str) -> list[ItemId]:
    """The items of stories with this URL."""
    query = select(_s.item_id).join_from(story_items, items, _i.id == _s.item_id).where(_i.url == url)
    return list(connection.execute(query).scalars())


def count_ungrouped(connection: Connection) -> int:
    """How many items wait to be placed."""
    return connection.execute(select(func.count()).select_from(story_queue)).scalar_one()
