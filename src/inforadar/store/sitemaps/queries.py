"""Queries about sitemaps: the state of a site, its URLs and its files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import Connection, func, select

from inforadar.model.http import Validators
from inforadar.model.ids import new_uuid
from inforadar.model.sitemap import SitemapForm, SiteState, UrlState
from inforadar.store.schema.sitemaps import site_states, sitemap_files, url_states
from inforadar.urls import UrlHash

_u = url_states.c
_f = sitemap_files.c

WAS_PUBLISHED = _u.published_at.is_not(None).label("was_published")
"""Of a URL that is to be processed: it has an item already, and changed since."""


def load_site(connection: Connection, site_name: str) -> SiteState:
    """Load the state of a site; an unknown site has an empty one."""
    row = connection.execute(select(site_states).where(site_states.c.site_name == site_name)).first()
    if row is None:
        return SiteState(site_name=site_name)
    return SiteState(site_name=site_name, sitemap_url=row.sitemap_url, last_run=row.last_run)


def load_published(
    connection: Connection, site_name: str, limit: int
) -> list[tuple[str, datetime | None, datetime]]:
    """The URLs published last, still listed or not: (URL, lastmod, when)."""
    query = (
        select(_u.url, _u.lastmod, _u.published_at)
        .where(_u.site_name == site_name, _u.published_at.is_not(None))
        .order_by(func.coalesce(_u.lastmod, _u.published_at).desc(), _u.url)
        .limit(limit)
    )
    return [(row.url, row.lastmod, row.published_at) for row in connection.execute(query)]


class OpenUrl(NamedTuple):
    """A URL that is still to be processed."""

    url: str
    lastmod: datetime | None
    is_modified: bool
    """It has an item already, and changed since."""


def load_open_urls(connection: Connection, site_name: str, *, retry_failed: bool = True) -> list[OpenUrl]:
    """URLs that are still listed and still to be processed; newest first."""
    states = [UrlState.PENDING.value] + ([UrlState.FAILED.value] if retry_failed else [])
    query = (
        select(_u.url, _u.lastmod, WAS_PUBLISHED)
        .where(_u.site_name == site_name, _u.state.in_(states), _u.left_at.is_(None))
        .order_by(_u.lastmod.is_(None), _u.lastmod.desc(), _u.first_seen.desc(), _u.url)
    )
    return [OpenUrl(row.url, row.lastmod, bool(row.was_published)) for row in connection.execute(query)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapFile:
    """One file, as stored or to be saved."""

    id: UUID
    url: str
    parent_id: UUID | None = None
    form: SitemapForm | None = None
    listed_lastmod: datetime | None = None
    """The lastmod that its index gives."""
    lastmod: datetime | None = None
    """The index's lastmod when the file was last read completely; None: it may have more content with the same date."""
    validators: Validators = Validators()
    digest: str | None = None
    read_at: datetime | None = None
    checked_at: datetime | None = None
    """When the walk that has not ended yet asked for it; the next run does not ask again."""
    is_baseline: bool = False
    """The first run found it but could not read it to its end: what it lists counts as seen before."""


def new_file(url: str) -> SitemapFile:
    return SitemapFile(id=new_uuid(), url=url)


def load_files(connection: Connection, site_name: str) -> dict[UrlHash, SitemapFile]:
    """The listed files, by the hash of their URL."""
    query = select(sitemap_files).where(_f.site_name == site_name, _f.left_at.is_(None)).order_by(_f.id)
    return {
        row.url_hash: SitemapFile(
            id=row.id,
            url=row.url,
            parent_id=row.parent_id,
            form=SitemapForm(row.form) if row.form else None,
            listed_lastmod=row.listed_lastmod,
            lastmod=row.lastmod,
            validators=Validators(etag=row.etag, last_modified=row.last_modified, url=row.validators_url),
            digest=row.digest,
            read_at=row.read_at,
            checked_at=row.checked_at,
            is_baseline=row.is_baseline,
        )
        for row in connection.execute(query)
    }
