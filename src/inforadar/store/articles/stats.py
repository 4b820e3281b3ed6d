"""Statistics of the canonical stage: how many articles are stored, failed (by host and code) and queued (D8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, case, func, select

from inforadar.model.article import ArticleStatus
from inforadar.store.redis.outbox_queries import count_outbox
from inforadar.store.schema.articles import articles
from inforadar.store.types import db_now

_a = articles.c
_is_stored = _a.status == ArticleStatus.SUCCESS.value
_is_failure = _a.status == ArticleStatus.FAILURE.value


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStats:
    """How many articles of one host were stored and failed."""

    host: str
    stored: int
    failed: int
    codes: Mapping[str, int]
    """Number of articles by failure code."""

    @property
    def success_rate(self) -> float:
        return self.stored / (self.stored + self.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleStats:
    """Articles as they stand now: one that failed first and was stored later counts as stored."""

    stored: int
    failed: int
    codes: Mapping[str, int]
    hosts: tuple[HostStats, ...]
    """Hosts with the most failures first."""
    due: int
    """Due now."""
    in_progress: int
    retrying: int
    """Failed, to be tried again later."""
    postponed: int
    """Waiting for their host's turn."""
    outbox: int
    """Events not yet sent to Redis."""

    @property
    def success_rate(self) -> float | None:
        """None if nothing was attempted yet."""
        attempted = self.stored + self.failed
        return self.stored / attempted if attempted else None


def load_article_stats(connection: Connection, *, hosts: int = 20) -> ArticleStats:
    """Load the statistics, with at most `hosts` hosts."""
    is_leased = and_(_a.lease_token.is_not(None), _a.locked_until > db_now())
    is_later = and_(_a.next_attempt_at > db_now(), _a.lease_token.is_(None))
    now = connection.execute(
        select(
            _count(_is_stored).label("stored"),
            _count(_is_failure).label("failed"),
            _count(_a.next_attempt_at <= db_now()).label("due"),
            _count(is_leased).label("in_progress"),
            _count(and_(is_later, _is_failure)).label("retrying"),
            _count(and_(is_later, ~_is_failure)).label("postponed"),
        )
    ).one()
    codes = connection.execute(
        select(_a.failure_code, func.count()).where(_is_failure).group_by(_a.failure_code)
    )
    return ArticleStats(
        **{name: value or 0 for name, value in now._mapping.items()},
        codes=dict(sorted((code, number) for code, number in codes)),
        hosts=_load_hosts(connection, hosts),
        outbox=count_outbox(connection),
    )


def _count(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _load_hosts(connection: Connection, limit: int) -> tuple[HostStats, ...]:
    host = _host(connection).label("host")
    failed = _count(_is_failure)
    top = (
        select(host, _count(_is_stored).label("stored"), failed.label("failed"))
        .where(_a.status != ArticleStatus.NOT_FETCHED.value)
        .group_by(host)
        .order_by(failed.desc(), func.count().desc(), host)
        .limit(limit)
    )
    rows = connection.execute(top).all()
    names = [row.host for row in rows]
    codes: dict[str, dict[str, int]] = {name: {} for name in names}
    by_code = (
        select(host, _a.failure_code.label("code"), func.count().label("number"))
        .where(_is_failure, _host(connection).in_(names))
        .group_by(host, _a.failure_code)
        .order_by(func.count().desc())
    )
    for row in connection.execute(by_code):
        codes[row.host][row.code] = row.number
    return tuple(
        HostStats(host=row.host, stored=row.stored, failed=row.failed, codes=codes[row.host]) for row in rows
    )


def _host(connection: Connection) -> ColumnElement[str]:
    """The part between `//` and the next `/`: a normalized URL has both."""
    if connection.dialect.name != "sqlite":
        return func.split_part(_a.url, "/", 3)
    rest = func.substr(_a.url, func.instr(_a.url, "//") + 2)
    return func.substr(rest, 1, func.instr(rest, "/") - 1)
