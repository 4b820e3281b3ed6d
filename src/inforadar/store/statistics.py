"""Numbers over the last days, for the page of statistics. Each is one question over an index by date."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, select

from inforadar.store.feeds import ACTIVE
from inforadar.store.schema import analyses_cache, article_failures, articles, feeds, items


def load_statistics(connection: Connection, now: datetime, *, days: int) -> dict[str, Any]:
    since = now - timedelta(days=days)
    return {
        "items_by_day": _items_by_day(connection, since, now),
        "scores_by_source": _scores_by_source(connection, since, now),
        "articles": _articles(connection),
        "failures": _failures(connection, since),
        "analyses": _analyses(connection),
    }


def _items_by_day(connection: Connection, since: datetime, now: datetime) -> list[dict[str, Any]]:
    day = _day(connection).label("day")
    query = (
        select(day, feeds.c.source, func.count().label("number"))
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(items.c.pub_date >= since, items.c.pub_date <= now, *ACTIVE)
        .group_by(day, feeds.c.source)
        .order_by(day, feeds.c.source)
    )
    return [{"day": row.day, "source": row.source, "items": row.number} for row in connection.execute(query)]


def _day(connection: Connection) -> ColumnElement[str]:
    if connection.dialect.name == "sqlite":
        return func.substr(items.c.pub_date, 1, 10)
    return func.to_char(func.timezone("UTC", items.c.pub_date), "YYYY-MM-DD")


def _scores_by_source(connection: Connection, since: datetime, now: datetime) -> list[dict[str, Any]]:
    """How many are neutral, slanted and loaded: a mean would hide two camps."""
    score = items.c.score
    word = case((score < 0.34, "neutral"), (score < 0.67, "slanted"), else_="loaded")
    counted = {
        name: func.sum(case((word == name, 1), else_=0)).label(name)
        for name in ("neutral", "slanted", "loaded")
    }
    query = (
        select(feeds.c.source, func.avg(score).label("mean"), *counted.values())
        .join_from(items, feeds, feeds.c.id == items.c.feed_id)
        .where(items.c.pub_date >= since, items.c.pub_date <= now, score.is_not(None), *ACTIVE)
        .group_by(feeds.c.source)
        .order_by(feeds.c.source)
    )
    return [
        {"source": row.source, "mean": round(row.mean, 4)} | {name: getattr(row, name) for name in counted}
        for row in connection.execute(query)
    ]


def _articles(connection: Connection) -> dict[str, int]:
    query = select(articles.c.status, func.count().label("number")).group_by(articles.c.status)
    return {row.status: row.number for row in connection.execute(query)}


def _failures(connection: Connection, since: datetime) -> dict[str, int]:
    f = article_failures.c
    query = select(f.code, func.count().label("number")).where(f.at >= since).group_by(f.code)
    return {row.code: row.number for row in connection.execute(query)}


def _analyses(connection: Connection) -> list[dict[str, Any]]:
    """What each model answered and cost; an answer from the cache costs nothing and is not counted."""
    c = analyses_cache.c
    query = (
        select(
            c.model,
            func.count().label("number"),
            func.sum(c.tokens_in).label("tokens_in"),
            func.sum(c.tokens_out).label("tokens_out"),
            func.sum(c.cost).label("cost"),
        )
        .group_by(c.model)
        .order_by(c.model)
    )
    return [
        {
            "model": row.model,
            "answers": row.number,
            "tokens_in": row.tokens_in,
            "tokens_out": row.tokens_out,
            "cost": row.cost,
        }
        for row in connection.execute(query)
    ]
