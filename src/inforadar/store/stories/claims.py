"""Claim items to be placed in stories, and extend or release the claims."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, literal, or_, select, update

from inforadar.model.ids import ItemId, LeaseToken, StoryId
from inforadar.store.clock_sanity import is_absurd
from inforadar.store.fenced import update_held
from inforadar.store.lease_tokens import new_lease_token
from inforadar.store.leases import LEASE_S
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import story_items, story_queue
from inforadar.store.types import db_later, db_now, one_of

_q = story_queue.c


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupJob:
    """The right to place one item, with everything that is compared."""

    item_id: ItemId
    url: str
    at: datetime
    """Its date, but not after it was first seen: a date in the future keeps no story open."""
    title: str
    snippet: str
    content: str
    clean_text: str
    canonical_url: str
    language: str
    source: str
    token: LeaseToken
    story_id: StoryId | None
    """The story that it is in already."""
    is_pinned: bool
    is_over: bool
    """It was placed so long ago that nothing is compared with it any more."""


def claim_group_jobs(connection: Connection, limit: int, *, lease_s: float = LEASE_S) -> list[GroupJob]:
    """Lease up to `limit` items, the longest waiting first."""
    token = new_lease_token()
    free = or_(_q.locked_until.is_(None), _q.locked_until <= db_now(), is_absurd(_q.locked_until))
    due = or_(_q.due_at <= db_now(), is_absurd(_q.due_at))
    chosen = (
        select(_q.item_id)
        .where(due, free)
        .order_by(_q.due_at, _q.item_id)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("chosen")
    )
    until = db_later(literal(lease_s))
    claimed = list(
        connection.execute(
            update(story_queue)
            .where(_q.item_id.in_(select(chosen.c.item_id)))
            .values(locked_until=until, due_at=until, lease_token=token)
            .returning(_q.item_id)
        ).scalars()
    )
    if not claimed:
        return []
    i, a, s = items.c, articles.c, story_items.c
    query = (
        select(
            i.id,
            i.url,
            i.pub_date,
            i.created_at,
            i.title,
            i.snippet,
            i.content,
            a.clean_text,
            a.canonical_url,
            func.coalesce(a.language, i.language, feeds.c.language).label("language"),
            feeds.c.source,
            s.story_id,
            s.is_pinned,
            and_(s.story_id.is_not(None), s.signature.is_(None)).label("is_over"),
        )
        .join_from(items, feeds, feeds.c.id == i.feed_id)
        .join(articles, and_(a.uid == i.uid, a.url == i.url), isouter=True)
        .join(story_items, s.item_id == i.id, isouter=True)
        .where(one_of(i.id, claimed))
        .order_by(i.pub_date, i.id)
    )
    return [
        GroupJob(
            item_id=row.id,
            url=row.url,
            at=min(row.pub_date, row.created_at),
            title=row.title or "",
            snippet=row.snippet or "",
            content=row.content,
            clean_text=row.clean_text or "",
            canonical_url=row.canonical_url or "",
            language=row.language or "",
            source=row.source or "",
            token=token,
            story_id=row.story_id,
            is_pinned=bool(row.is_pinned),
            is_over=bool(row.is_over),
        )
        for row in connection.execute(query)
    ]


def extend_group_jobs(
    connection: Connection, jobs: Iterable[GroupJob], *, lease_s: float = LEASE_S
) -> frozenset[ItemId]:
    """Extend the leases (the heartbeat). Returns the items whose lease is still ours."""
    until = db_later(literal(lease_s))
    held = ((job.token, job.item_id) for job in jobs)
    return update_held(connection, _q.item_id, _q.lease_token, held, locked_until=until, due_at=until)


def release_group_jobs(connection: Connection, jobs: Iterable[GroupJob]) -> None:
    """Release items that will not be placed after all: they are due again at once."""
    held = ((job.token, job.item_id) for job in jobs)
    update_held(
        connection, _q.item_id, _q.lease_token, held, locked_until=None, lease_token=None, due_at=db_now()
    )


def finish_group_jobs(connection: Connection, jobs: Iterable[GroupJob]) -> frozenset[ItemId]:
    """Dequeue items that are placed. One that changed meanwhile has another token, or none, and stays queued."""
    done: set[ItemId] = set()
    by_token: dict[LeaseToken, list[ItemId]] = {}
    for job in jobs:
        by_token.setdefault(job.token, []).append(job.item_id)
    for token, ids in by_token.items():
        ours = one_of(_q.item_id, sorted(ids))
        done.update(
            connection.execute(
                delete(story_queue).where(ours, _q.lease_token == token).returning(_q.item_id)
            ).scalars()
        )
    return frozenset(done)
