"""Search over title, neutral title and text, with the databases' own engines.

    items, articles ──triggers──► search_queue ──worker──► item_search ──► FTS5 | tsvector

Triggers note every change in the transaction that makes it, so no writer has to think of it and nothing is
forgotten. The words are made by the worker, moments later and outside of any transaction, because making
them costs more than storing an item, and collecting must not wait for it.

Ids of `item_search` go by the item's date. So the newest finds come first straight from the index, without
sorting all the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Text, and_, bindparam, delete, false, literal, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from inforadar.model.ids import ItemId
from inforadar.store.items.search_words import QueryWord, query_words
from inforadar.store.rows import JsonRows, insert_rows, stored_id
from inforadar.store.schema.articles import articles
from inforadar.store.schema.items import items
from inforadar.store.schema.search import item_search, search_queue
from inforadar.store.types import one_of
from inforadar.store.upsert import upsert


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchJob:
    """An item whose words are to be made anew."""

    item_id: ItemId
    published_at: datetime
    texts: tuple[str | None, ...]
    changes: tuple[int, ...]
    """Its places in the queue, the last one last."""


def load_search_jobs(connection: Connection, limit: int) -> tuple[list[SearchJob], list[int]]:
    """What changed last comes first; and places in the queue whose items are gone."""
    jobs: dict[ItemId, SearchJob] = {}
    gone: list[int] = []
    for place, id_, at, *texts in connection.execute(_LOAD_JOBS, {"number": limit}):
        if id_ is None:
            gone.append(place)
        elif known := jobs.get(id_):
            jobs[id_] = replace(known, changes=(*known.changes, place))
        else:
            jobs[id_] = SearchJob(item_id=id_, published_at=at, texts=tuple(texts), changes=(place,))
    return list(jobs.values()), gone


_q, _s = search_queue.c, item_search.c
_waiting = select(_q.id, _q.item_id).order_by(_q.id.desc()).limit(bindparam("number")).subquery()
_LOAD_JOBS = (
    select(
        _waiting.c.id,
        items.c.id,
        items.c.pub_date,
        items.c.title,
        items.c.analyzer_result["title"].as_string(),
        items.c.snippet,
        articles.c.clean_text,
    )
    .join_from(_waiting, items, items.c.id == _waiting.c.item_id, isouter=True)
    .join(articles, articles.c.uid == items.c.uid, isouter=True)
    .order_by(_waiting.c.id)
)


def save_search_words(
    connection: Connection, words: Sequence[tuple[SearchJob, str]], gone: Sequence[int]
) -> None:
    """Takes the jobs out of the queue. One whose last change another process took has newer words already."""
    taken = [*gone, *(place for job, _ in words for place in job.changes)]
    removed = set(
        connection.execute(
            delete(search_queue).where(one_of(_q.id, sorted(taken))).returning(_q.id)
        ).scalars()
    )
    ours = [(job, text) for job, text in words if job.changes[-1] in removed]
    asked = [(place, job.item_id.hex) for place, (job, _) in enumerate(ours)]
    there = connection.execute(_HOLD_ITEMS, _asked.parameters(asked)).all()
    ids = _search_ids(connection, [(ours[place][0], known) for place, known in there])
    rows = [
        (id_, stored_id(connection, ours[place][0].item_id), ours[place][1])
        for id_, (place, _) in zip(ids, there, strict=True)
    ]
    if rows:
        new = upsert(connection, item_search)
        changed = {"words": new.excluded.words}
        statement = new.on_conflict_do_update(index_elements=["item_id"], set_=changed)
        # In the order of their ids: FTS5 begins a new part of its index whenever one is lower than the last.
        insert_rows(connection, statement, ("id", "item_id", "words"), sorted(rows, key=itemgetter(0)))


_asked = JsonRows("asked", place="integer", item_id="uuid")
_HOLD_ITEMS = (
    # Held, so that none of them goes before its words are in.
    select(_asked.c["place"], _s.id)
    .join_from(_asked.table, items, items.c.id == _asked.c["item_id"])
    .join(item_search, _s.item_id == items.c.id, isouter=True)
    .order_by(items.c.id)
    .with_for_update(read=True, key_share=True, of=items)
)


def _search_ids(connection: Connection, jobs: Sequence[tuple[SearchJob, int | None]]) -> list[int]:
    """For each item the id that it has; new ones get the place of their date, or the next one that is free."""
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


def search_id(item_id: ItemId, published_at: datetime) -> int:
    """Sorts by date; within a second by chance, with a billion places."""
    second = max(-(2**32), min(int(published_at.timestamp()), 2**32))
    return second * 2**30 + item_id.int % 2**30


class _Matches(FunctionElement[bool]):
    """Whether a row of `item_search` has the words; each database is given its own spelling of them."""

    name = "matches"
    inherit_cache = True


@compiles(_Matches)
def _default_matches(element: _Matches, compiler: SQLCompiler, **kw: Any) -> str:
    column, _, _, query = element.clauses
    words, asked = compiler.process(column, **kw), compiler.process(query, **kw)
    return f"array_to_tsvector(string_to_array({words}, ' ')) @@ CAST({asked} AS tsquery)"


@compiles(_Matches, "sqlite")
def _sqlite_matches(element: _Matches, compiler: SQLCompiler, **kw: Any) -> str:
    _, column, query, _ = element.clauses
    id_, asked = compiler.process(column, **kw), compiler.process(query, **kw)
    return f"{id_} IN (SELECT rowid FROM item_words WHERE item_words MATCH {asked})"  # noqa: S608 - compiled


def has_words(query: str) -> ColumnElement[bool]:
    """Of a row of `item_search`. A query without any word finds nothing."""
    words = query_words(query)
    if not words:
        return false()
    return _Matches(
        item_search.c.words,
        item_search.c.id,
        bindparam(None, _fts5(words), type_=Text, unique=True),
        bindparam(None, _tsquery(words), type_=Text, unique=True),
    )


def is_found(query: str) -> ColumnElement[bool]:
    """Of a row of `items`."""
    return items.c.id.in_(select(item_search.c.item_id).where(has_words(query)))


def holds_words(query: str) -> ColumnElement[bool]:
    """The same as `has_words`, read from the row itself and from no index: for rows that something else has chosen."""
    words = query_words(query)
    if not words:
        return false()
    text = literal(" ").concat(item_search.c.words).concat(literal(" "))
    # Letters, digits and marks: nothing in them has a meaning to LIKE.
    return and_(*(text.like(f"% {word.text}{'' if word.is_prefix else ' '}%") for word in words))


def fts5_query(query: str) -> str | None:
    """The query as FTS5 wants it; `None` if it has no word."""
    words = query_words(query)
    return _fts5(words) if words else None


def _fts5(words: tuple[QueryWord, ...]) -> str:
    return " AND ".join(f'"{word.text}"*' if word.is_prefix else f'"{word.text}"' for word in words)


def _tsquery(words: tuple[QueryWord, ...]) -> str:
    return " & ".join(f"'{word.text}':*" if word.is_prefix else f"'{word.text}'" for word in words)
