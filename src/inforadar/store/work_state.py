"""The work that workers have to do right now, for people: counted up to a limit, because nobody needs more digits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select
from sqlalchemy.sql.expression import ColumnClause

from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.schema.workers import workers
from inforadar.store.types import db_now

MAX_COUNTED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkState:
    workers: int
    """Workers that are alive, on any machine."""
    feeds: int
    """Feeds that are being fetched."""
    articles: int
    """Articles that are due to be fetched."""
    analyses: int
    """Items that are due to be analyzed."""


def load_work_state(connection: Connection) -> WorkState:
    now = db_now()
    return WorkState(
        workers=_count(connection, workers.c.id, workers.c.alive_until > now),
        feeds=_count(connection, feed_schedules.c.id, feed_schedules.c.locked_until > now),
        articles=_count(connection, articles.c.uid, articles.c.next_attempt_at <= now),
        analyses=_count(connection, items.c.id, items.c.analyze_at <= now),
    )


def _count(connection: Connection, key: ColumnClause[Any], wanted: ColumnElement[bool]) -> int:
    some = select(key).where(wanted).limit(MAX_COUNTED).subquery()
    return connection.execute(select(func.count()).select_from(some)).scalar_one()
