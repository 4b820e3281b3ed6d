"""Search over title, neutral title and text, with each database's own engine.

    items, articles ──triggers──► search_queue ──worker──► item_search ──► FTS5 | tsvector

Triggers record every change in its own transaction, so no writer has to think of it and nothing is missed. The worker
extracts the words (`search_jobs`, `search_index`) shortly after, outside of any transaction: that costs more than
storing an item, and collecting must not wait for it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Text, bindparam, false, literal, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from inforadar.store.items.search_words import QueryWord, query_words
from inforadar.store.schema.items import items
from inforadar.store.schema.search import item_search


class _Matches(FunctionElement[bool]):
    """Whether a row of `item_search` has the words; compiled to each database's own syntax."""

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


class _AllOf(FunctionElement[bool]):
    """All conditions together, in groups: SQLite refuses more than a thousand levels, and each AND is one."""

    name = "all_of"
    inherit_cache = True


_GROUP = 50


@compiles(_AllOf)
def _default_all_of(element: _AllOf, compiler: SQLCompiler, **kw: Any) -> str:
    tests = [compiler.process(clause, **kw) for clause in element.clauses]
    groups = (tests[start : start + _GROUP] for start in range(0, len(tests), _GROUP))
    return " AND ".join(f"({' AND '.join(group)})" for group in groups)


def has_words(query: str) -> ColumnElement[bool]:
    """Condition on a row of `item_search`, with the index. A query without any word matches nothing."""
    words = query_words(query)
    if not words:
        return false()
    return _Matches(
        item_search.c.words,
        item_search.c.id,
        bindparam(None, _fts5(words), type_=Text, unique=True),
        bindparam(None, _tsquery(words), type_=Text, unique=True),
    )


def item_has_words(query: str) -> ColumnElement[bool]:
    """Condition on a row of `items`."""
    return items.c.id.in_(select(item_search.c.item_id).where(has_words(query)))


def has_words_unindexed(query: str) -> ColumnElement[bool]:
    """Like `has_words`, but checked in the row itself without the index: for rows selected by something else."""
    words = query_words(query)
    if not words:
        return false()
    text = literal(" ").concat(item_search.c.words).concat(literal(" "))
    # The words contain only letters, digits and marks, none of which is special in LIKE.
    return _AllOf(*(text.like(f"% {word.text}{'' if word.is_prefix else ' '}%") for word in words))


def fts5_query(query: str) -> str | None:
    """The query in FTS5's syntax; None if it has no word."""
    words = query_words(query)
    return _fts5(words) if words else None


def _fts5(words: tuple[QueryWord, ...]) -> str:
    return " AND ".join(f'"{word.text}"*' if word.is_prefix else f'"{word.text}"' for word in words)


def _tsquery(words: tuple[QueryWord, ...]) -> str:
    return " & ".join(f"'{word.text}':*" if word.is_prefix else f"'{word.text}'" for word in words)
