"""Load the part of the window that a batch of items is compared with."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from operator import itemgetter
from typing import Any
from uuid import UUID

import msgspec
from sqlalchemy import Connection, Row, Select, Text, select, text, type_coerce

from inforadar.model.ids import ItemId, StoryId
from inforadar.store.rows import stored_time
from inforadar.store.schema.stories import stories, story_apart, story_items, story_state, story_words
from inforadar.store.types import one_of, one_of_given

_s, _t = story_items.c, stories.c

MAX_ENDS = 3
"""How many of the first and of the last members of a story are loaded beside those that were found."""
MAX_LOOKED_AT = 40
"""How many members at either end of a story are looked at: the others may all be copies."""

_BY_KEY = {
    "sqlite": text(
        "SELECT wanted.value, (SELECT json_group_array(item_id) FROM (SELECT item_id FROM story_keys AS known "
        "WHERE known.key = wanted.value AND known.at BETWEEN :low AND :high ORDER BY known.at DESC LIMIT :most)) "
        "FROM json_each(:keys) AS wanted"
    ),
    "postgresql": text(
        # Compared as pairs: with `key = …` and no statistics yet, the planner reads and sorts all rows of a key.
        "SELECT wanted.key, array(SELECT CAST(known.item_id AS text) FROM story_keys AS known "
        "WHERE (known.key, known.at) >= (wanted.key, CAST(:low AS timestamptz)) "
        "AND (known.key, known.at) <= (wanted.key, CAST(:high AS timestamptz)) "
        "ORDER BY known.key DESC, known.at DESC LIMIT :most) "
        "FROM unnest(CAST(:keys AS text[])) AS wanted(key)"
    ),
}
_ENDS = {
    "sqlite": text(
        "SELECT (SELECT json_group_array(item_id) FROM (SELECT item_id FROM (SELECT item_id, copy_of, "
        "signature IS NOT NULL AS is_compared FROM story_items WHERE story_id = wanted.value "
        "ORDER BY at LIMIT :looked_at) WHERE copy_of IS NULL AND is_compared LIMIT :most)), "
        "(SELECT json_group_array(item_id) FROM (SELECT item_id FROM (SELECT item_id, copy_of, "
        "signature IS NOT NULL AS is_compared FROM story_items WHERE story_id = wanted.value "
        "ORDER BY at DESC LIMIT :looked_at) WHERE copy_of IS NULL AND is_compared LIMIT :most)) "
        "FROM json_each(:stories) AS wanted"
    ),
    "postgresql": text(
        "SELECT array(SELECT item_id FROM (SELECT item_id, copy_of, signature IS NOT NULL AS is_compared "
        "FROM story_items WHERE story_id = wanted.id ORDER BY at LIMIT :looked_at) AS looked_at "
        "WHERE copy_of IS NULL AND is_compared LIMIT :most), "
        "array(SELECT item_id FROM (SELECT item_id, copy_of, signature IS NOT NULL AS is_compared "
        "FROM story_items WHERE story_id = wanted.id ORDER BY at DESC LIMIT :looked_at) AS looked_at "
        "WHERE copy_of IS NULL AND is_compared LIMIT :most) "
        "FROM unnest(CAST(:stories AS uuid[])) AS wanted(id)"
    ),
}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The items that a batch is compared with, and their stories."""

    members: Sequence[StoredMember]
    stories: Sequence[StoredStory]
    keys: Mapping[ItemId, Sequence[str]]
    """The keys by which each was found."""


def load_counts(
    connection: Connection, keys: Set[str], known_version: int | None = None, known: Set[str] = frozenset()
) -> tuple[int, int, dict[str, tuple[int, int, int]]]:
    """The version of the grouping, how many items were counted, and the counts of these words.

    Without those that are `known`, unless the grouping has changed since `known_version`.
    """
    version, counted = load_state(connection)
    return version, counted, load_word_counts(connection, keys - known if version == known_version else keys)


def load_neighbours(
    connection: Connection,
    wanted: Mapping[ItemId, Sequence[tuple[str, float]]],
    like: Mapping[ItemId, Sequence[ItemId]],
    low: datetime,
    high: datetime,
    *,
    most: int,
    most_per_key: int,
) -> Neighbours:
    """Load the items that share heavy keys with each wanted one, those that are like it, and their stories.

    Of those that share keys, the `most` that share the heaviest; of each key, the newest.
    """
    found = find_by_keys(
        connection, {key for own in wanted.values() for key, _ in own}, low, high, most_per_key
    )
    chosen: set[str] = set()
    for own in wanted.values():
        weights: dict[str, float] = {}
        shared = weights.get
        for key, weight in own:
            for other in found.get(key, ()):
                weights[other] = shared(other, 0.0) + weight
        ranked = sorted(weights.items(), key=itemgetter(1), reverse=True)
        chosen.update([id_ for id_, _ in ranked[:most]])
    found_by: dict[str, list[str]] = {id_: [] for id_ in chosen}
    for key, others in found.items():
        for id_ in chosen.intersection(others):
            found_by[id_].append(key)
    keys = {ItemId(UUID(id_)): own for id_, own in found_by.items()}
    every = {*wanted, *keys, *(id_ for own in like.values() for id_ in own)}
    members, stories_ = load_members(connection, every)
    return Neighbours(members=members, stories=stories_, keys=keys)


def load_state(connection: Connection) -> tuple[int, int]:
    """The version of the grouping, and how many items were counted."""
    row = connection.execute(select(story_state.c.version, story_state.c.counted)).first()
    return (0, 0) if row is None else (row.version, row.counted)


def load_word_counts(connection: Connection, keys: Collection[str]) -> dict[str, tuple[int, int, int]]:
    """The counts of these words: items, with a capital letter, without."""
    w = story_words.c
    # Keys are words that were split already: there is nothing in them that cannot be stored.
    query = select(w.key, w.item_count, w.capital, w.small).where(one_of(type_coerce(w.key, Text), keys))
    return {key: (items, capital, small) for key, items, capital, small in connection.execute(query).all()}


def find_by_keys(
    connection: Connection, keys: Collection[str], low: datetime, high: datetime, most: int
) -> dict[str, list[str]]:
    """The newest items of a time under each of these keys, as texts: most are not looked at any further."""
    given = {"low": stored_time(connection, low), "high": stored_time(connection, high), "most": most}
    ordered = sorted(keys)
    if connection.dialect.name == "sqlite":
        rows = connection.execute(_BY_KEY["sqlite"], {**given, "keys": msgspec.json.encode(ordered).decode()})
        return {key: msgspec.json.decode(ids) for key, ids in rows}
    return {row[0]: row[1] for row in connection.execute(_BY_KEY["postgresql"], {**given, "keys": ordered})}


def load_members(
    connection: Connection, ids: Collection[ItemId]
) -> tuple[list[StoredMember], list[StoredStory]]:
    """Load items of the window, and their stories."""
    found = connection.execute(_members(), {"ids": list(ids)}).all()
    story_ids = list({row.story_id for row in found})
    known = connection.execute(
        select(_t.id, _t.item_count, _t.began_at, _t.last_at).where(one_of(_t.id, story_ids))
    ).all()
    apart = _load_apart(connection, story_ids)
    return (
        _in_order(found),
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


def load_ends(
    connection: Connection, story_ids: Collection[StoryId], known: Set[ItemId]
) -> list[StoredMember]:
    """Load the first and the last members of stories, which stand for them, without those that are known."""
    wanted = _find_ends(connection, story_ids) - known
    return _in_order(connection.execute(_members(), {"ids": list(wanted)}).all()) if wanted else []


def _in_order(rows: Sequence[Row[Any]]) -> list[StoredMember]:
    return [_member(row) for row in sorted(rows, key=lambda row: (row.at, row.item_id))]


def _find_ends(connection: Connection, story_ids: Collection[StoryId]) -> set[ItemId]:
    given = {"most": MAX_ENDS, "looked_at": MAX_LOOKED_AT}
    if connection.dialect.name == "sqlite":
        wanted = msgspec.json.encode([story.hex for story in story_ids]).decode()
        rows = connection.execute(_ENDS["sqlite"], {**given, "stories": wanted})
        return {ItemId(UUID(id_)) for row in rows for end in row for id_ in msgspec.json.decode(end)}
    rows = connection.execute(_ENDS["postgresql"], {**given, "stories": list(story_ids)})
    return {ItemId(id_) for row in rows for end in row for id_ in end}


@cache
def _members() -> Select[Any]:
    return select(_s.item_id, _s.story_id, _s.at, _s.copy_of, _s.is_pinned, _s.signature, _s.vectors).where(
        _s.signature.is_not(None), one_of_given(_s.item_id, "ids")
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


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The vectors of an item."""

    item_id: ItemId
    at: datetime
    joined_at: datetime
    vectors: str
    version: int


def load_vectors_since(connection: Connection, version: int, since: datetime) -> list[StoredVectors]:
    """The vectors of items that were placed after a version, in order of it."""
    query = (
        select(_s.item_id, _s.at, _s.joined_at, _s.vectors, _s.version)
        .where(_s.version > version, _s.vectors.is_not(None), _s.joined_at >= since, _s.copy_of.is_(None))
        .order_by(_s.version, _s.item_id)
    )
    return [StoredVectors(*row) for row in connection.execute(query)]


KEPT = timedelta(days=6)
"""How long an item is compared with others: twice the window, because a story may go on for longer than one item."""
