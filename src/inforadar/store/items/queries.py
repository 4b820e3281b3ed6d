"""Queries about items: which of them a feed has, filtered lists, one item with its changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    Text,
    bindparam,
    false,
    literal_column,
    select,
)

from inforadar.model.ids import ItemId
from inforadar.model.item import Item
from inforadar.model.search_tree import Source, Topic
from inforadar.store.feeds.hidden import load_hidden_feeds
from inforadar.store.feeds.label_match import has_name, known_names
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.item_filter import ItemFilter, is_not_hidden, value_of
from inforadar.store.items.metadata_rows import METADATA_ROWS
from inforadar.store.items.search import read_search
from inforadar.store.items.search_terms import search_conditions
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.people import marks
from inforadar.store.types import unindexed

_METADATA_COLUMNS = tuple(items.c[name] for name in METADATA_ROWS.names)
ITEM_COLUMNS = (
    *_METADATA_COLUMNS,
    items.c.id,
    items.c.feed_id,
    items.c.url,
    items.c.hash,
    items.c.content,
    items.c.pub_date,
    items.c.created_at,
    items.c.updated_at,
    items.c.analyzer_result,
    items.c.analyzed_at,
    items.c.run_id,
    items.c.guid,
    items.c.link,
    items.c.dated_at,
    items.c.revised_at,
    items.c.score,
    items.c.is_shared,
    feeds.c.source,
    feeds.c.topic,
)
"""In the order that `item_from_row` reads."""
_WITHOUT_CONTENT = tuple(
    literal_column("''", Text).label("content") if column is items.c.content else column
    for column in ITEM_COLUMNS
)


def list_items(
    connection: Connection, wanted: ItemFilter | None = None, *, limit: int = 50, offset: int = 0
) -> list[Item]:
    """List items, newest first; never those of disabled or deleted feeds."""
    query = (
        select_items()
        .where(*conditions_of(with_known_names(connection, wanted or ItemFilter())))
        .order_by(items.c.pub_date.desc(), items.c.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return [item_from_row(row) for row in connection.execute(query)]


def with_known_names(connection: Connection, wanted: ItemFilter) -> ItemFilter:
    """The filter with its query read, names spelled as feeds spell them, and the feeds that the person hides."""
    if wanted.query is not None and wanted.search is None:
        wanted = _with_search(wanted, wanted.query)
    if wanted.person_id is not None and wanted.feed_id is None:
        wanted = replace(wanted, hidden=tuple(sorted(load_hidden_feeds(connection, wanted.person_id))))
    if not (wanted.sources or wanted.topics):
        return wanted
    return replace(
        wanted,
        sources=known_names(connection, feeds.c.source, wanted.sources),
        topics=known_names(connection, feeds.c.topic, wanted.topics),
    )


def _with_search(wanted: ItemFilter, query: str) -> ItemFilter:
    """Read the query. A source or topic that every item must have becomes part of the filter, which has an index."""
    search = read_search(query)
    for node in search.rest:
        match node:
            case Source(name) if not wanted.sources:
                wanted = replace(wanted, sources=(name,))
            case Topic(name) if not wanted.topics:
                wanted = replace(wanted, topics=(name,))
            case _:
                continue
        search = replace(search, rest=tuple(one for one in search.rest if one is not node))
    return replace(wanted, search=search)


def without_words(wanted: ItemFilter) -> ItemFilter:
    """The filter without the words that the search index answers."""
    return replace(wanted, search=replace(wanted.search, words=None) if wanted.search else None)


def conditions_of(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    """Conditions on items joined with their feeds; the filter comes from `with_known_names`."""
    conditions: list[ColumnElement[bool]] = [*ACTIVE]
    if wanted.sources:
        conditions.append(has_name(feeds.c.source, wanted.sources))
    if wanted.topics:
        conditions.append(has_name(feeds.c.topic, wanted.topics))
    if wanted.feed_id:
        conditions.append(items.c.feed_id == value_of(wanted, "feed_id"))
    if wanted.hidden:
        conditions.append(is_not_hidden(items.c.feed_id, wanted.hidden))
    if wanted.run_id:
        conditions.append(items.c.run_id == value_of(wanted, "run_id"))
    if wanted.since is not None:
        conditions.append(items.c.pub_date >= value_of(wanted, "since"))
    if wanted.until is not None:
        conditions.append(items.c.pub_date < value_of(wanted, "until"))
    if wanted.added_since:
        conditions.append(items.c.created_at >= value_of(wanted, "added_since"))
    conditions += scores_of(wanted, unindexed(items.c.score))
    conditions += marks_of(wanted)
    if wanted.search is not None:
        conditions += search_conditions(wanted.search, items, wanted.person_id, with_index=True)
    return conditions


def list_conditions(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    """The conditions without the search index: the words are checked in each item."""
    conditions = conditions_of(replace(wanted, search=None))
    if wanted.search is not None:
        conditions += search_conditions(wanted.search, items, wanted.person_id, with_index=False)
    return conditions


def marks_of(wanted: ItemFilter, table: FromClause = items) -> list[ColumnElement[bool]]:
    """Conditions on the person's marks of the items of `table`."""
    if wanted.person_id is None:
        return [false()] if wanted.starred or wanted.archived else []
    conditions: list[ColumnElement[bool]] = []
    mine = marks.c.person_id == value_of(wanted, "person_id")
    marked = select(marks.c.hash).where(mine, marks.c.hash == table.c.hash)
    if wanted.unread:
        read_at = marks.c.read_at
        is_read = (
            read_at.is_not(None) if wanted.unread_at is None else read_at <= value_of(wanted, "unread_at")
        )
        conditions.append(~marked.where(is_read).exists())
    if wanted.starred:
        conditions.append(_has_mark(mine, marks.c.starred_at, table))
    if wanted.archived is True:
        conditions.append(_has_mark(mine, marks.c.archived_at, table))
    if wanted.archived is False:
        conditions.append(~marked.where(marks.c.archived_at.is_not(None)).exists())
    return conditions


def scores_of(wanted: ItemFilter, score: ColumnElement[Any]) -> tuple[ColumnElement[bool], ...]:
    return (
        *(() if wanted.max_score is None else (score <= value_of(wanted, "max_score"),)),
        *(() if wanted.min_score is None else (score >= value_of(wanted, "min_score"),)),
        *(() if wanted.below_score is None else (score < value_of(wanted, "below_score"),)),
    )


def _has_mark(
    mine: ColumnElement[bool], mark: ColumnElement[datetime], table: FromClause
) -> ColumnElement[bool]:
    """Few items have one: start from the marks instead of checking each item."""
    return table.c.url.in_(select(marks.c.url).where(mine, mark.is_not(None)))


@cache
def select_items(*, with_content: bool = True) -> Select[Any]:
    """Items with their feeds' labels. Lists need no content, which is most of an item."""
    columns = ITEM_COLUMNS if with_content else _WITHOUT_CONTENT
    return select(*columns).join_from(items, feeds, feeds.c.id == items.c.feed_id)


def item_from_row(row: Row[Any]) -> Item:
    # An app loads a hundred thousand: unpacking a tuple is faster than looking up each column by its name.
    (
        id_,
        feed_id,
        url,
        hash_,
        content,
        published_at,
        created_at,
        updated_at,
        analyzer_result,
        analyzed_at,
        run_id,
        guid,
        link,
        dated_at,
        revised_at,
        score,
        is_shared,
        source,
        topic,
    ) = row[len(_METADATA_COLUMNS) : len(ITEM_COLUMNS)]
    return Item(
        id=id_,
        feed_id=feed_id,
        url=url,
        hash=hash_,
        content=content,
        published_at=published_at,
        created_at=created_at,
        updated_at=updated_at,
        analyzer_result=analyzer_result,
        analyzed_at=analyzed_at,
        run_id=run_id,
        guid=guid,
        link=link,
        dated_at=dated_at,
        revised_at=revised_at,
        source=source,
        topic=topic,
        score=score,
        is_shared=is_shared,
        **METADATA_ROWS.from_row(row[: len(_METADATA_COLUMNS)]),
    )


def load_item(connection: Connection, item_id: ItemId) -> Item | None:
    row = connection.execute(_one_item(), {"item": item_id}).first()
    return item_from_row(row) if row else None


@cache
def _one_item() -> Select[Any]:
    return select_items().where(items.c.id == bindparam("item"))


def load_item_changes(connection: Connection, item_id: ItemId) -> list[tuple[datetime, dict[str, list[Any]]]]:
    """Changes since the item was first seen, oldest first, as far as retention keeps them."""
    query = (
        select(item_changes.c.at, item_changes.c.fields)
        .where(item_changes.c.item_id == item_id)
        .order_by(item_changes.c.at, item_changes.c.id)
    )
    return [(row.at, row.fields) for row in connection.execute(query)]
