"""The queue of items whose search words are to be extracted again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, and_, bindparam, select

from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import items
from inforadar.store.schema.search import search_queue
from inforadar.store.types import StoredId, one_of, stored_form


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchJob:
    """An item whose words are to be extracted again."""

    item_id: StoredId
    published_at: datetime
    texts: tuple[str | None, ...]
    changes: tuple[int, ...]
    """Ids of its entries in the queue, the latest last."""


def has_search_jobs(connection: Connection) -> bool:
    return connection.execute(select(search_queue.c.id).limit(1)).first() is not None


def load_search_jobs(connection: Connection, limit: int) -> tuple[list[SearchJob], list[int]]:
    """Load the items changed last, and the ids of queue entries whose items no longer exist."""
    jobs: dict[StoredId, SearchJob] = {}
    gone: list[int] = []
    for place, id_, at, *texts in connection.execute(_LOAD_JOBS, {"number": limit}):
        if id_ is None:
            gone.append(place)
        elif known := jobs.get(id_):
            jobs[id_] = replace(known, changes=(*known.changes, place))
        else:
            jobs[id_] = SearchJob(item_id=id_, published_at=at, texts=tuple(texts), changes=(place,))
    return list(jobs.values()), gone


_q = search_queue.c
_waiting = select(_q.id, _q.item_id).order_by(_q.id.desc()).limit(bindparam("number")).subquery()
_values = (
    stored_form(items.c.id),
    items.c.pub_date,
    items.c.title,
    items.c.analyzer_result["title"].as_string(),
    items.c.snippet,
    articles.c.clean_text,
)
_of_item = and_(articles.c.uid == items.c.uid, articles.c.url == items.c.url)
_LOAD_JOBS = (
    select(_waiting.c.id, *_values)
    .join_from(_waiting, items, items.c.id == _waiting.c.item_id, isouter=True)
    .join(articles, _of_item, isouter=True)
    .order_by(_waiting.c.id)
)


def find_changed(connection: Connection, jobs: Sequence[SearchJob]) -> set[StoredId]:
    """Which of these items have other texts by now than those that their words were made of."""
    made_of = {job.item_id: (job.published_at, *job.texts) for job in jobs}
    query = select(*_values).join_from(items, articles, _of_item, isouter=True)
    found = connection.execute(query.where(one_of(items.c.id, made_of)))
    return {id_ for id_, *values in found if tuple(values) != made_of[id_]}
