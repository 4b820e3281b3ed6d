"""Items: what is known, what is new, what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    update,
)

from inforadar.model.ids import FeedId, ItemId, RunId, Uid, UrlHash, new_uuid
from inforadar.model.item import METADATA_FIELDS, FieldValue, Item, ItemChange, KnownItem, NewItem
from inforadar.store.feeds.label_match import has_name, known_names
from inforadar.store.feeds.note_history import note_added
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.items.search import is_found
from inforadar.store.rows import JsonRows, insert_rows, stored_id, stored_time
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import forgotten_items, item_changes, items
from inforadar.store.schema.people import marks
from inforadar.store.types import db_now, encode_json, one_of, unindexed
from inforadar.store.upsert import upsert
from inforadar.urls import uid

ITEM_COLUMNS = (*items.c, feeds.c.source, feeds.c.topic)

_asked = JsonRows("asked", place="integer", feed_id="uuid", hash="text")
_LOAD_KNOWN = select(
    _asked.c["place"], items.c.id, items.c.pub_date, *(items.c[name] for name in METADATA_FIELDS)
).join_from(
    _asked.table, items, and_(items.c.feed_id == _asked.c["feed_id"], items.c.hash == _asked.c["hash"])
)


_f = forgotten_items.c
_LOAD_FORGOTTEN = select(_asked.c["place"], _f.item_id, _f.pub_date).join_from(
    _asked.table, forgotten_items, and_(_f.feed_id == _asked.c["feed_id"], _f.hash == _asked.c["hash"])
)


def load_known(
    connection: Connection, wanted: Mapping[FeedId, Sequence[UrlHash]]
) -> dict[FeedId, dict[UrlHash, KnownItem]]:
    """For several feeds at once: those of the listed hashes that the feed has, or had until retention took them."""
    known: dict[FeedId, dict[UrlHash, KnownItem]] = {feed_id: {} for feed_id in wanted}
    asked = [(feed_id, hash_) for feed_id, hashes in wanted.items() for hash_ in hashes]
    if not asked:
        return known
    rows = [(place, feed_id.hex, hash_) for place, (feed_id, hash_) in enumerate(asked)]
    for place, id_, published_at, *values in connection.execute(_LOAD_KNOWN, _asked.parameters(rows)).all():
        # By its place in the question: sending feed and hash back would take longer than all the rest.
        feed_id, hash_ = asked[place]
        fields = dict(zip(METADATA_FIELDS, values, strict=True))
        fields["tags"] = tuple(fields["tags"] or ())
        known[feed_id][hash_] = KnownItem(id=id_, hash=hash_, published_at=published_at, fields=fields)
    for place, id_, published_at in connection.execute(_LOAD_FORGOTTEN, _asked.parameters(rows)).all():
        feed_id, hash_ = asked[place]
        known[feed_id][hash_] = KnownItem(
            id=id_, hash=hash_, published_at=published_at, fields={}, forgotten=True
        )
    return known


def load_known_hashes(
    connection: Connection, feed_id: FeedId, hashes: Sequence[UrlHash]
) -> frozenset[UrlHash]:
    """Those of the hashes that the feed has, or had until retention took them."""
    here, gone = (
        select(table.c.hash).where(table.c.feed_id == feed_id, one_of(table.c.hash, hashes))
        for table in (items, forgotten_items)
    )
    return frozenset(connection.execute(here.union_all(gone)).scalars())


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedItems:
    """New items of one feed, on their way in."""

    feed_id: FeedId
    topic: str
    run_id: RunId | None
    at: datetime
    added: tuple[NewItem, ...]


def insert_items(connection: Connection, batches: Sequence[FeedItems]) -> None:
    """Inserts new items and queues their articles. One that is there already stays as it is."""
    rows: list[tuple[Any, ...]] = []
    added: list[tuple[UUID, Uid]] = []
    queue: dict[Uid, tuple[str, str, str]] = {}
    for batch in batches:
        at = stored_time(connection, batch.at)
        feed_id = stored_id(connection, batch.feed_id)
        run_id = stored_id(connection, batch.run_id) if batch.run_id else None
        for new in batch.added:
            listed = new.listed
            id_, key = new_uuid(), uid(listed.url)
            rows.append(
                (
                    stored_id(connection, id_),
                    at,
                    at,
                    new.hash,
                    feed_id,
                    listed.url,
                    key,
                    stored_time(connection, listed.published_at) if listed.published_at else at,
                    listed.content or "",
                    listed.guid,
                    listed.title,
                    listed.author,
                    listed.snippet,
                    encode_json(listed.tags) if listed.tags else None,
                    listed.image,
                    listed.language,
                    listed.views,
                    listed.comments,
                    listed.rating,
                    listed.bookmarks,
                    run_id,
                )
            )
            added.append((id_, key))
            queue.setdefault(key, (key, listed.url, batch.topic))
    if not rows:
        return
    # Two workers that bring in the same articles must not wait for each other: both go by the uid.
    articles_to_do = upsert(connection, articles).values(next_attempt_at=db_now()).on_conflict_do_nothing()
    insert_rows(connection, articles_to_do, ("uid", "url", "category"), sorted(queue.values()))
    there = _load_finished(connection, queue)
    insert_rows(
        connection,
        upsert(connection, items).on_conflict_do_nothing(index_elements=["feed_id", "hash"]),
        _ITEM_VALUES,
        rows,
    )
    if there:
        waiting = [id_ for id_, key in added if key in there]
        connection.execute(update(items).where(one_of(items.c.id, waiting)).values(analyze_at=db_now()))
    note_added(connection, [(batch.feed_id, batch.at, len(batch.added)) for batch in batches])


_ITEM_VALUES = (
    "id", "created_at", "updated_at", "hash", "feed_id", "url", "uid", "pub_date", "content", "guid", "title",
    "author", "snippet", "tags", "image", "language", "views", "comments", "rating", "bookmarks", "run_id",
)  # fmt: skip
"""What a new item is inserted with, in the table's order."""


def _load_finished(connection: Connection, uids: Iterable[Uid]) -> set[str]:
    """Articles that another feed brought in before: their items have nothing to wait for.

    All rows stay locked until the items are committed. Otherwise an article that is being saved right now
    could miss the new items, and they it, and nobody would ever wake them.
    """
    a = articles.c
    locked = (
        select(a.uid, a.next_attempt_at)
        .where(one_of(a.uid, uids))
        .order_by(a.uid)
        .with_for_update(read=True)
        .cte("locked")
    )
    return set(connection.execute(select(locked.c.uid).where(locked.c.next_attempt_at.is_(None))).scalars())


def save_changes(
    connection: Connection, changes: Iterable[ItemChange], *, run_id: RunId | None, at: datetime
) -> None:
    """Writes the changed fields, and only those, and keeps what they were before."""
    by_fields: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    history = []
    for change in sorted(changes, key=lambda change: change.id):
        names = tuple(sorted(change.fields))
        values = {f"new_{name}": _stored(name, change.fields[name][1]) for name in names}
        by_fields.setdefault(names, []).append({"item": change.id, **values})
        fields = {name: [_plain(old), _plain(new)] for name, (old, new) in change.fields.items()}
        history.append({"id": new_uuid(), "item_id": change.id, "run_id": run_id, "at": at, "fields": fields})
    if len(by_fields) > 1 and connection.dialect.name != "sqlite":
        ids = [row["item_id"] for row in history]
        connection.execute(
            select(items.c.id).where(one_of(items.c.id, ids)).order_by(items.c.id).with_for_update()
        )
    for names, rows in by_fields.items():
        changed = {_COLUMNS.get(name, name): f"new_{name}" for name in names}
        columns: dict[str, Any] = {
            name: bindparam(parameter, type_=items.c[name].type) for name, parameter in changed.items()
        }
        if not _ANALYZED.isdisjoint(names):
            # What was analyzed, or is right now, is no longer what is there: once more. Others wait for their article.
            read = or_(items.c.analyzed_at.is_not(None), items.c.analyze_token.is_not(None))
            columns["analyze_at"] = case((read, db_now()), else_=items.c.analyze_at)
        statement = update(items).where(items.c.id == bindparam("item")).values(**columns, updated_at=at)
        connection.execute(statement, rows)
    if history:
        connection.execute(item_changes.insert(), history)


_ANALYZED = frozenset({"title", "snippet"})
"""Fields that the analyzer reads."""


_COLUMNS = {"published_at": "pub_date"}
"""Where a field has another name than its column."""


def _stored(name: str, value: FieldValue) -> Any:
    return datetime.fromisoformat(str(value)) if name == "published_at" else _plain(value)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFilter:
    """What a list shows. The same in the terminal, on the page and in the command."""

    sources: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    feed_id: FeedId | None = None
    run_id: RunId | None = None
    """What this run added."""
    max_score: float | None = None
    min_score: float | None = None
    below_score: float | None = None
    unread: bool = False
    starred: bool = False
    archived: bool | None = None
    """`None`: whether archived or not."""
    query: str | None = None
    """Words that title, neutral title or text must have."""


def list_items(
    connection: Connection, wanted: ItemFilter | None = None, *, limit: int = 50, offset: int = 0
) -> list[Item]:
    """Newest first; never those of disabled or deleted feeds."""
    query = (
        select_items()
        .where(*conditions_of(as_named(connection, wanted or ItemFilter())))
        .order_by(items.c.pub_date.desc(), items.c.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return [item_from_row(row) for row in connection.execute(query)]


def count_items(connection: Connection, wanted: ItemFilter | None = None) -> int:
    joined = items.join(feeds, feeds.c.id == items.c.feed_id)
    conditions = conditions_of(as_named(connection, wanted or ItemFilter()))
    query = select(func.count()).select_from(joined).where(*conditions)
    return connection.execute(query).scalar_one()


def as_named(connection: Connection, wanted: ItemFilter) -> ItemFilter:
    """With sources and topics as feeds have them."""
    if not (wanted.sources or wanted.topics):
        return wanted
    return replace(
        wanted,
        sources=known_names(connection, feeds.c.source, wanted.sources),
        topics=known_names(connection, feeds.c.topic, wanted.topics),
    )


def conditions_of(wanted: ItemFilter) -> list[ColumnElement[bool]]:
    """On the items joined with their feeds, whose names are those of `as_named`."""
    conditions: list[ColumnElement[bool]] = [*ACTIVE]
    if wanted.sources:
        conditions.append(has_name(feeds.c.source, wanted.sources))
    if wanted.topics:
        conditions.append(has_name(feeds.c.topic, wanted.topics))
    if wanted.feed_id:
        conditions.append(items.c.feed_id == wanted.feed_id)
    if wanted.run_id:
        conditions.append(items.c.run_id == wanted.run_id)
    conditions += scores_of(wanted, unindexed(items.c.score))
    marked = select(marks.c.hash).where(marks.c.hash == items.c.hash)
    if wanted.unread:
        conditions.append(~marked.where(marks.c.read_at.is_not(None)).exists())
    if wanted.starred:
        conditions.append(_has_mark(marks.c.starred_at))
    if wanted.archived is True:
        conditions.append(_has_mark(marks.c.archived_at))
    if wanted.archived is False:
        conditions.append(~marked.where(marks.c.archived_at.is_not(None)).exists())
    if wanted.query is not None:
        conditions.append(is_found(wanted.query))
    return conditions


def scores_of(wanted: ItemFilter, score: ColumnElement[Any]) -> tuple[ColumnElement[bool], ...]:
    return (
        *(() if wanted.max_score is None else (score <= wanted.max_score,)),
        *(() if wanted.min_score is None else (score >= wanted.min_score,)),
        *(() if wanted.below_score is None else (score < wanted.below_score,)),
    )


def _has_mark(mark: ColumnElement[datetime]) -> ColumnElement[bool]:
    """Of few items: found from the marks, not by asking each item."""
    return items.c.url.in_(select(marks.c.url).where(mark.is_not(None)))


def select_items() -> Select[Any]:
    return select(*ITEM_COLUMNS).join_from(items, feeds, feeds.c.id == items.c.feed_id)


def item_from_row(row: Row[Any]) -> Item:
    r = row._mapping
    return Item(
        id=r["id"],
        feed_id=r["feed_id"],
        url=r["url"],
        hash=r["hash"],
        title=r["title"],
        author=r["author"],
        snippet=r["snippet"],
        content=r["content"],
        tags=tuple(r["tags"] or ()),
        image=r["image"],
        language=r["language"],
        views=r["views"],
        comments=r["comments"],
        rating=r["rating"],
        bookmarks=r["bookmarks"],
        published_at=r["pub_date"],
        created_at=r["created_at"],
        updated_at=r["updated_at"],
        analyzer_result=r["analyzer_result"],
        analyzed_at=r["analyzed_at"],
        run_id=r["run_id"],
        source=r["source"],
        topic=r["topic"],
        score=r["score"],
    )


def load_item(connection: Connection, item_id: ItemId) -> Item | None:
    row = connection.execute(select_items().where(items.c.id == item_id)).first()
    return item_from_row(row) if row else None


def load_item_changes(connection: Connection, item_id: ItemId) -> list[tuple[datetime, dict[str, list[Any]]]]:
    """What changed since the item was first seen, as far as retention keeps it, oldest first."""
    query = (
        select(item_changes.c.at, item_changes.c.fields)
        .where(item_changes.c.item_id == item_id)
        .order_by(item_changes.c.at, item_changes.c.id)
    )
    return [(row.at, row.fields) for row in connection.execute(query)]
