"""Analyses: the queue of items to analyze, the results, and the cache of answers.

A lease sets `analyze_at` and `analyze_until` to the same time. What changes an item meanwhile sets `analyze_at` alone:
the two then differ, which says that the analysis under way is of what was there before, and that another is due.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import ColumnElement, Connection, and_, case, func, literal, or_, select, update

from inforadar.model.feed_options import FeedOptions, parse_options
from inforadar.model.ids import FeedId, ItemId, LeaseToken
from inforadar.store.clock_sanity import LONGEST_WAIT_S, is_absurd
from inforadar.store.feeds.note_history import note_analysis
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.leases import LEASE_S
from inforadar.store.schema.analyses import analyses_cache
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules, feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_after, db_later, db_now, one_of
from inforadar.store.upsert import upsert

_i = items.c


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisJob:
    """The right to analyze one item, with all that the analyzer is to be given."""

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
    options: FeedOptions
    attempts: int
    token: LeaseToken


FRESH = _i.analyze_attempts == 0
RETRY = _i.analyze_attempts > 0
"""The lanes: what never failed since it was queued, and what did. What is given up has no `analyze_at`."""


def _unless_changed(at: ColumnElement[datetime] | None) -> ColumnElement[datetime]:
    """`analyze_at` of an item that is held: this time, or that of the change that arrived since the claim."""
    return case((_i.analyze_at != _i.analyze_until, _i.analyze_at), else_=at)


def claim_analyses(connection: Connection, limit: int, *, lease_s: float = LEASE_S) -> list[AnalysisJob]:
    """Leases items whose article is there (or will not come): the fresh lane first, in each the longest waiting.

    Those of disabled and deleted feeds wait: they are served to nobody, and a model may cost money.
    """
    token = LeaseToken(uuid4().hex)
    due = _i.analyze_at <= db_now()
    claimed: list[ItemId] = []
    # One after the other, so that each is a piece of the index.
    for lane in (and_(FRESH, due), and_(RETRY, due), is_absurd(_i.analyze_at)):
        if len(claimed) < limit:
            claimed += _lease(connection, lane, limit - len(claimed), token, lease_s)
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
        )
        .join_from(items, feeds, feeds.c.id == _i.feed_id)
        .join(articles, articles.c.uid == _i.uid, isouter=True)
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
            options=parse_options(row.options),
            attempts=row.analyze_attempts,
            token=token,
        )
        for row in connection.execute(query)
    ]


def _lease(
    connection: Connection, lane: ColumnElement[bool], limit: int, token: LeaseToken, lease_s: float
) -> list[ItemId]:
    chosen = (
        select(_i.id)
        .join_from(items, feeds, feeds.c.id == _i.feed_id)
        .where(*ACTIVE)
        .where(lane)
        .where(or_(_i.analyze_until.is_(None), _i.analyze_until <= db_now(), is_absurd(_i.analyze_until)))
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
    """The heartbeat. Returns those that are still ours; the others are lost."""
    until = db_later(literal(lease_s))
    return _save_leases(connection, jobs, analyze_until=until, analyze_at=_unless_changed(until))


def release_analyses(connection: Connection, jobs: Iterable[AnalysisJob]) -> None:
    """Gives back what will not be analyzed after all: it is due again at once."""
    _save_leases(connection, jobs, analyze_until=None, analyze_token=None, analyze_at=db_now())


def _save_leases(connection: Connection, jobs: Iterable[AnalysisJob], **values: Any) -> frozenset[ItemId]:
    by_token: dict[LeaseToken, list[ItemId]] = {}
    for job in jobs:
        by_token.setdefault(job.token, []).append(job.item_id)
    ours: set[ItemId] = set()
    for token, ids in by_token.items():
        held = select(_i.id).where(one_of(_i.id, ids), _i.analyze_token == token)
        locked = held.order_by(_i.id).with_for_update().cte("locked")
        changed = update(items).where(_i.id.in_(select(locked.c.id))).values(**values)
        ours.update(connection.execute(changed.returning(_i.id)).scalars())
    return frozenset(ours)


def save_analysis(
    connection: Connection, job: AnalysisJob, result: Mapping[str, Any], score: float, at: datetime
) -> bool:
    """Stores the result and asks for the feed to be built. False: the lease was lost.

    An item that changed meanwhile is due again.
    """
    schedule = feed_schedules.c
    # First the schedule, then the item: the order in which the writer takes them.
    connection.execute(select(schedule.id).where(schedule.id == job.feed_id).with_for_update())
    held = connection.execute(
        update(items)
        .where(_i.id == job.item_id, _i.analyze_token == job.token)
        .values(
            analyzer_result=dict(result),
            analyzed_at=at,
            score=score,
            analyze_at=_unless_changed(None),
            analyze_until=None,
            analyze_token=None,
            analyze_attempts=0,
            analyze_error=None,
        )
        .returning(_i.id)
    ).first()
    if held is None:
        return False
    connection.execute(
        update(feed_schedules).where(schedule.id == job.feed_id).values(build_at=db_after(schedule.build_at))
    )
    note_analysis(connection, at)
    return True


def save_analysis_failure(
    connection: Connection, job: AnalysisJob, error: str, retry_after_s: float | None, *, counts: bool = True
) -> bool:
    """Records why there is no analysis; without `retry_after_s` it is given up, unless it changed meanwhile.

    One that does not count was not the item's fault: it keeps its lane and its attempts.
    """
    # A model's endpoint may ask for any time.
    again = (
        _unless_changed(None)
        if retry_after_s is None
        else db_later(literal(min(retry_after_s, LONGEST_WAIT_S)))
    )
    return _finish(
        connection, job, analyze_at=again, analyze_attempts=job.attempts + int(counts), analyze_error=error
    )


def drop_analysis(connection: Connection, job: AnalysisJob) -> bool:
    """Takes an item out of the queue that nobody wants analyzed."""
    return _finish(connection, job, analyze_at=None, analyze_attempts=0, analyze_error=None)


def _finish(connection: Connection, job: AnalysisJob, **values: Any) -> bool:
    held = connection.execute(
        update(items)
        .where(_i.id == job.item_id, _i.analyze_token == job.token)
        .values(analyze_until=None, analyze_token=None, **values)
        .returning(_i.id)
    ).first()
    return held is not None


def requeue_analyses(connection: Connection, feed_id: FeedId, *, model: str, prompt_version: str) -> int:
    """Queues anew what this model and prompt have not analyzed, given up or not; returns how many.

    An item whose article is still on its way is left alone: it is queued when that is there.
    """
    result = _i.analyzer_result
    other = or_(result["model"].as_string() != model, result["prompt_version"].as_string() != prompt_version)
    finished = select(articles.c.uid).where(articles.c.uid == _i.uid, articles.c.next_attempt_at.is_(None))
    never = and_(_i.analyzed_at.is_(None), finished.exists())
    waiting = (
        select(_i.id)
        .where(_i.feed_id == feed_id, _i.analyze_token.is_(None))
        .where(or_(and_(_i.analyzed_at.is_not(None), other), never))
        .order_by(_i.id)
        .with_for_update()
        .cte("waiting")
    )
    queued = connection.execute(
        update(items)
        .where(_i.id.in_(select(waiting.c.id)))
        .values(analyze_at=db_now(), analyze_attempts=0, analyze_error=None)
        .returning(_i.id)
    )
    return len(queued.all())


def load_cached_analysis(connection: Connection, key: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = connection.execute(
        select(analyses_cache.c.result).where(analyses_cache.c.key == key)
    ).scalar()
    return found


def save_cached_analysis(
    connection: Connection,
    key: str,
    result: Mapping[str, Any],
    *,
    model: str,
    prompt_version: str,
    tokens_in: int,
    tokens_out: int,
    cost: float,
) -> None:
    connection.execute(
        upsert(connection, analyses_cache)
        .values(
            key=key,
            result=dict(result),
            model=model,
            prompt_version=prompt_version,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            cost=cost,
        )
        .on_conflict_do_nothing(index_elements=["key"])
    )
