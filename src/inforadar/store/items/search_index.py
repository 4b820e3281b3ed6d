"""Save the search words of items.

Ids of `item_search` are in order of the items' dates, so the newest hits come first straight from the index, without
sorting the others. An item whose date changes is queued, and gets another id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter

from sqlalchemy import Connection, delete, insert, select, true

from inforadar.store.items.search_jobs import SearchJob, find_changed, load_search_jobs
from inforadar.store.items.search_words import search_words
from inforadar.store.rows import JsonRows, insert_short_rows
from inforadar.store.rules.note_events import note_items
from inforadar.store.schema.items import items
from inforadar.store.schema.search import item_search, search_queue
from inforadar.store.types import StoredId, one_of, stored_form
from inforadar.store.upsert import upsert

_q, _s = search_queue.c, item_search.c


def index_queued(connection: Connection, limit: int) -> list[SearchJob]:
    """Index the items changed last, in one transaction: for SQLite, where nobody else can write meanwhile."""
    jobs, gone = load_search_jobs(connection, limit)
    words = [(job, search_words(job.texts)) for job in jobs]
    save_search_words(connection, words, gone, loaded_in_this_transaction=True)
    return jobs


def save_search_words(
    connection: Connection,
    words: Sequence[tuple[SearchJob, str]],
    gone: Sequence[int],
    *,
    loaded_in_this_transaction: bool = False,
) -> None:
    """Save words and dequeue the jobs. If another process took an item's last change, its words are newer."""
    may_be_outdated = connection.dialect.name == "sqlite" and not loaded_in_this_transaction
    changes = {place: job.item_id for job, _ in words for place in job.changes}
    taken = _still_queued(connection, changes, gone) if may_be_outdated else sorted([*changes, *gone])
    removed = _dequeue(connection, taken)
    ours = [(job, text) for job, text in words if job.changes[-1] in removed]
    if may_be_outdated:
        changed = find_changed(connection, [job for job, _ in ours])
        queue_for_search(connection, sorted(changed))
        ours = [(job, text) for job, text in ours if job.item_id not in changed]
    asked = [(place, job.item_id) for place, (job, _) in enumerate(ours)]
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
    rows = [(id_, ours[place][0].item_id, ours[place][1]) for id_, (place, _) in zip(ids, there, strict=True)]
    if rows:
        new = upsert(connection, item_search).from_select(list(_made.c), _MADE)
        newer = {"words": new.excluded.words}
        statement = new.on_conflict_do_update(index_elements=["item_id"], set_=newer)
        # In order of id: FTS5 starts a new segment of its index whenever an id is lower than the previous one.
        connection.execute(statement, _made.parameters(sorted(rows, key=itemgetter(0))))
        note_items(connection, [ours[place][0].item_id for place, _ in there])


_made = JsonRows("made", id="bigint", item_id="uuid", words="text")
# In one statement: FTS5 writes its index to disk after each, and one for each item takes three times as long.
_MADE = select(*_made.c.values()).select_from(_made.table).where(true())


def _still_queued(connection: Connection, changes: Mapping[int, StoredId], gone: Sequence[int]) -> list[int]:
    """Which entries of the queue are still those that were loaded.

    SQLite gives the highest id again once it was deleted: what another process took in the meantime may be the entry
    of another item now, or of a later change of this one.
    """
    there = connection.execute(
        select(_q.id, stored_form(_q.item_id), items.c.id)
        .join_from(search_queue, items, items.c.id == _q.item_id, isouter=True)
        .where(one_of(_q.id, sorted([*changes, *gone])))
    )
    return [place for place, of, item_id in there if item_id is None or changes.get(place) == of]


def _dequeue(connection: Connection, taken: Sequence[int]) -> set[int]:
    """Delete entries of the queue; return the ids of those that were still there."""
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


def search_id(item_id: StoredId, published_at: datetime) -> int:
    """An id that sorts by date; within a second the order is arbitrary, with a billion possible ids."""
    second = max(-(2**32), min(int(published_at.timestamp()), 2**32))
    number = int(item_id, 16) if isinstance(item_id, str) else item_id.int
    return second * _PLACES + number % _PLACES


def queue_for_search(connection: Connection, item_ids: Iterable[StoredId]) -> None:
    """Queue items whose date changed. Changes of their texts are queued by triggers."""
    rows = [(id_,) for id_ in item_ids]
    if rows:
        insert_short_rows(connection, insert(search_queue), {"item_id": "uuid"}, rows)
