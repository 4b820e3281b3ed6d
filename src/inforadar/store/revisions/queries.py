"""Questions about revisions: the versions of an article, its revisions, the newest ones of all."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Select, func, select

from inforadar.model.ids import ItemId, Uid
from inforadar.model.revision import (
    ChangedPassage,
    ChangeKind,
    LookState,
    Revision,
    Snapshot,
    StoredRevision,
    StoredVersion,
)
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.revisions import article_looks, article_revisions, article_versions
from inforadar.store.types import one_of

_a, _i, _l, _v, _r = articles.c, items.c, article_looks.c, article_versions.c, article_revisions.c


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How an article is watched."""

    first_at: datetime
    looked_at: datetime | None
    due_at: datetime | None
    state: LookState
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRevision:
    """A revision with the item that shows it."""

    stored: StoredRevision
    item_id: ItemId
    title: str
    source: str
    topic: str
    link: str


def load_versions(connection: Connection, uid: Uid) -> list[StoredVersion]:
    """All kept versions of an article, the oldest first; none if it never changed."""
    query = select(article_versions, _a.url).join(articles, _a.uid == _v.uid).where(_v.uid == uid)
    return [_version(row) for row in connection.execute(query.order_by(_v.number))]


def _version(row: Any) -> StoredVersion:
    return StoredVersion(
        uid=row.uid,
        number=row.number,
        snapshot=Snapshot(
            text=zlib.decompress(bytes(row.text)).decode(errors="replace"),
            title=row.title,
            author=row.author,
            published_at=row.published_at,
            image=row.image,
            language=row.language,
            url=row.url,
        ),
        hash=row.hash,
        seen_at=row.seen_at,
        last_seen_at=row.last_seen_at,
        headers=row.headers,
    )


def load_revisions(connection: Connection, uid: Uid) -> list[StoredRevision]:
    """The revisions of an article, the oldest first; noise is left out."""
    query = _select().where(_r.uid == uid, ~_r.is_noise).order_by(_r.new_version)
    return [_revision(row) for row in connection.execute(query)]


def load_revision(connection: Connection, revision_id: UUID) -> StoredRevision | None:
    """One revision; None if it is gone, or turned out to be noise."""
    row = connection.execute(_select().where(_r.id == revision_id, ~_r.is_noise)).first()
    return _revision(row) if row else None


def load_revisions_of(connection: Connection, uids: Iterable[Uid]) -> dict[Uid, list[StoredRevision]]:
    """The revisions of each of these articles that has some."""
    query = _select().where(one_of(_r.uid, list(uids)), ~_r.is_noise).order_by(_r.uid, _r.new_version)
    found: dict[Uid, list[StoredRevision]] = {}
    for row in connection.execute(query):
        found.setdefault(row.uid, []).append(_revision(row))
    return found


def count_revisions(connection: Connection, uids: Sequence[Uid]) -> dict[Uid, int]:
    """How often each of these articles was changed; typos do not count."""
    minor = {(ChangeKind.TYPO.value,), (ChangeKind.DATE.value,)}
    query = select(_r.uid, _r.kinds).where(one_of(_r.uid, list(uids)), ~_r.is_noise)
    counts: dict[Uid, int] = {}
    for row in connection.execute(query):
        if tuple(row.kinds) not in minor:
            counts[row.uid] = counts.get(row.uid, 0) + 1
    return counts


def load_significant(
    connection: Connection, *, limit: int, topic: str | None = None, source: str | None = None
) -> list[ListedRevision]:
    """The newest significant revisions of articles that active feeds list."""
    shown = (
        select(_i.id)
        .join_from(items, feeds, feeds.c.id == _i.feed_id)
        .where(*ACTIVE, _i.url == _a.url)
        .order_by(_i.id)
        .limit(1)
        .correlate(articles)
    )
    if topic is not None:
        shown = shown.where(func.lower(feeds.c.topic) == topic.lower())
    if source is not None:
        shown = shown.where(func.lower(feeds.c.source) == source.lower())
    item_id = shown.scalar_subquery()
    query = (
        _select()
        .add_columns(
            _i.id.label("item_id"), _i.title.label("item_title"), _i.link, feeds.c.source, feeds.c.topic
        )
        .join(items, _i.id == item_id)
        .join(feeds, feeds.c.id == _i.feed_id)
        .where(_r.is_significant, ~_r.is_noise)
        .order_by(_r.at.desc(), _r.id.desc())
        .limit(limit)
    )
    return [
        ListedRevision(
            stored=_revision(row),
            item_id=row.item_id,
            title=row.item_title or "",
            source=row.source or "",
            topic=row.topic or "",
            link=row.link or row.url,
        )
        for row in connection.execute(query)
    ]


def load_watch(connection: Connection, uid: Uid) -> Watch | None:
    row = connection.execute(select(article_looks).where(_l.uid == uid)).first()
    if row is None:
        return None
    return Watch(
        first_at=row.first_at,
        looked_at=row.looked_at,
        due_at=row.due_at,
        state=LookState(row.state),
        note=row.note,
    )


def _select() -> Select[Any]:
    return select(article_revisions, _a.url).join(articles, _a.uid == _r.uid)


def _revision(row: Any) -> StoredRevision:
    details = row.details
    return StoredRevision(
        id=row.id,
        uid=row.uid,
        url=row.url,
        at=row.at,
        old_version=row.old_version,
        new_version=row.new_version,
        revision=Revision(
            kinds=frozenset(map(ChangeKind, row.kinds)),
            passages=tuple(
                ChangedPassage(
                    old=passage["old"], new=passage["new"], kinds=tuple(map(ChangeKind, passage["kinds"]))
                )
                for passage in details.get("passages", ())
            ),
            fields={name: (old, new) for name, (old, new) in details.get("fields", {}).items()},
            note=row.note,
            is_live=bool(row.is_live),
            score_before=row.score_before,
            score_after=row.score_after,
        ),
    )
