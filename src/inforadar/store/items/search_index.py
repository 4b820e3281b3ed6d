"""Save the search words of items.

Ids of `item_search` are in order of the items' dates, so the newest hits come first straight from the index, without
sorting the others. An item whose date changes is queued, and gets another id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter

from sqlalchemy import Connection, delete, insert, select

from inforadar.model.ids import ItemId
from inforadar.store.items.search_jobs import SearchJob, find_changed
from inforadar.store.rows import JsonRows, insert_rows, stored_id
from inforadar.store.rules.note_events import note_items
from inforadar.store.schema.items import items
from inforadar.store.schema.search import item_search, search_queue
from inforadar.store.types import one_of
from inforadar.store.upsert import upsert

_q, _s = search_queue.c, item_search.c


def save_search_words(
    connection: Connection, words: Sequence[tuple[SearchJob, str]], gone: Sequence[int]
) -> None:
    """Save words and dequeue the jobs. If another process took an item's last change, its words are newer."""
    removed = _dequeue(connection, {place: job.item_id for job, _ in words for place in job.changes}, gone)
    ours = [(job, text) for job, text in words if job.changes[-1] in removed]
    if connection.dialect.name == "sqlite":
        changed = find_changed(connection, [job for job, _ in ours])
        queue_for_search(connection, sorted(changed))
        ours = [(job, text) for job, text in ours if job.item_id not in changed]
    asked = [(place, job.item_id.hex) for place, (job, _) in enumerate(ours)]
    there = connection.execute(_LOCK_ITEMS, _asked.parameters(asked)).all()
    known = [
        (ours[place][0], id_ if id_ is None or _is_of_date(id_, ours[place][0]) else None)
        for place, id_ in there
    ]
    moved = [
        id_ for (_, id_), (_, kept) in zip(there, known, strict=True) if id_ is not None and kept is None
    ]
    if moved:
        connection.execute(delete(item_search).where(one_of(_s.id, moved)))
    ids = _search_ids(connection, known)
    rows = [
        (id_, stored_id(connection, ours[place][0].item_id), ours[place][1])
        for id_, (place, _) in zip(ids, there, strict=True)
    ]
    if rows:
        new = upsert(connection, item_search)
        newer = {"words": new.excluded.words}
        statement = new.on_conflict_do_update(index_elements=["item_id"], set_=newer)
        # In order of id: FTS5 starts a new segment of its index whenever an id is lower than the previous one.
        insert_rows(connection, statement, ("id", "item_id", "words"), sorted(rows, key=itemgetter(0)))
        note_items(connection, [ours[place][0].item_id for place, _ in there])


def _dequeue(connection: Connection, changes: Mapping[int, ItemId], gone: Sequence[int]) -> set[int]:
    """Delete entries of the queue; return the ids of those that were still there.

    SQLite gives the highest id again once it was deleted: what another process took in the meantime may be the entry
    of another item now, or of a later change of this one.
    """
    taken = sorted([*changes, *gone])
    if connection.dialect.name == "sqlite":
        there = connection.execute(
            select(_q.id, _q.item_id, items.c.id)
            .join_from(search_queue, items, items.c.id == _q.item_id, isouter=True)
            .where(one_of(_q.id, taken))
        )
        taken = [place for place, of, item_id in there if item_id is None or changes.get(place) == of]
    query = delete(search_queue).where(one_of(_q.id, taken)).returning(_q.id)
    return set(connection.execute(query).scalars())


_asked = JsonRows("asked", place="integer", item_id="uuid")


_LOCK_ITEMS = (
    # Locked, so that no item is deleted before its words are saved.
    select(_asked.c["place"], _s.id)
    .join_from(_asked.table, items, items.c.id == _asked.c["item_id"])
    .join(item_search, _s.item_id == items.c.id, isouter=True)
    .order_by(items.c.id)
    .with_for_update(read=True, key_share=True, of=items)
)


def _search_ids(connection: Connection, jobs: Sequence[tuple[SearchJob, int | None]]) -> list[int]:
    """The search id of each item: its existing one, or the one for its date or the next free one after that."""
    ids = [known if known is not None else search_id(job.item_id, job.published_at) for job, known in jobs]
    wanted = [index for index, (_, known) in enumerate(jobs) if known is None]
    taken = {known for _, known in jobs if known is not None}
    while wanted:
        places = [ids[index] for index in wanted]
        taken.update(connection.execute(select(_s.id).where(one_of(_s.id, places))).scalars())
        crowded = []
        for index in wanted:
            if ids[index] in taken:
                ids[index] += 1
                crowded.append(index)
            else:
                taken.add(ids[index])
        wanted = crowded
    return ids


def _is_of_date(id_: int, job: SearchJob) -> bool:
    return id_ // _PLACES == search_id(job.item_id, job.published_at) // _PLACES


_PLACES = 2**30
"""How many ids there are for a second."""


def search_id(item_id: ItemId, published_at: datetime) -> int:
    """An id that sorts by date; within a second the order is arbitrary, with a billion possible ids."""
    second = max(-(2**32), min(int(published_at.timestamp()), 2**32))
    return second * _PLACES + item_id.int % _PLACES


def queue_for_search(connection: Connection, item_ids: Iterable[ItemId]) -> None:
    """Queue items whose date changed. Changes of their texts are queued by triggers."""
    rows = [{"item_id": id_} for id_ in item_ids]
    if rows:
        connection.execute(insert(search_queue), rows)
