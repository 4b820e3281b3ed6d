"""Search over title, neutral title and text, with each database's own engine.

    items, articles ──triggers──► search_queue ──worker──► item_search ──► FTS5 | tsvector

Triggers record every change in its own transaction, so no writer has to think of it and nothing is missed. The worker
extracts the words (`search_jobs`, `search_index`) shortly after, outside of any transaction: that costs more than
storing an item, and collecting must not wait for it.

A query (`model/search.py`) is split in two: `Search.words` is answered by the index, and `Search.rest` is checked on
each item that the index or another filter selected (`search_terms`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Text, bindparam, literal, or_
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from inforadar.model.search import MAX_QUERY_CHARS, parse_search
from inforadar.model.search_tree import All, AnyOf, InTitle, Node, Not, Phrase, Word
from inforadar.short_cache import short_cache
from inforadar.store.items.search_words import QueryWord, query_words
from inforadar.store.schema.search import item_search


@dataclass(frozen=True, slots=True)
class AllWords:
    words: tuple[WordTree, ...]


@dataclass(frozen=True, slots=True)
class AnyWord:
    words: tuple[WordTree, ...]


WordTree = QueryWord | AllWords | AnyWord


@dataclass(frozen=True, slots=True)
class Search:
    """A query, split into what the index answers and what is checked on each item."""

    words: WordTree | None = None
    rest: tuple[Node, ...] = ()
    is_empty: bool = False
    """It has no term that could be looked for, so it finds nothing."""

    @property
    def has_prefix(self) -> bool:
        return self.words is not None and _has_prefix(self.words)


@short_cache(256, max_length=MAX_QUERY_CHARS)
def read_search(query: str) -> Search:
    """Parse a query and split it. Raises `UsageError` if a field has a value that means nothing."""
    parsed = parse_search(query)
    node = _without_wordless(parsed) if parsed else None
    if node is None:
        return Search(is_empty=True)
    words: list[WordTree] = []
    rest: list[Node] = []
    for part in node.nodes if isinstance(node, All) else (node,):
        indexed, is_whole = _indexed(part)
        if indexed:
            words.append(indexed)
        if not is_whole:
            rest.append(part)
    return Search(words=_all_words(words), rest=tuple(rest))


def _without_wordless(node: Node) -> Node | None:
    """The query without texts that have nothing to be found by, such as a dash; None if nothing is left."""
    match node:
        case Word(text) | Phrase(text) | InTitle(text):
            return node if query_words(text) else None
        case Not(inner):
            kept = _without_wordless(inner)
            return Not(kept) if kept else None
        case All(nodes) | AnyOf(nodes):
            all_kept = tuple(kept for one in nodes if (kept := _without_wordless(one)))
            if len(all_kept) <= 1:
                return all_kept[0] if all_kept else None
            return type(node)(all_kept)
        case _:
            return node


def _indexed(node: Node) -> tuple[WordTree | None, bool]:
    """The words that an item must have to match, and whether there is nothing else to check."""
    match node:
        case Word(text):
            return _all_words(query_words(text)), True
        case Phrase(text) | InTitle(text):
            words = query_words(text)
            return _all_words(words), isinstance(node, Phrase) and len(words) == 1
        case All(nodes):
            parts = [_indexed(one) for one in nodes]
            return _all_words([tree for tree, _ in parts if tree]), all(whole for _, whole in parts)
        case AnyOf(nodes):
            parts = [_indexed(one) for one in nodes]
            trees = [tree for tree, _ in parts if tree]
            is_whole = all(whole for _, whole in parts)
            return (AnyWord(tuple(trees)), is_whole) if len(trees) == len(parts) else (None, False)
        case _:
            return None, False


def _all_words(words: Sequence[WordTree]) -> WordTree | None:
    if not words:
        return None
    return words[0] if len(words) == 1 else AllWords(tuple(words))


def _has_prefix(tree: WordTree) -> bool:
    if isinstance(tree, QueryWord):
        return tree.is_prefix
    return any(map(_has_prefix, tree.words))


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


def has_words(words: WordTree) -> ColumnElement[bool]:
    """Condition on a row of `item_search`, with the index."""
    return _Matches(
        item_search.c.words,
        item_search.c.id,
        bindparam(None, fts5_query(words), type_=Text, unique=True),
        bindparam(None, _tsquery(words), type_=Text, unique=True),
    )


def has_words_unindexed(words: WordTree) -> ColumnElement[bool]:
    """Like `has_words`, but checked in the row itself without the index: for rows selected by something else."""
    match words:
        case QueryWord(text, is_prefix):
            all_ = literal(" ").concat(item_search.c.words).concat(literal(" "))
            # The words contain only letters, digits and marks, none of which is special in LIKE.
            return all_.like(f"% {text}{'' if is_prefix else ' '}%")
        case AllWords(parts):
            return _AllOf(*map(has_words_unindexed, parts))
        case AnyWord(parts):
            return or_(*map(has_words_unindexed, parts)).self_group()


def fts5_query(words: WordTree) -> str:
    """The words in FTS5's syntax."""
    match words:
        case QueryWord(text, is_prefix):
            return f'"{text}"*' if is_prefix else f'"{text}"'
        case AllWords(parts):
            return " AND ".join(_grouped(part, fts5_query) for part in parts)
        case AnyWord(parts):
            return " OR ".join(_grouped(part, fts5_query) for part in parts)


def _tsquery(words: WordTree) -> str:
    match words:
        case QueryWord(text, is_prefix):
            return f"'{text}':*" if is_prefix else f"'{text}'"
        case AllWords(parts):
            return " & ".join(_grouped(part, _tsquery) for part in parts)
        case AnyWord(parts):
            return " | ".join(_grouped(part, _tsquery) for part in parts)


def _grouped(tree: WordTree, write: Callable[[WordTree], str]) -> str:
    return write(tree) if isinstance(tree, QueryWord) else f"({write(tree)})"
