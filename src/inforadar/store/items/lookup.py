"""Look up items by URL and by site, as the browser extension does (C8). Never returns items of disabled feeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, func, select, true

from inforadar.model.ids import FeedId, ItemId
from inforadar.model.item import Item
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.queries import item_from_row, select_items
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.types import one_of, one_of_given, unindexed

FEW_SCORED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The part of an item needed to choose between items."""

    id: ItemId
    url: str
    published_at: datetime


def load_item_by_url(connection: Connection, url: str, max_score: float | None = None) -> Item | None:
    """Find an item by its normalized URL; if several feeds list it, the one analyzed last."""
    is_scored = max_score is not None
    given = {"url": url, "max_score": max_score} if is_scored else {"url": url}
    row = connection.execute(_item_by_url(is_scored=is_scored), given).first()
    return item_from_row(row) if row else None


@cache
def _item_by_url(*, is_scored: bool) -> Select[Any]:
    scored = _scored(bindparam("max_score") if is_scored else None)
    return (
        select_items()
        .where(items.c.url == bindparam("url"), *ACTIVE, *scored)
        .order_by(items.c.analyzed_at.desc().nulls_last(), items.c.created_at.desc(), items.c.id)
        .limit(1)
    )


def load_site_candidates(
    connection: Connection, roots: Sequence[str], limit: int, max_score: float | None = None
) -> dict[FeedId, list[Candidate]] | None:
    """The newest `limit` items of each feed of the site; None if no active feed has one of these root domains.

    More are not needed to mix `limit` items fairly: an item is skipped only if its URL is already among those taken.
    """
    asked = select(feeds.c.id).where(feeds.c.root_domain.in_(roots), *ACTIVE).order_by(feeds.c.id)
    feed_ids = list(connection.execute(asked).scalars())
    if not feed_ids:
        return None
    scored = _scored(max_score)
    if max_score is not None and are_few(connection, [items.c.score <= max_score], FEW_SCORED):
        return _newest_of_few(connection, feed_ids, limit, scored)
    return load_newest(connection, feed_ids, limit, scored)


def are_few(connection: Connection, scored: Sequence[ColumnElement[bool]], most: int) -> bool:
    """Whether at most `most` items have such scores; read from the index of scores."""
    some = select(items.c.score).where(*scored).limit(most + 1).subquery()
    return connection.execute(select(func.count()).select_from(some)).scalar_one() <= most


def _newest_of_few(
    connection: Connection,
    feed_ids: Sequence[FeedId],
    limit: int,
    scored: Sequence[ColumnElement[bool]],
) -> dict[FeedId, list[Candidate]]:
    """Find items by their scores; otherwise each feed would be scanned completely."""
    c = items.c
    theirs = select(c.feed_id, c.id, c.url, c.pub_date).where(*scored, one_of(unindexed(c.feed_id), feed_ids))
    found: dict[FeedId, list[Candidate]] = {feed_id: [] for feed_id in feed_ids}
    # Sorted here, because the database would scan all items by date to sort them.
    rows = sorted(connection.execute(theirs), key=lambda row: (row.pub_date, row.id), reverse=True)
    for row in rows:
        if len(found[row.feed_id]) < limit:
            found[row.feed_id].append(Candidate(id=row.id, url=row.url, published_at=row.pub_date))
    return found


def load_newest(
    connection: Connection,
    feed_ids: Sequence[FeedId],
    limit: int,
    conditions: Sequence[ColumnElement[bool]] = (),
) -> dict[FeedId, list[Candidate]]:
    """The newest items of each feed that meet the conditions, from the feed's own index: nothing else is read."""
    statement = select_newest(conditions, is_sqlite=is_sqlite(connection))
    return execute_newest(connection, statement, feed_ids, limit, {})


def select_newest(
    conditions: Sequence[ColumnElement[bool]], *, oldest_first: bool = False, is_sqlite: bool
) -> Select[Any]:
    """The statement of `execute_newest`."""
    c = items.c
    order = (c.pub_date.asc(), c.id.asc()) if oldest_first else (c.pub_date.desc(), c.id.desc())
    newest = select(c.feed_id, c.id, c.url, c.pub_date).order_by(*order).limit(bindparam("number"))
    if is_sqlite:
        return newest.where(c.feed_id == bindparam("feed"), *conditions)
    inner = newest.where(c.feed_id == feeds.c.id, *conditions).lateral()
    return select(inner).select_from(feeds.join(inner, true())).where(one_of_given(feeds.c.id, "feeds"))


def execute_newest(
    connection: Connection,
    statement: Select[Any],
    feed_ids: Sequence[FeedId],
    limit: int,
    values: Mapping[str, Any],
) -> dict[FeedId, list[Candidate]]:
    given = {**values, "number": limit}
    if is_sqlite(connection):
        # SQLite has no lateral join, but a query per feed costs no round trip.
        rows = [row for id_ in feed_ids for row in connection.execute(statement, given | {"feed": id_})]
    else:
        rows = list(connection.execute(statement, given | {"feeds": feed_ids}))
    found: dict[FeedId, list[Candidate]] = {feed_id: [] for feed_id in feed_ids}
    for feed_id, id_, url, published_at in rows:
        found[feed_id].append(Candidate(id=id_, url=url, published_at=published_at))
    return found


def is_sqlite(connection: Connection) -> bool:
    return connection.dialect.name == "sqlite"


def _scored(max_score: float | ColumnElement[float] | None) -> tuple[ColumnElement[bool], ...]:
    """Conditions for a maximum score. Only analyzed items have a score, and 0 is one."""
    return () if max_score is None else (items.c.analyzed_at.is_not(None), items.c.score <= max_score)


def load_items_by_forms(connection: Connection, forms: Mapping[str, Sequence[str]]) -> dict[str, Item]:
    """Find the item of each page by any of its forms; the first form that is an item's wins."""
    every = [form for of_page in forms.values() for form in of_page]
    query = select_items().where(one_of(items.c.url, every), *ACTIVE)
    # If several feeds list it, the one analyzed last.
    found = {
        row.url: item_from_row(row)
        for row in connection.execute(query.order_by(items.c.analyzed_at.nulls_first(), items.c.id.desc()))
    }
    hits = {page: next((form for form in of_page if form in found), None) for page, of_page in forms.items()}
    return {page: found[form] for page, form in hits.items() if form is not None}


def load_listed_urls(connection: Connection, urls: Sequence[str]) -> set[str]:
    """Which of these URLs are an item's."""
    return set(connection.execute(select(items.c.url).where(one_of(items.c.url, urls))).scalars())


def load_items(
    connection: Connection, ids: Sequence[ItemId], *, with_content: bool = True
) -> Mapping[ItemId, Item]:
    rows = connection.execute(_items_by_id(with_content=with_content), {"ids": ids}).all()
    found = map(item_from_row, rows)
    return {item.id: item for item in found}


@cache
def _items_by_id(*, with_content: bool) -> Select[Any]:
    return select_items(with_content=with_content).where(one_of_given(items.c.id, "ids"), *ACTIVE)
