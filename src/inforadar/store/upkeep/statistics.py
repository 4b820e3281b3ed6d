"""Statistics of the last days, for the statistics page."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Integer, cast, func, select

from inforadar.store.feeds.history import load_outcomes_by_day, load_slowest_hosts
from inforadar.store.feeds.queries import ACTIVE
from inforadar.store.schema.analyses import analysis_costs
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.feeds import feeds
from inforadar.store.schema.history import feed_days
from inforadar.store.schema.items import items

SCORE_BINS = 10
"""Number of equally wide bins in the distribution of scores."""


def load_statistics(connection: Connection, now: datetime, *, days: int) -> dict[str, Any]:
    since = now - timedelta(days=days)
    first = since.astimezone(UTC).date() + timedelta(days=1)
    return {
        "items_by_day": _items_by_day(connection, first),
        "outcomes_by_day": load_outcomes_by_day(connection, first),
        "scores_by_source": _scores_by_source(connection, since, now),
        "slowest_hosts": load_slowest_hosts(connection, first),
        "articles": _articles(connection),
        "failures": _failures(connection, since),
        "cost_by_day": _cost_by_day(connection, first),
    }


def _items_by_day(connection: Connection, first: date) -> list[dict[str, Any]]:
    """Items by the day on which they were added."""
    d = feed_days.c
    query = (
        select(d.day, feeds.c.source, func.sum(d.added).label("number"))
        .join_from(feed_days, feeds, feeds.c.id == d.feed_id)
        .where(d.day >= first, d.added > 0, *ACTIVE)
        .group_by(d.day, feeds.c.source)
        .order_by(d.day, feeds.c.source)
    )
    return [
        {"day": row.day.isoformat(), "source": row.source, "items": row.number}
        for row in connection.execute(query)
    ]


def _scores_by_source(connection: Connection, since: datetime, now: datetime) -> list[dict[str, Any]]:
    """Number of items in each bin: a mean alone would hide two groups."""
    score = items.c.score
    # SQLite's CAST truncates, PostgreSQL's rounds.
    scaled = score * SCORE_BINS if connection.dialect.name == "sqlite" else func.floor(score * SCORE_BINS)
    bin_ = cast(scaled, Integer).label("bin")
    query = (
        select(feeds.c.source, bin_, func.count().label("number"), func.sum(score).label("sum"))
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(items.c.pub_date >= since, items.c.pub_date <= now, score.is_not(None), *ACTIVE)
        .group_by(feeds.c.source, bin_)
        .order_by(feeds.c.source, bin_)
    )
    bins: dict[str, list[int]] = {}
    sums: dict[str, float] = {}
    for row in connection.execute(query):
        # A score of 1 belongs to the last bin.
        bins.setdefault(row.source, [0] * SCORE_BINS)[min(row.bin, SCORE_BINS - 1)] += row.number
        sums[row.source] = sums.get(row.source, 0.0) + row.sum
    return [
        {"source": source, "mean": round(sums[source] / sum(counts), 4), "bins": counts}
        for source, counts in bins.items()
    ]


def _articles(connection: Connection) -> dict[str, int]:
    query = select(articles.c.status, func.count().label("number")).group_by(articles.c.status)
    return {row.status: row.number for row in connection.execute(query)}


def _failures(connection: Connection, since: datetime) -> dict[str, int]:
    f = article_failures.c
    query = select(f.code, func.count().label("number")).where(f.at >= since).group_by(f.code)
    return {row.code: row.number for row in connection.execute(query)}


def _cost_by_day(connection: Connection, first: date) -> list[dict[str, Any]]:
    """Calls and cost of each model; answers from the cache cost nothing and are not counted."""
    c = analysis_costs.c
    sums = [func.sum(c[name]).label(name) for name in ("calls", "tokens_in", "tokens_out", "cost")]
    query = (
        select(c.day, c.model, *sums).where(c.day >= first).group_by(c.day, c.model).order_by(c.day, c.model)
    )
    return [
        {
            "day": row.day.isoformat(),
            "model": row.model,
            "calls": row.calls,
            "tokens_in": int(row.tokens_in),
            "tokens_out": int(row.tokens_out),
            "cost": row.cost,
        }
        for row in connection.execute(query)
    ]
