"""Save the results and failures of analyses, and queue items again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, and_, literal, or_, select, update

from inforadar.model.ids import FeedId
from inforadar.store.analyses.claims import AnalysisJob, unless_changed
from inforadar.store.clock_sanity import MAX_WAIT_S
from inforadar.store.feeds.note_history import note_analysis
from inforadar.store.schema.analyses import analyses_cache
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.types import db_after, db_later, db_now
from inforadar.store.upsert import upsert

_i = items.c


def save_analysis(
    connection: Connection, job: AnalysisJob, result: Mapping[str, Any], score: float | None, at: datetime
) -> bool:
    """Store the result and request a build of the feed. Returns False if the lease was lost.

    An item that changed during the analysis is due again.
    """
    schedule = feed_schedules.c
    # Lock the schedule before the item: the writer uses the same order.
    connection.execute(select(schedule.id).where(schedule.id == job.feed_id).with_for_update())
    held = connection.execute(
        update(items)
        .where(_i.id == job.item_id, _i.analyze_token == job.token)
        .values(
            analyzer_result=dict(result),
            analyzed_at=at,
            score=score,
            analyze_at=unless_changed(None),
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
    """Record why there is no analysis; without `retry_after_s` the item is abandoned, unless it changed meanwhile.

    With `counts=False` the item is not to blame: it keeps its lane and its attempts.
    """
    # A model's endpoint may ask for a delay of any length.
    again = (
        unless_changed(None) if retry_after_s is None else db_later(literal(min(retry_after_s, MAX_WAIT_S)))
    )
    return _finish(
        connection, job, analyze_at=again, analyze_attempts=job.attempts + int(counts), analyze_error=error
    )


def drop_analysis(connection: Connection, job: AnalysisJob) -> bool:
    """Remove an item from the queue because nobody wants it analyzed."""
    return _finish(connection, job, analyze_at=None, analyze_attempts=0, analyze_error=None)


def _finish(connection: Connection, job: AnalysisJob, **values: Any) -> bool:
    held = connection.execute(
        update(items)
        .where(_i.id == job.item_id, _i.analyze_token == job.token)
        .values(analyze_until=None, analyze_token=None, **values)
        .returning(_i.id)
    ).first()
    return held is not None


def requeue_analyses(
    connection: Connection, feed_id: FeedId, *, models: Sequence[str], prompt_version: str
) -> int:
    """Queue items again that none of these models has analyzed with this prompt, given up or not; return how many.

    An item whose article is still to be fetched is left alone: it is queued when the article is stored.
    """
    result = _i.analyzer_result
    other = or_(
        result["model"].as_string().not_in(models), result["prompt_version"].as_string() != prompt_version
    )
    a = articles.c
    unfinished = select(a.uid).where(a.uid == _i.uid, a.url == _i.url, a.next_attempt_at.is_not(None))
    never = and_(_i.analyzed_at.is_(None), ~unfinished.exists())
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
