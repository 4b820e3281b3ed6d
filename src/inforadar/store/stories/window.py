"""Load the part of the window that a batch of items is compared with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nlargest
from operator import itemgetter
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Row, select, text

from inforadar.model.ids import ItemId, StoryId
from inforadar.store.rows import stored_time
from inforadar.store.schema.stories import stories, story_apart, story_items, story_state, story_words
from inforadar.store.types import one_of

_s, _t = story_items.c, stories.c

MAX_CANDIDATES = 30
MAX_PER_KEY = 60
"""How many of the newest items with a key are looked at."""
MAX_MEMBERS = 8
"""How many members of a story are loaded beside those that were found."""

_SQLITE = text(
    "SELECT wanted.value, (SELECT json_group_array(item_id) FROM (SELECT item_id FROM story_keys AS known "
    "WHERE known.key = wanted.value AND known.at BETWEEN :low AND :high ORDER BY known.at DESC LIMIT :most)) "
    "FROM json_each(:keys) AS wanted"
)
_POSTGRESQL = text(
    "SELECT wanted.key, found.item_id FROM unnest(CAST(:keys AS text[])) AS wanted(key) "
    "CROSS JOIN LATERAL (SELECT known.item_id FROM story_keys AS known WHERE known.key = wanted.key "
    "AND known.at BETWEEN :low AND :high ORDER BY known.at DESC LIMIT :most) AS found"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMember:
    """An item of the window as it is stored."""

    item_id: ItemId
    story_id: StoryId
    at: datetime
    copy_of: ItemId | None
    is_pinned: bool
    signature: Mapping[str, Any]
    vectors: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredStory:
    id: StoryId
    items: int
    began_at: datetime
    last_at: datetime
    apart: frozenset[StoryId]


def load_counts(
    connection: Connection, keys: Collection[str]
) -> tuple[int, int, dict[str, tuple[int, int, int]]]:
    """The version of the grouping, how many items were counted, and the counts of these words."""
    version, counted = load_state(connection)
    return version, counted, load_word_counts(connection, keys)


def load_neighbours(
    connection: Connection,
    wanted: Mapping[ItemId, Sequence[tuple[str, float]]],
    like: Mapping[ItemId, Sequence[ItemId]],
    low: datetime,
    high: datetime,
) -> tuple[list[StoredMember], list[StoredStory]]:
    """Load the items that share heavy keys with each wanted one, those that are like it, and their stories."""
    found = find_by_keys(connection, {key for own in wanted.values() for key, _ in own}, low, high)
    ids: set[ItemId] = set(wanted)
    for item, own in wanted.items():
        weights: defaultdict[ItemId, float] = defaultdict(float)
        for key, weight in own:
            for other in found.get(key, ()):
                weights[other] += weight
        ids.update(id_ for id_, _ in nlargest(MAX_CANDIDATES, weights.items(), key=itemgetter(1)))
        ids.update(like.get(item, ()))
    return load_members(connection, ids)


def load_state(connection: Connection) -> tuple[int, int]:
    """The version of the grouping, and how many items were counted."""
    row = connection.execute(select(story_state.c.version, story_state.c.counted)).first()
    return (0, 0) if row is None else (row.version, row.counted)


def load_word_counts(connection: Connection, keys: Collection[str]) -> dict[str, tuple[int, int, int]]:
    """The counts of these words: items, with a capital letter, without."""
    w = story_words.c
    query = select(w.key, w.item_count, w.capital, w.small).where(one_of(w.key, sorted(keys)))
    return {row.key: (row.item_count, row.capital, row.small) for row in connection.execute(query)}


def find_by_keys(
    connection: Connection, keys: Collection[str], low: datetime, high: datetime
) -> dict[str, list[ItemId]]:
    """The newest items of a time under each of these keys."""
    found: defaultdict[str, list[ItemId]] = defaultdict(list)
    given = {"low": stored_time(connection, low), "high": stored_time(connection, high), "most": MAX_PER_KEY}
    if connection.dialect.name == "sqlite":
        rows = connection.execute(_SQLITE, {**given, "keys": msgspec.json.encode(sorted(keys)).decode()})
        for key, ids in rows:
            found[key] = [ItemId(UUID(id_)) for id_ in msgspec.json.decode(ids)]
    else:
        for key, id_ in connection.execute(_POSTGRESQL, {**given, "keys": sorted(keys)}):
            found[key].append(ItemId(id_))
    return found


def load_members(
    connection: Connection, ids: Collection[ItemId]
) -> tuple[list[StoredMember], list[StoredStory]]:
    """Load items of the window, some more members of their stories, and the stories."""
    rows = list(connection.execute(_members().where(one_of(_s.item_id, sorted(ids)))))
    story_ids = sorted({row.story_id for row in rows})
    found = {row.item_id: row for row in rows}
    for row in connection.execute(
        _members().where(one_of(_s.item_id, _more_members(connection, story_ids, found)))
    ):
        found.setdefault(row.item_id, row)
    known = connection.execute(
        select(_t.id, _t.item_count, _t.began_at, _t.last_at).where(one_of(_t.id, story_ids))
    )
    apart = _load_apart(connection, story_ids)
    return (
        [_member(row) for row in sorted(found.values(), key=lambda row: (row.at, row.item_id))],
        [
            StoredStory(
                id=row.id,
                items=row.item_count,
                began_at=row.began_at,
                last_at=row.last_at,
                apart=apart.get(row.id, frozenset()),
            )
            for row in known
        ],
    )


def _more_members(
    connection: Connection, story_ids: Sequence[StoryId], found: Mapping[ItemId, Row[Any]]
) -> list[ItemId]:
    """The first and the last members of each story, which stand for it."""
    chosen: list[ItemId] = []
    for story in story_ids:
        own = select(_s.item_id).where(_s.story_id == story, _s.signature.is_not(None), _s.copy_of.is_(None))
        for order in (_s.at, _s.at.desc()):
            chosen += connection.execute(own.order_by(order, _s.item_id).limit(MAX_MEMBERS // 2)).scalars()
    return [id_ for id_ in dict.fromkeys(chosen) if id_ not in found]


def _members() -> Any:
    return select(_s.item_id, _s.story_id, _s.at, _s.copy_of, _s.is_pinned, _s.signature, _s.vectors).where(
        _s.signature.is_not(None)
    )


def _member(row: Row[Any]) -> StoredMember:
    return StoredMember(
        item_id=row.item_id,
        story_id=row.story_id,
        at=row.at,
        copy_of=row.copy_of,
        is_pinned=bool(row.is_pinned),
        signature=row.signature,
        vectors=row.vectors,
    )


def _load_apart(connection: Connection, ids: Iterable[StoryId]) -> dict[StoryId, frozenset[StoryId]]:
    found: defaultdict[StoryId, set[StoryId]] = defaultdict(set)
    query = select(story_apart.c.one, story_apart.c.other).where(one_of(story_apart.c.one, list(ids)))
    for row in connection.execute(query):
        found[row.one].add(row.other)
    return {one: frozenset(others) for one, others in found.items()}


def load_vectors_since(
    connection: Connection, version: int, since: datetime
) -> list[tuple[ItemId, datetime, str, int]]:
    """The vectors of items that were placed after a version, in order of it."""
    query = (
        select(_s.item_id, _s.at, _s.vectors, _s.version)
        .where(_s.version > version, _s.vectors.is_not(None), _s.joined_at >= since, _s.copy_of.is_(None))
        .order_by(_s.version, _s.item_id)
    )
    return [(row.item_id, row.at, row.vectors, row.version) for row in connection.execute(query)]


KEPT = timedelta(days=6)
"""How long an item is compared with others: twice the window, because a story may go on for longer than one item."""
