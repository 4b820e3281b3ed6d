"""Claim items to analyze, and extend or release the claims.

A lease sets `analyze_at` and `analyze_until` to the same time. A change to the item during the lease sets only
`analyze_at`. If the two differ, the running analysis works on outdated content, and another one is due.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, case, func, literal, or_, select, update

from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.ids import FeedId, ItemId, LeaseToken
from inforadar.store.analyses.queries import FRESH, RETRY
from inforadar.store.clock_sanity import is_absurd
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.fenced import update_held
from inforadar.store.lease_tokens import new_lease_token
from inforadar.store.leases import LEASE_S
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import story_items, story_queue
from inforadar.store.types import db_later, db_now, one_of

_i = items.c
IDLE_WAIT_S = 6 * 3600.0
"""How long an item of an inactive feed waits before the feed is checked again."""
PLACING_WAIT_S = 300.0
"""How long an item waits to be placed in a story; then it is analyzed by itself."""
MAX_POSTPONED = 10_000
"""About how many of them one claim postpones: others wait for its transaction."""


class WantedAnalyzer(NamedTuple):
    """The analyzer, model and prompt in a feed's options; '' leaves it to the settings."""

    analyzer: str
    model: str
    prompt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisJob:
    """The right to analyze one item, with everything the analyzer needs."""

    item_id: ItemId
    feed_id: FeedId
    url: str
    title: str
    snippet: str
    content: str
    """The listing's raw content."""
    clean_text: str
    """The article's text; '' if there is none."""
    language: str | None
    copy_of: ItemId | None
    """The item whose text this one repeats, as far as it is grouped already."""
    options: FeedOptions
    attempts: int
    token: LeaseToken

    @property
    def wanted(self) -> WantedAnalyzer:
        options = self.options
        return WantedAnalyzer(options.analyzer or "", options.model or "", options.prompt or "")


def unless_changed(at: ColumnElement[datetime] | None) -> ColumnElement[datetime]:
    """`analyze_at` of a leased item: `at`, or the time of the change that arrived since the claim."""
    return case((_i.analyze_at != _i.analyze_until, _i.analyze_at), else_=at)


def claim_analyses(
    connection: Connection,
    limit: int,
    *,
    lease_s: float = LEASE_S,
    without: Collection[WantedAnalyzer] = (),
    only: Sequence[ItemId] = (),
    placed_only: bool = False,
) -> list[AnalysisJob]:
    """Lease items whose article is stored (or will not come): fresh ones first, in each lane the longest waiting first.

    Items of disabled and deleted feeds wait: nobody is served them, and a model may cost money. They are postponed on
    the way, so that they do not stand at the head of the queue, however many they are. An enabled feed's come back.
    Items of feeds that want an analyzer in `without` wait too. `only` takes these queued items, due or not. With
    `placed_only`, an item waits until it is placed in a story, which tells whether it is a copy, but not for long.
    """
    token = new_lease_token()
    due = _i.analyze_at <= db_now()
    claimed: list[ItemId] = []
    if only:
        queued = and_(one_of(_i.id, only), _i.analyze_at.is_not(None), *map(_wants_other, without))
        claimed = _lease(connection, queued, limit, token, lease_s)
        return _load_jobs(connection, claimed, token)
    # One query per lane, so that each can use the index.
    for lane in (and_(FRESH, due), and_(RETRY, due), is_absurd(_i.analyze_at)):
        if len(claimed) < limit:
            _postpone_idle(connection, lane, limit - len(claimed))
            wanted = and_(lane, *map(_wants_other, without), *([_is_placed()] if placed_only else []))
            claimed += _lease(connection, wanted, limit - len(claimed), token, lease_s)
    return _load_jobs(connection, claimed, token)


def _load_jobs(connection: Connection, claimed: Sequence[ItemId], token: LeaseToken) -> list[AnalysisJob]:
    query = (
        select(
            _i.id,
            _i.feed_id,
            _i.url,
            _i.title,
            _i.snippet,
            _i.content,
            _i.analyze_attempts,
            articles.c.clean_text,
            func.coalesce(articles.c.language, _i.language, feeds.c.language).label("language"),
            feeds.c.options,
            story_items.c.copy_of,
        )
        .join_from(items, feeds, feeds.c.id == _i.feed_id)
        .join(articles, and_(articles.c.uid == _i.uid, articles.c.url == _i.url), isouter=True)
        .join(story_items, story_items.c.item_id == _i.id, isouter=True)
        .where(one_of(_i.id, claimed))
        .order_by(RETRY, _i.pub_date.desc())
    )
    return [
        AnalysisJob(
            item_id=row.id,
            feed_id=row.feed_id,
            url=row.url,
            title=row.title or "",
            snippet=row.snippet or "",
            content=row.content,
            clean_text=row.clean_text or "",
            language=row.language,
            copy_of=row.copy_of,
            options=parse_options(row.options),
            attempts=row.analyze_attempts,
            token=token,
        )
        for row in connection.execute(query)
    ]


def _postpone_idle(connection: Connection, lane: ColumnElement[bool], number: int) -> None:
    """Postpone the items of inactive feeds among the first `number`, and go on as long as there are any."""
    most = number + MAX_POSTPONED
    while number <= most:
        head = select(_i.id).where(lane, _is_free()).order_by(_i.analyze_at).limit(number).subquery()
        idle = (
            select(_i.id)
            .join_from(items, feeds, feeds.c.id == _i.feed_id)
            .where(_i.id.in_(select(head.c.id)), ~and_(*ACTIVE))
            .order_by(_i.id)
            .with_for_update(skip_locked=True, of=items)
        )
        ids = list(connection.execute(idle).scalars())
        if not ids:
            return
        later = {"analyze_at": db_later(IDLE_WAIT_S), "analyze_until": None, "analyze_token": None}
        connection.execute(update(items).where(one_of(_i.id, ids)).values(**later))
        number *= 2


def _is_free() -> ColumnElement[bool]:
    return or_(_i.analyze_until.is_(None), _i.analyze_until <= db_now(), is_absurd(_i.analyze_until))


def _is_placed() -> ColumnElement[bool]:
    q = story_queue.c
    return ~select(q.item_id).where(q.item_id == _i.id, q.due_at > db_later(-PLACING_WAIT_S)).exists()


def _wants_other(wanted: WantedAnalyzer) -> ColumnElement[bool]:
    given = (func.coalesce(feeds.c.options[name].as_string(), "") for name in wanted._fields)
    return or_(*(option != value for option, value in zip(given, wanted, strict=True)))


def _lease(
    connection: Connection, lane: ColumnElement[bool], limit: int, token: LeaseToken, lease_s: float
) -> list[ItemId]:
    chosen = (
        select(_i.id)
        .join_from(items, feeds, feeds.c.id == _i.feed_id)
        .where(*ACTIVE)
        .where(lane)
        .where(_is_free())
        .order_by(_i.analyze_at)
        .limit(limit)
        .with_for_update(skip_locked=True, of=items)
        .cte("chosen")
    )
    until = db_later(literal(lease_s))
    claimed = connection.execute(
        update(items)
        .where(_i.id.in_(select(chosen.c.id)))
        .values(analyze_until=until, analyze_at=until, analyze_token=token)
        .returning(_i.id)
    )
    return list(claimed.scalars())


def extend_analyses(
    connection: Connection, jobs: Iterable[AnalysisJob], *, lease_s: float = LEASE_S
) -> frozenset[ItemId]:
    """Extend the leases (the heartbeat). Returns the items whose lease is still ours; the others are lost."""
    until = db_later(literal(lease_s))
    return _save_leases(connection, jobs, analyze_until=until, analyze_at=unless_changed(until))


def release_analyses(connection: Connection, jobs: Iterable[AnalysisJob]) -> None:
    """Release items that will not be analyzed after all: they are due again at once."""
    _save_leases(connection, jobs, analyze_until=None, analyze_token=None, analyze_at=db_now())


def _save_leases(connection: Connection, jobs: Iterable[AnalysisJob], **values: Any) -> frozenset[ItemId]:
    held = ((job.token, job.item_id) for job in jobs)
    return update_held(connection, _i.id, _i.analyze_token, held, **values)
