"""Forget URLs of sitemaps, and whole sites.

Only URLs that have left the sitemap are ever forgotten (ruling 5): `left_at` is the time they left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, Row, delete, func, select, true, update

from inforadar.model.sitemap import UrlState
from inforadar.store.schema.sitemaps import site_states, sitemap_files, url_states
from inforadar.store.types import one_of

_u = url_states.c

MAX_LEFT_URLS = 1000
"""How many URLs that left its sitemap are remembered per site."""

FORGET_AFTER_DAYS = 30.0


def prune_urls(
    connection: Connection,
    *,
    at: datetime,
    days: float = FORGET_AFTER_DAYS,
    most: int = MAX_LEFT_URLS,
    site_name: str | None = None,
) -> int:
    """Forget URLs that left their sitemap more than `days` ago; beyond `most` per site, processed ones first."""
    of_site = true() if site_name is None else _u.site_name == site_name
    old = delete(url_states).where(of_site, _u.left_at < at - timedelta(days=days))
    forgotten = connection.execute(old).rowcount
    # Ranked from the end: the first `most` in this order stay.
    rank = func.row_number().over(
        partition_by=_u.site_name,
        order_by=[_u.state == UrlState.PROCESSED.value, _u.left_at.desc(), _u.url],
    )
    ranked = (
        select(_u.site_name, _u.url, rank.label("rank")).where(of_site, _u.left_at.is_not(None)).subquery()
    )
    too_many = select(ranked.c.site_name, ranked.c.url).where(ranked.c.rank > most)
    for name, urls in _by_site(connection.execute(too_many)).items():
        gone = delete(url_states).where(_u.site_name == name, one_of(_u.url, urls))
        forgotten += connection.execute(gone).rowcount
    return forgotten


def delete_sites(connection: Connection, site_names: Sequence[str]) -> None:
    """Delete everything about these sites."""
    for table in (url_states, sitemap_files, site_states):
        connection.execute(delete(table).where(one_of(table.c.site_name, site_names)))


def _by_site(rows: Iterable[Row[str, str]]) -> dict[str, list[str]]:
    sites: dict[str, list[str]] = {}
    for name, url in rows:
        sites.setdefault(name, []).append(url)
    return sites


def prune_if_due(
    connection: Connection, site_name: str, *, at: datetime, days: float, every_days: float
) -> int:
    cleaned_at = connection.execute(
        select(site_states.c.cleaned_at).where(site_states.c.site_name == site_name)
    ).scalar()
    if cleaned_at is not None and (at - cleaned_at).total_seconds() < every_days * 86400:
        return 0
    connection.execute(update(site_states).where(site_states.c.site_name == site_name).values(cleaned_at=at))
    return prune_urls(connection, at=at, days=days, site_name=site_name)
