"""Search over title, neutral title and text, with the databases' own engines.

    items, articles ──triggers──► search_queue ──worker──► item_search ──► FTS5 | tsvector

Triggers note every change in the transaction that makes it, so no writer has to think of it and nothing is
forgotten. The words are made by the worker, moments later and outside of any transaction, because making
them costs more than storing an item, and collecting must not wait for it.

Ids of `item_search` go by the item's date. So the newest finds come first straight from the index, without
sorting all the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Text, and_, bindparam, delete, false, literal, select
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from inforadar.model.ids import ItemId
from inforadar.store.schema import articles, items
from inforadar.store.search_schema import item_search, search_queue
from inforadar.store.search_words import QueryWord, query_words
from inforadar.store.types import one_of


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
    q = search_queue.c
    waiting = connection.execute(select(q.id, q.item_id).order_by(q.id.desc()).limit(limit)).all()
    places: dict[ItemId, list[int]] = {}
    for row in reversed(waiting):
        places.setdefault(row.item_id, []).append(row.id)
    query = (
        select(
            items.c.id,
            items.c.pub_date,
            items.c.title,
            items.c.snippet,
            items.c.analyzer_result["title"].as_string().label("neutral"),
            articles.c.clean_text,
        )
        .join_from(items, articles, articles.c.uid == items.c.uid, isouter=True)
        .where(one_of(items.c.id, list(places)))
    )
    jobs = [
        SearchJob(
            item_id=row.id,
            published_at=row.pub_date,
            texts=(row.title, row.neutral, row.snippet, row.clean_text),
            changes=tuple(places.pop(row.id)),
        )
        for row in connection.execute(query)
    ]
    return jobs, [place for gone in places.values() for place in gone]


def save_search_words(
    connection: Connection, words: Sequence[tuple[SearchJob, str]], gone: Sequence[int]
) -> None:
    """Takes the jobs out of the queue. One whose last change another process took has newer words already."""
    taken = [*gone, *(place for job, _ in words for place in job.changes)]
    q = search_queue.c
    removed = set(
        connection.execute(delete(search_queue).where(one_of(q.id, sorted(taken))).returning(q.id)).scalars()
    )
    ours = {job.item_id: (job, text) for job, text in words if job.changes[-1] in removed}
    # Held, so that none of them goes before its words are in.
    held = select(items.c.id).where(one_of(items.c.id, list(ours))).order_by(items.c.id)
    there = connection.execute(held.with_for_update(read=True, key_share=True)).scalars().all()
    ids_of = _search_ids(connection, {item_id: ours[item_id][0].published_at for item_id in there})
    rows = [{"id": ids_of[item_id], "item_id": item_id, "words": ours[item_id][1]} for item_id in there]
    if rows:
        insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
        new = insert(item_search)
        changed = {"words": new.excluded.words}
        connection.execute(new.on_conflict_do_update(index_elements=["item_id"], set_=changed), rows)


def _search_ids(connection: Connection, dates: Mapping[ItemId, datetime]) -> dict[ItemId, int]:
    """Those that the items have; new ones get the place of their date, or the next one that is free."""
    s = item_search.c
    known = connection.execute(select(s.item_id, s.id).where(one_of(s.item_id, list(dates)))).all()
    ids: dict[ItemId, int] = {row.item_id: row.id for row in known}
    wanted = {item_id: search_id(item_id, at) for item_id, at in dates.items() if item_id not in ids}
    taken = {row.id for row in known}
    while wanted:
        taken.update(connection.execute(select(s.id).where(one_of(s.id, list(wanted.values())))).scalars())
        for item_id, place in list(wanted.items()):
            if place in taken:
                wanted[item_id] = place + 1
            else:
                ids[item_id] = place
                taken.add(place)
                del wanted[item_id]
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
