"""Items by their URL and by their site: what a browser extension asks (C8). Never those of disabled feeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, func, select, true

from inforadar.model.ids import FeedId, ItemId
from inforadar.model.item import Item
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.queries import item_from_row, select_items
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.types import one_of, unindexed

FEW_SCORED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """As much of an item as choosing needs."""

    id: ItemId
    url: str
    published_at: datetime


def load_item_by_url(connection: Connection, url: str, max_score: float | None = None) -> Item | None:
    """By its normalized URL; if several feeds list it, the one that was analyzed last."""
    query = (
        select_items()
        .where(items.c.url == url, *ACTIVE, *_scored(max_score))
        .order_by(items.c.analyzed_at.desc().nulls_last(), items.c.created_at.desc(), items.c.id)
        .limit(1)
    )
    row = connection.execute(query).first()
    return item_from_row(row) if row else None


def load_site_candidates(
    connection: Connection, roots: Sequence[str], limit: int, max_score: float | None = None
) -> dict[FeedId, list[Candidate]] | None:
    """The newest `limit` of each feed of the site; `None` if no feed that is served has such a root domain.

    No more are needed to mix `limit` of them fairly: an entry that is passed over has its URL among those taken.
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
    """Whether no more items than that have such scores, among however many; from the index of scores."""
    some = select(items.c.score).where(*scored).limit(most + 1).subquery()
    return connection.execute(select(func.count()).select_from(some)).scalar_one() <= most


def _newest_of_few(
    connection: Connection,
    feed_ids: Sequence[FeedId],
    limit: int,
    scored: Sequence[ColumnElement[bool]],
) -> dict[FeedId, list[Candidate]]:
    """Found by their scores: each feed would be looked through as a whole."""
    c = items.c
    theirs = select(c.feed_id, c.id, c.url, c.pub_date).where(*scored, one_of(unindexed(c.feed_id), feed_ids))
    found: dict[FeedId, list[Candidate]] = {feed_id: [] for feed_id in feed_ids}
    # Not sorted by the database, which would go through all items by date for it.
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
    """Of each feed the newest that fulfil the conditions, from the feed's own index: nothing else is read."""
    found: dict[FeedId, list[Candidate]] = {feed_id: [] for feed_id in feed_ids}
    c = items.c
    newest = select(c.feed_id, c.id, c.url, c.pub_date).order_by(c.pub_date.desc(), c.id.desc()).limit(limit)
    if connection.dialect.name == "sqlite":
        # Without a way to name the feed in the inner question; but a question costs no journey either.
        one = newest.where(c.feed_id == bindparam("feed"), *conditions)
        rows = [row for id_ in feed_ids for row in connection.execute(one, {"feed": id_})]
    else:
        inner = newest.where(c.feed_id == feeds.c.id, *conditions).lateral()
        asked = select(inner).select_from(feeds.join(inner, true())).where(one_of(feeds.c.id, feed_ids))
        rows = list(connection.execute(asked))
    for row in rows:
        found[row.feed_id].append(Candidate(id=row.id, url=row.url, published_at=row.pub_date))
    return found


def _scored(max_score: float | None) -> tuple[ColumnElement[bool], ...]:
    """Only what is analyzed has a score, and 0 is one."""
    return () if max_score is None else (items.c.analyzed_at.is_not(None), items.c.score <= max_score)


def load_items(connection: Connection, ids: Sequence[ItemId]) -> Mapping[ItemId, Item]:
    rows = connection.execute(select_items().where(one_of(items.c.id, ids), *ACTIVE))
    return {row.id: item_from_row(row) for row in rows}
