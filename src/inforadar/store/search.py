"""Search over title, neutral title and text, with the databases' own engines.

    items, articles ──triggers──► search_queue ──worker──► item_search ──► FTS5 | tsvector

Triggers note every change in the transaction that makes it, so no writer has to think of it and nothing is
forgotten. The words are made by the worker, moments later, because making them costs more than storing an
item, and collecting must not wait for it.

Ids of `item_search` go by the item's date. So the newest finds come first straight from the index, without
sorting all the others.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Text, bindparam, delete, false, func, select
from sqlalchemy.dialects.postgresql import insert as pg_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from inforadar.model.ids import ItemId
from inforadar.store.schema import articles, item_search, items, search_queue
from inforadar.store.search_words import QueryWord, query_words, search_words
from inforadar.store.types import one_of

LOCK = 0x696E666F72
"""One process makes words at a time: two could overwrite newer ones with older ones."""


def index_items(connection: Connection, limit: int) -> int:
    """Makes the words of items that changed; returns how many changes were worked off."""
    if connection.dialect.name != "sqlite":
        held = connection.execute(select(func.pg_try_advisory_xact_lock(LOCK))).scalar()
        if not held:
            return 0
    q = search_queue.c
    waiting = connection.execute(select(q.id, q.item_id).order_by(q.id).limit(limit)).all()
    if not waiting:
        return 0
    ids = list({row.item_id for row in waiting})
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
        .where(one_of(items.c.id, ids))
    )
    rows = [
        {
            "id": search_id(row.id, row.pub_date),
            "item_id": row.id,
            "words": search_words((row.title, row.neutral, row.snippet, row.clean_text)),
        }
        for row in connection.execute(query)
    ]
    if rows:
        insert = sqlite_insert if connection.dialect.name == "sqlite" else pg_insert
        new = insert(item_search)
        connection.execute(
            new.on_conflict_do_update(index_elements=["id"], set_={"words": new.excluded.words}), rows
        )
    connection.execute(delete(search_queue).where(one_of(q.id, [row.id for row in waiting])))
    return len(waiting)


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


def fts5_query(query: str) -> str | None:
    """The query as FTS5 wants it; `None` if it has no word."""
    words = query_words(query)
    return _fts5(words) if words else None


def _fts5(words: tuple[QueryWord, ...]) -> str:
    return " AND ".join(f'"{word.text}"*' if word.is_prefix else f'"{word.text}"' for word in words)


def _tsquery(words: tuple[QueryWord, ...]) -> str:
    return " & ".join(f"'{word.text}':*" if word.is_prefix else f"'{word.text}'" for word in words)
