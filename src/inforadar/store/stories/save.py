"""Save placements: items in stories, their keys, counted words, merges. One writer at a time, on one version."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, bindparam, delete, func, insert, select, update

from inforadar.model.ids import ItemId, StoryId
from inforadar.store.clock_sanity import load_clock_skew
from inforadar.store.rows import insert_short_rows, stored_id, stored_time
from inforadar.store.rules.note_events import note_stories
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import (
    stories,
    story_apart,
    story_events,
    story_items,
    story_keys,
    story_state,
    story_words,
)
from inforadar.store.stories.claims import GroupJob, finish_group_jobs
from inforadar.store.stories.growth import Joined, count_growth
from inforadar.store.types import db_now, one_of
from inforadar.store.upsert import upsert

_s, _t = story_items.c, stories.c
_KEY_COLUMNS = {"key": "text", "at": "timestamptz", "item_id": "uuid"}
_COUNT_COLUMNS = {"key": "text", "item_count": "integer", "capital": "integer", "small": "integer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPlacement:
    """Where an item was placed, and what is kept of it."""

    job: GroupJob
    story_id: StoryId
    copy_of: ItemId | None
    reasons: Mapping[str, Any] | None
    signature: Mapping[str, Any]
    vectors: str | None
    keys: Sequence[str]
    merges: Sequence[tuple[StoryId, StoryId, float]]
    """(kept, gone, score)"""


def lock_state(connection: Connection) -> int:
    """Lock the grouping until the commit, and return its version."""
    connection.execute(
        upsert(connection, story_state).values(id=1, version=0, counted=0).on_conflict_do_nothing()
    )
    version: int = connection.execute(select(story_state.c.version).with_for_update()).scalar_one()
    return version


def next_version(connection: Connection, version: int, counted: int = 0) -> int:
    connection.execute(
        update(story_state).values(version=version + 1, counted=story_state.c.counted + counted)
    )
    return version + 1


def save_placements(
    connection: Connection,
    version: int,
    placements: Sequence[StoredPlacement],
    counts: Mapping[str, tuple[int, int, int]],
    counted: int,
) -> int | None:
    """Save what was decided on `version`. Returns the new version; None if the grouping has changed: decide again.

    Items that changed meanwhile, or that another worker took over, are left out.
    """
    if lock_state(connection) != version:
        return None
    kept = finish_group_jobs(connection, [placement.job for placement in placements])
    ours = [placement for placement in placements if placement.job.item_id in kept]
    if not ours:
        return version
    touched = {placement.story_id for placement in ours}
    successors: dict[StoryId, StoryId] = {}
    for placement in ours:
        if (left := placement.job.story_id) is not None:
            touched.add(left)
            if left != placement.story_id:
                successors[left] = placement.story_id
    _save_items(connection, ours, version + 1)
    for placement in ours:
        for winner, gone, score in placement.merges:
            _ensure_stories(connection, {winner: placement.job.at})
            move_story(connection, gone, winner, score=score)
            touched |= {winner, gone}
    _save_keys(connection, ours)
    save_counts(connection, counts)
    recount(connection, touched - count_growth(connection, _only_grown(ours)), successors)
    note_stories(connection, touched)
    return next_version(connection, version, counted)


def _only_grown(placements: Sequence[StoredPlacement]) -> dict[StoryId, list[Joined]]:
    """The stories that items joined, without those that one left or that were merged."""
    grown: dict[StoryId, list[Joined]] = {}
    changed: set[StoryId] = set()
    for placement in placements:
        job, story = placement.job, placement.story_id
        joined = Joined(job.item_id, job.at, job.source, placement.copy_of is not None)
        grown.setdefault(story, []).append(joined)
        if job.story_id is not None and job.story_id != story:
            changed.add(job.story_id)
        changed.update(id_ for kept, gone, _ in placement.merges for id_ in (kept, gone))
    return {story: joined for story, joined in grown.items() if story not in changed}


def _ensure_stories(connection: Connection, told: Mapping[StoryId, datetime]) -> None:
    connection.execute(
        upsert(connection, stories).on_conflict_do_nothing(),
        [{"id": story, "began_at": at, "last_at": at} for story, at in sorted(told.items())],
    )


def _save_items(connection: Connection, placements: Sequence[StoredPlacement], version: int) -> None:
    """Put the items into their stories, in two statements for all of them."""
    _ensure_stories(connection, {placement.story_id: placement.job.at for placement in placements})
    rows = [
        {
            "item_id": placement.job.item_id,
            "story_id": placement.story_id,
            "at": placement.job.at,
            "copy_of": placement.copy_of,
            "reasons": placement.reasons,
            "signature": placement.signature,
            "vectors": placement.vectors,
            "version": version,
        }
        for placement in placements
    ]
    statement = upsert(connection, story_items)
    changed = {name: statement.excluded[name] for name in rows[0] if name != "item_id"}
    connection.execute(statement.on_conflict_do_update(index_elements=["item_id"], set_=changed), rows)


def move_story(
    connection: Connection, gone: StoryId, kept: StoryId, *, score: float | None = None, by_hand: bool = False
) -> None:
    """Move all items of a story to another one, which its address leads to from now on."""
    pinned = {"is_pinned": True} if by_hand else {}
    connection.execute(update(story_items).where(_s.story_id == gone).values(story_id=kept, **pinned))
    connection.execute(update(stories).where(_t.merged_into == gone).values(merged_into=kept))
    connection.execute(update(stories).where(_t.id == gone).values(merged_into=kept, updated_at=db_now()))
    a = story_apart.c
    others = list(connection.execute(select(a.other).where(a.one == gone, a.other != kept)).scalars())
    connection.execute(delete(story_apart).where((a.one == gone) | (a.other == gone)))
    save_apart(connection, kept, others)
    connection.execute(
        insert(story_events).values(story_id=kept, kind="merged", other=gone, score=score, by_hand=by_hand)
    )


def save_apart(connection: Connection, story: StoryId, others: Sequence[StoryId]) -> None:
    """Remember that these stories are not the same event."""
    for other in others:
        for one, two in ((story, other), (other, story)):
            connection.execute(
                upsert(connection, story_apart).values(one=one, other=two).on_conflict_do_nothing()
            )


def _save_keys(connection: Connection, placements: Sequence[StoredPlacement]) -> None:
    ids = [placement.job.item_id for placement in placements if placement.job.story_id is not None]
    if ids:
        connection.execute(delete(story_keys).where(one_of(story_keys.c.item_id, ids)))
    rows = [
        (key, stored_time(connection, placement.job.at), stored_id(connection, placement.job.item_id))
        for placement in placements
        for key in dict.fromkeys(placement.keys)
    ]
    if rows:
        statement = upsert(connection, story_keys).on_conflict_do_nothing()
        insert_short_rows(connection, statement, _KEY_COLUMNS, rows)


def save_counts(connection: Connection, counts: Mapping[str, tuple[int, int, int]]) -> None:
    """Add to the counts of these words."""
    if not counts:
        return
    statement = upsert(connection, story_words)
    excluded = statement.excluded
    added = {name: story_words.c[name] + excluded[name] for name in ("item_count", "capital", "small")}
    rows = [(key, *counts[key]) for key in sorted(counts)]
    insert_short_rows(
        connection,
        statement.on_conflict_do_update(index_elements=["key"], set_=added),
        _COUNT_COLUMNS,
        rows,
    )


def recount(
    connection: Connection, touched: Collection[StoryId], successors: Mapping[StoryId, StoryId] | None = None
) -> None:
    """Bring the counts and times of these stories into step with their items.

    An empty story leads to its successor, the one that its last item went to; without one it is deleted. Copies do not
    keep a story open.
    """
    # A subquery for each member: a join without statistics reads all items there are.
    source = (
        select(feeds.c.source)
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(items.c.id == _s.item_id)
        .correlate(story_items)
        .scalar_subquery()
    )
    query = (
        select(
            _s.story_id,
            func.count().label("item_count"),
            func.count(func.distinct(source)).label("source_count"),
            func.min(_s.at).label("began"),
            func.max(_s.at).filter(_s.copy_of.is_(None)).label("last"),
            func.max(_s.at).label("last_of_all"),
        )
        .where(one_of(_s.story_id, sorted(touched)))
        .group_by(_s.story_id)
    )
    found = {row.story_id: row for row in connection.execute(query)}
    for story in sorted(set(touched) - found.keys()):
        if successor := (successors or {}).get(story):
            connection.execute(update(stories).where(_t.merged_into == story).values(merged_into=successor))
            leads = update(stories).where(_t.id == story, _t.merged_into.is_(None))
            connection.execute(leads.values(merged_into=successor))
        connection.execute(delete(stories).where(_t.id == story, _t.merged_into.is_(None)))
        connection.execute(update(stories).where(_t.id == story).values(item_count=0, source_count=0))
    if found:
        connection.execute(
            _RECOUNTED,
            [
                {
                    "story": story,
                    "items": row.item_count,
                    "sources": row.source_count,
                    "began": row.began,
                    "last": row.last or row.last_of_all,
                }
                for story, row in sorted(found.items())
            ],
        )


_RECOUNTED = (
    update(stories)
    .where(_t.id == bindparam("story"))
    .values(
        item_count=bindparam("items"),
        source_count=bindparam("sources"),
        began_at=bindparam("began"),
        last_at=bindparam("last"),
        updated_at=db_now(),
    )
)


FORGOTTEN_PART = 4
"""One of so many items is forgotten at once; in an hour, one of a hundred and fifty gets too old."""


def prune_window(connection: Connection, before: datetime) -> None:
    """Forget how items that were placed before this time are compared: the cost follows the window, not the archive.

    The database's clock decides. Where that is the machine's, one that is far ahead would forget all of them: so a pass
    forgets a part of them at most.
    """
    is_compared = _s.signature.is_not(None)
    number = connection.execute(select(func.count()).where(is_compared)).scalar_one()
    by_age = select(_s.joined_at).where(is_compared).order_by(_s.joined_at)
    kept: datetime | None = connection.execute(
        by_age.offset(max(number // FORGOTTEN_PART, 1)).limit(1)
    ).scalar()
    before += load_clock_skew(connection)
    old = and_(_s.joined_at < (min(kept, before) if kept else before), is_compared)
    connection.execute(delete(story_keys).where(story_keys.c.item_id.in_(select(_s.item_id).where(old))))
    connection.execute(update(story_items).where(old).values(signature=None, vectors=None))
    counted: int = connection.execute(select(func.max(story_state.c.counted))).scalar() or 0
    if counted > MAX_COUNTED:
        w = story_words.c
        connection.execute(
            update(story_words).values(
                item_count=w.item_count // 2, capital=w.capital // 2, small=w.small // 2
            )
        )
        connection.execute(delete(story_words).where(w.item_count == 0, w.capital == 0, w.small == 0))
        connection.execute(update(story_state).values(counted=story_state.c.counted // 2))
        # Workers that know the counts must load them again.
        next_version(connection, lock_state(connection))


MAX_COUNTED = 300_000
"""After this many items all counts are halved, so that old words make room for new ones."""
