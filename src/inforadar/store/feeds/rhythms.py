"""Read the rhythms of feeds, the price of a request, and what all plans together come to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import Connection, and_, case, func, or_, select

from inforadar.model.feed import FeedKind
from inforadar.model.ids import FeedId
from inforadar.model.rhythm import PollingMode, Rhythm
from inforadar.store.schema.feeds import feed_rhythms, feed_schedules, feeds, polling_prices
from inforadar.store.types import one_of

_s, _f, _p = feed_schedules.c, feeds.c, polling_prices.c


def load_rhythms(connection: Connection, feed_ids: Iterable[FeedId]) -> Mapping[FeedId, Rhythm]:
    """The counts of these feeds; a feed without any is missing."""
    query = select(feed_rhythms).where(one_of(feed_rhythms.c.id, list(feed_ids)))
    found: dict[FeedId, Rhythm] = {}
    for row in connection.execute(query):
        try:
            found[row.id] = msgspec.convert(row.counts, Rhythm)
        except msgspec.ValidationError:
            # Counts of another version: the feed learns its rhythm anew.
            continue
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of a request, and what it was computed from."""

    price_s: float
    budget: float
    """Requests a day for the feeds polled by plan."""
    planned: float
    """Requests a day that their plans add up to."""
    feeds: int
    expected_delay_s: float
    """Mean expected delay of an item of those feeds."""
    steered_at: datetime


def load_price(connection: Connection) -> Price | None:
    row = connection.execute(select(polling_prices).where(_p.id == 1)).first()
    if row is None:
        return None
    return Price(
        price_s=row.price_s,
        budget=row.budget,
        planned=row.planned,
        feeds=row.feeds,
        expected_delay_s=row.expected_delay_s,
        steered_at=row.steered_at,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """The scheduled feeds, and what their plans add up to."""

    fixed: int
    """Feeds polled at the fixed interval."""
    adaptive: int
    """Feeds polled by plan, those without a plan included."""
    unplanned: int
    """Feeds polled by plan that have none yet."""
    polls_per_day: float
    items_per_day: float
    expected_delay_s: float
    """Mean of the expected items."""


def load_demand(connection: Connection, usual: PollingMode) -> Demand:
    """Sum up all scheduled feeds; `usual` is the mode of feeds that do not choose one. Reads every schedule once."""
    mode = func.coalesce(_f.options["polling_mode"].as_string(), usual.value)
    is_fixed = or_(mode == PollingMode.FIXED.value, func.coalesce(_f.kind, "") == FeedKind.PAGES.value)
    has_plan = _s.polls_per_day.is_not(None)
    counted = and_(~is_fixed, has_plan)
    query = (
        select(
            func.sum(case((is_fixed, 1), else_=0)),
            func.sum(case((~is_fixed, 1), else_=0)),
            func.sum(case((and_(~is_fixed, ~has_plan), 1), else_=0)),
            func.sum(case((counted, _s.polls_per_day), else_=0.0)),
            func.sum(case((counted, _s.items_per_day), else_=0.0)),
            func.sum(case((counted, _s.items_per_day * _s.expected_delay_s), else_=0.0)),
        )
        .select_from(feed_schedules.join(feeds, _f.id == _s.id))
        .where(_s.next_run_at.is_not(None), _s.walks.is_not(None), _f.polling)
    )
    fixed, adaptive, unplanned, polls, items, delay_s = connection.execute(query).one()
    return Demand(
        fixed=int(fixed or 0),
        adaptive=int(adaptive or 0),
        unplanned=int(unplanned or 0),
        polls_per_day=float(polls or 0),
        items_per_day=float(items or 0),
        expected_delay_s=float(delay_s or 0) / items if items else 0.0,
    )
