"""Queries about analyses: the lanes of the queue, results by model and prompt, failures, cached answers, costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Connection, and_, func, or_, select

from inforadar.model.ids import FeedId, ItemId
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.analyses import analyses_cache, analysis_costs
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.items import items
from inforadar.store.types import db_now

_i = items.c
_c = analysis_costs.c

FRESH = _i.analyze_attempts == 0
RETRY = _i.analyze_attempts > 0
"""The lanes: items without and with a failure since they were queued. Abandoned items have no `analyze_at`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisCounts:
    fresh: int
    retry: int
    working: int
    """Leased by a worker right now."""
    dead: int
    """Given up after the last attempt."""
    results: Sequence[tuple[str, str, int]]
    """(model, prompt version, items), most items first."""
    failures: Mapping[str, int]
    """Items by kind of their last failure: in the retry and dead lanes, or waiting for the endpoint."""
    messages: Mapping[str, str]
    """For each of these kinds, the message of one of its items."""


def load_analysis_counts(connection: Connection, kinds: Sequence[str]) -> AnalysisCounts:
    """Count the analyses of active feeds. Errors begin with one of `kinds` and a colon."""
    working = and_(_i.analyze_token.is_not(None), _i.analyze_until > db_now())
    free = or_(_i.analyze_token.is_(None), _i.analyze_until <= db_now())
    queued = and_(_i.analyze_at.is_not(None), free)
    named = {kind: _i.analyze_error.startswith(f"{kind}:", autoescape=True) for kind in kinds}
    counted = {
        "fresh": and_(queued, FRESH),
        "retry": and_(queued, RETRY),
        "working": working,
        "dead": and_(_i.analyze_at.is_(None), _i.analyze_error.is_not(None)),
    }
    queue = (
        select(
            *(func.count().filter(test).label(name) for name, test in {**counted, **named}.items()),
            *(func.max(_i.analyze_error).filter(test).label(f"{kind}:") for kind, test in named.items()),
        )
        .join_from(items, feeds, feeds.c.id == _i.feed_id)
        .where(*ACTIVE)
        .where(or_(_i.analyze_at.is_not(None), _i.analyze_error.is_not(None)))
    )
    lanes = connection.execute(queue).one()._mapping
    model, version = (_i.analyzer_result[name].as_string() for name in ("model", "prompt_version"))
    number = func.count().label("number")
    results = (
        select(model.label("model"), version.label("version"), number)
        .join_from(items, feeds, feeds.c.id == _i.feed_id)
        .where(*ACTIVE)
        .where(_i.analyzed_at.is_not(None))
        .group_by(model, version)
        .order_by(number.desc(), model, version)
    )
    return AnalysisCounts(
        **{name: lanes[name] for name in counted},
        results=[(row.model or "", row.version or "", row.number) for row in connection.execute(results)],
        failures={kind: lanes[kind] for kind in kinds if lanes[kind]},
        messages={kind: lanes[f"{kind}:"].partition(": ")[2] for kind in kinds if lanes[kind]},
    )


def load_cached_analysis(connection: Connection, key: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = connection.execute(
        select(analyses_cache.c.result).where(analyses_cache.c.key == key)
    ).scalar()
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """A day's sum for one model and one feed."""

    day: date
    model: str
    feed_id: FeedId
    feed_url: str | None = None
    """None if the feed no longer exists."""
    calls: int
    tokens_in: int
    tokens_out: int
    cost: float


def load_spending(connection: Connection, since: date) -> list[Spent]:
    """Load the costs: newest day first, within a day the most expensive first."""
    query = (
        select(analysis_costs, feeds.c.url)
        .join_from(analysis_costs, feeds, feeds.c.id == _c.feed_id, isouter=True)
        .where(_c.day >= since)
        .order_by(_c.day.desc(), _c.cost.desc(), _c.model, feeds.c.url)
    )
    return [
        Spent(
            day=row.day,
            model=row.model,
            feed_id=row.feed_id,
            feed_url=row.url,
            calls=row.calls,
            tokens_in=row.tokens_in,
            tokens_out=row.tokens_out,
            cost=row.cost,
        )
        for row in connection.execute(query)
    ]


def load_item_analysis(connection: Connection, item_id: ItemId) -> Mapping[str, Any] | None:
    """The analysis of an item; None if it has none."""
    query = select(_i.analyzer_result).where(_i.id == item_id, _i.analyzed_at.is_not(None))
    return connection.execute(query).scalar_one_or_none()
