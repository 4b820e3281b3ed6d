"""Record what a sitemap lists and what was processed: which URLs are new, changed or still to be processed (E3).

`record_entries` saves what a sitemap lists and returns what is to be processed, in one transaction; `mark_urls` marks
what was processed. So a run that dies in between leaves pending URLs, and the next run continues with them. Each
function needs only a few statements for any number of URLs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Connection, and_, bindparam, case, func, null, or_, select, true, update

from inforadar.model.sitemap import SitemapEntry, UrlState
from inforadar.model.zone import DateCorrection
from inforadar.store.rows import JsonRows, stored_id, stored_time
from inforadar.store.schema.sitemaps import site_states, url_states
from inforadar.store.sitemaps.queries import WAS_PUBLISHED, load_site
from inforadar.store.types import one_of
from inforadar.store.upsert import upsert

_u = url_states.c

MAX_FIRST_RUN = timedelta(days=1)
"""How long a first run waits for unavailable files; a permanently broken file must not hide new pages."""
_MAX_AHEAD = timedelta(days=1)
"""A lastmod further ahead than any clock may be is ignored: no later one could ever come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A URL to be processed, and why."""

    url: str
    before: UrlState | None
    """None if it is new."""
    is_modified: bool = False
    """It was processed, and its lastmod has advanced since; that was not published yet."""


def save_site(
    connection: Connection,
    site_name: str,
    *,
    at: datetime,
    sitemap_url: str | None = None,
    last_run: datetime | None = None,
) -> None:
    """Add or update a site; None keeps the current value."""
    given = upsert(connection, site_states).values(
        site_name=site_name, sitemap_url=sitemap_url, last_run=last_run, created_at=at, updated_at=at
    )
    connection.execute(
        given.on_conflict_do_update(
            index_elements=["site_name"],
            set_={
                "sitemap_url": func.coalesce(given.excluded.sitemap_url, site_states.c.sitemap_url),
                "last_run": func.coalesce(given.excluded.last_run, site_states.c.last_run),
                "updated_at": at,
            },
        )
    )


_given = JsonRows("given", url="text", lastmod="timestamptz")
_DETECT = (
    select(
        _given.c["url"].label("url"),
        _u.url.label("known"),
        _u.state,
        (_given.c["lastmod"] > _u.lastmod).label("later"),
        WAS_PUBLISHED,
    )
    .select_from(
        _given.table.outerjoin(url_states, and_(_u.site_name == bindparam("site"), _u.url == _given.c["url"]))
    )
    .where(or_(_u.url.is_(None), _u.state != UrlState.PROCESSED.value, _given.c["lastmod"] > _u.lastmod))
)


def record_entries(
    connection: Connection,
    site_name: str,
    entries: Iterable[SitemapEntry],
    *,
    at: datetime,
    file_id: UUID | None = None,
    state: UrlState = UrlState.PENDING,
) -> list[Found]:
    """Save what is listed, and return the entries not processed yet, in their order.

    New URLs get `state`; URLs with a later lastmod become pending again. The site must exist.
    """
    listed: dict[str, datetime | None] = {}
    latest = at + _MAX_AHEAD
    for entry in entries:
        lastmod = entry.lastmod if entry.lastmod is None or entry.lastmod <= latest else None
        before = listed.get(entry.url)
        if before is None or (lastmod is not None and lastmod > before):
            listed[entry.url] = lastmod
    if not listed:
        return []
    rows = [
        (url, None if lastmod is None else stored_time(connection, lastmod))
        for url, lastmod in listed.items()
    ]
    given = _given.parameters(rows)
    found = {
        row.url: Found(
            url=row.url,
            before=None if row.known is None else UrlState(row.state),
            is_modified=row.known is not None
            and bool(row.later if row.state == UrlState.PROCESSED else row.was_published),
        )
        for row in connection.execute(_DETECT, {**given, "site": site_name})
    }
    connection.execute(
        _record(connection),
        {
            **given,
            "site": site_name,
            "new_state": state.value,
            "at": stored_time(connection, at),
            "file": None if file_id is None else stored_id(connection, file_id),
        },
    )
    return [found[url] for url in listed if url in found]


def _record(connection: Connection) -> Any:
    # The values come in their stored form: the column types would convert each of them again.
    def stored(name: str, column: ColumnElement[Any]) -> ColumnElement[Any]:
        kind = column.type if connection.dialect.name != "sqlite" else None
        return bindparam(name, type_=kind) if kind is not None else bindparam(name)

    listed = select(
        bindparam("site", type_=_u.site_name.type),
        _given.c["url"],
        bindparam("new_state", type_=_u.state.type),
        stored("at", _u.first_seen),
        stored("at", _u.last_seen),
        _given.c["lastmod"],
        stored("file", _u.file_id),
    ).where(true())  # without a WHERE clause, SQLite takes ON CONFLICT for a join condition
    names = ["site_name", "url", "state", "first_seen", "last_seen", "lastmod", "file_id"]
    insert = upsert(connection, url_states).from_select(names, listed)
    new = insert.excluded
    is_later = new.lastmod > _u.lastmod
    return insert.on_conflict_do_update(
        index_elements=["site_name", "url"],
        set_={
            "state": case((is_later, UrlState.PENDING.value), else_=_u.state),
            "last_seen": new.last_seen,
            "lastmod": case((or_(is_later, _u.lastmod.is_(None)), new.lastmod), else_=_u.lastmod),
            # A URL in several files has left only when it is in none of them.
            "file_id": case(
                (or_(_u.file_id == new.file_id, _u.left_at.is_not(None)), new.file_id), else_=null()
            ),
            "left_at": null(),
        },
    )


_redated = JsonRows("redated", url="text", before="timestamptz", after="timestamptz")
_REDATE = (
    update(url_states)
    .where(
        _u.site_name == bindparam("site"),
        _u.url == _redated.c["url"],
        _u.lastmod == _redated.c["before"],
    )
    .values(lastmod=_redated.c["after"])
    .returning(_u.url)
)


def redate_urls(
    connection: Connection, site_name: str, corrections: Sequence[DateCorrection]
) -> frozenset[str]:
    """Correct each `lastmod` that is still the one before, and return the URLs; their state stays as it is."""
    rows = [
        (url, stored_time(connection, before), stored_time(connection, after))
        for url, before, after in corrections
    ]
    return frozenset(connection.execute(_REDATE, {**_redated.parameters(rows), "site": site_name}).scalars())


def detect_entries(
    connection: Connection,
    site_name: str,
    entries: Sequence[SitemapEntry],
    *,
    at: datetime,
    sitemap_url: str | None = None,
    baseline: frozenset[str] | None = None,
    is_whole: bool = True,
) -> list[Found]:
    """Record everything a site lists in one run, for callers that do not track files: the seed's way.

    For a site never seen before, only the URLs in `baseline` are new, if it is given; the rest counts as processed. If
    the listing is not whole, no URL counts as left, and a first run continues with the next listing: what is missing
    now will not count as new then.
    """
    is_first = load_site(connection, site_name).last_run is None
    save_site(connection, site_name, at=at, sitemap_url=sitemap_url)
    if is_whole or not is_first or _is_first_run_over(connection, site_name, at):
        save_site(connection, site_name, at=at, last_run=at)
    found = record_entries(connection, site_name, entries, at=at)
    if is_whole:
        note_left(connection, site_name, at, file_id=None)
    if baseline is None or not is_first:
        return found
    seen = [one.url for one in found if one.url not in baseline]
    mark_urls(connection, site_name, seen, UrlState.PROCESSED)
    return [one for one in found if one.url in baseline]


def _is_first_run_over(connection: Connection, site_name: str, at: datetime) -> bool:
    began_at = connection.execute(
        select(site_states.c.created_at).where(site_states.c.site_name == site_name)
    ).scalar_one()
    # The seed's own state file may lack it.
    return began_at is None or at - began_at >= MAX_FIRST_RUN


def mark_urls(
    connection: Connection,
    site_name: str,
    urls: Iterable[str],
    state: UrlState,
    *,
    published_at: datetime | None = None,
) -> None:
    """Set the state of URLs; unknown ones are skipped. Without `published_at` they were only seen, not published."""
    if not (urls := list(urls)):
        return
    published = {} if published_at is None else {"published_at": published_at}
    connection.execute(
        update(url_states)
        .where(_u.site_name == site_name, one_of(_u.url, urls))
        .values(state=state.value, **published)
    )


def note_left(connection: Connection, site_name: str, at: datetime, *, file_id: UUID | None) -> None:
    """Mark URLs as left that the file listed before, but not when it was read completely at `at`.

    Without a file: URLs that are in several files or were recorded without one, and were not seen since `at`.
    """
    of_file = _u.file_id.is_(None) if file_id is None else _u.file_id == file_id
    connection.execute(
        update(url_states)
        .where(_u.site_name == site_name, of_file, _u.last_seen < at, _u.left_at.is_(None))
        .values(left_at=at)
    )
