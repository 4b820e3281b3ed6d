"""Save the files of a site's sitemap: validators, what the index said of each, and how much of it was stored.

Everything a job writes here is protected by its feed's lease: a job that lost it writes nothing. A file's validators
are saved with the last of its URLs, so that they never stand for content that was not stored (B6, P4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import UUID

from sqlalchemy import Connection, case, null, or_, select, update

from inforadar.errors import LeaseLostError
from inforadar.model.ids import new_uuid
from inforadar.model.schedule import Lease
from inforadar.model.sitemap import SitemapEntry, SitemapRef, UrlState
from inforadar.store.leases import holds_lease
from inforadar.store.schema.sitemaps import sitemap_files, url_states
from inforadar.store.sitemaps.prune import prune_if_due
from inforadar.store.sitemaps.queries import OpenUrl, SitemapFile, load_open_urls
from inforadar.store.sitemaps.record import (
    Found,
    mark_urls,
    note_left,
    record_entries,
    save_site,
)
from inforadar.store.upsert import upsert
from inforadar.urls import url_hash

_f = sitemap_files.c

P = ParamSpec("P")
T = TypeVar("T")


def save_file(connection: Connection, site_name: str, file: SitemapFile) -> None:
    values: dict[str, Any] = {
        "parent_id": file.parent_id,
        "form": file.form,
        "lastmod": file.lastmod,
        "etag": file.validators.etag,
        "last_modified": file.validators.last_modified,
        "validators_url": file.validators.url,
        "digest": file.digest,
        "read_at": file.read_at,
        "checked_at": file.checked_at,
        "is_baseline": file.is_baseline,
        "left_at": None,
    }
    key = url_hash(file.url)
    known = (
        update(sitemap_files)
        .where(_f.site_name == site_name, _f.url_hash == key)
        .values(id=file.id, **values)
    )
    if connection.execute(known).rowcount == 0:
        connection.execute(
            sitemap_files.insert().values(
                id=file.id, site_name=site_name, url=file.url, url_hash=key, **values
            )
        )


def fenced(
    connection: Connection,
    lease: Lease,
    question: Callable[Concatenate[Connection, P], T],
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Run a question on behalf of a job; refuse if its feed's lease was lost."""
    if not holds_lease(connection, lease):
        raise LeaseLostError(f"The lease of {lease.feed.url} went to another worker.")
    return question(connection, *args, **kwargs)


def save_rows(
    connection: Connection,
    site_name: str,
    entries: Sequence[SitemapEntry],
    *,
    at: datetime,
    file_id: UUID,
    wanted: Callable[[SitemapEntry], bool],
    baseline: frozenset[str] | None,
) -> list[Found]:
    """Save some of a file's URLs. Unwanted ones are marked as seen, so that they never count as new.

    In a first run, or for a file that it missed, only URLs in `baseline` may become items; all others count as seen
    before (E5).
    """
    if baseline is not None:
        state = UrlState.PROCESSED
        found = record_entries(connection, site_name, entries, at=at, file_id=file_id, state=state)
        open_ones = [one for one in found if one.before is None and one.url in baseline]
        mark_urls(connection, site_name, [one.url for one in open_ones], UrlState.PENDING)
        return open_ones
    found = record_entries(connection, site_name, entries, at=at, file_id=file_id)
    unwanted = {entry.url for entry in entries if not wanted(entry)} if found else set()
    mark_urls(connection, site_name, [one.url for one in found if one.url in unwanted], UrlState.PROCESSED)
    return [one for one in found if one.url not in unwanted]


def finish_file(
    connection: Connection,
    site_name: str,
    file: SitemapFile,
    *,
    is_whole: bool,
    children: Sequence[SitemapRef] = (),
) -> None:
    """Save a file that was read. If it was whole, URLs it no longer lists have left; otherwise it is fetched again.

    If the first run missed an index, it also missed the files of that index.
    """
    save_file(connection, site_name, replace(file, is_baseline=file.is_baseline and not is_whole))
    if children:
        _save_children(connection, site_name, file, children)
    if not is_whole or file.read_at is None:
        return
    note_left(connection, site_name, file.read_at, file_id=file.id)
    # A root that moved is no longer at its former URL.
    is_below = _f.parent_id == file.id
    of_it = or_(is_below, _f.parent_id.is_(None)) if file.parent_id is None else is_below
    listed = {url_hash(ref.url) for ref in children}
    known = select(_f.id, _f.url_hash).where(
        _f.site_name == site_name, of_it, _f.id != file.id, _f.left_at.is_(None)
    )
    for row in connection.execute(known).all():
        if row.url_hash not in listed:
            _file_left(connection, site_name, row.id, file.read_at)


def _save_children(
    connection: Connection, site_name: str, index: SitemapFile, children: Sequence[SitemapRef]
) -> None:
    """Save the files of an index before any of them is read: an index that answers 304 does not list them again."""
    rows = {
        url_hash(ref.url): {
            "id": new_uuid(),
            "site_name": site_name,
            "url": ref.url,
            "url_hash": url_hash(ref.url),
            "parent_id": index.id,
            "listed_lastmod": ref.lastmod,
            "is_baseline": index.is_baseline,
        }
        for ref in children
        if ref.url != index.url
    }
    given = upsert(connection, sitemap_files)
    is_back = _f.left_at.is_not(None)
    connection.execute(
        given.on_conflict_do_update(
            index_elements=["site_name", "url_hash"],
            set_={
                "parent_id": given.excluded.parent_id,
                "listed_lastmod": given.excluded.listed_lastmod,
                # Its URLs have left with it, so it is read from the beginning.
                "read_at": case((is_back, null()), else_=_f.read_at),
                "digest": case((is_back, null()), else_=_f.digest),
                "checked_at": case((is_back, null()), else_=_f.checked_at),
                "left_at": null(),
            },
        ),
        list(rows.values()),
    )


def _file_left(connection: Connection, site_name: str, file_id: UUID, at: datetime) -> None:
    """Mark a file as left, with its URLs and the files below it."""
    connection.execute(update(sitemap_files).where(_f.id == file_id).values(left_at=at))
    connection.execute(
        update(url_states)
        .where(
            url_states.c.site_name == site_name,
            url_states.c.file_id == file_id,
            url_states.c.left_at.is_(None),
        )
        .values(left_at=at)
    )
    below = select(_f.id).where(_f.site_name == site_name, _f.parent_id == file_id, _f.left_at.is_(None))
    for child in connection.execute(below).scalars().all():
        _file_left(connection, site_name, child, at)


def end_walk(connection: Connection, site_name: str) -> None:
    """Note that a walk came to the end of the site's files: the next one asks for all of them."""
    checked = update(sitemap_files).where(_f.site_name == site_name, _f.checked_at.is_not(None))
    connection.execute(checked.values(checked_at=None))


def choose_baseline(
    connection: Connection,
    site_name: str,
    chosen: Callable[[list[OpenUrl]], Iterable[str]],
    at: datetime,
) -> None:
    """End a first run: only the chosen URLs stay open, and from now on new URLs count as new.

    URLs in files that could not be read do not: they were there before.
    """
    open_urls = load_open_urls(connection, site_name)
    keep = set(chosen(open_urls))
    mark_urls(
        connection, site_name, [one.url for one in open_urls if one.url not in keep], UrlState.PROCESSED
    )
    unread = update(sitemap_files).where(
        _f.site_name == site_name, _f.read_at.is_(None), _f.left_at.is_(None)
    )
    connection.execute(unread.values(is_baseline=True))
    save_site(connection, site_name, at=at, last_run=at)


def finish_site(
    connection: Connection,
    site_name: str,
    *,
    began_at: datetime,
    at: datetime,
    days: float,
    every_days: float,
) -> int:
    """Finish a run. Cleans up if that is due; returns how many URLs were forgotten."""
    save_site(connection, site_name, at=at, last_run=at)
    oldest = select(_f.id).where(_f.site_name == site_name, _f.left_at.is_(None), _f.read_at < began_at)
    if connection.execute(oldest.limit(1)).first() is None:
        # Every file was read in this run: a URL of several files that was not seen has left all of them.
        note_left(connection, site_name, began_at, file_id=None)
    return prune_if_due(connection, site_name, at=at, days=days, every_days=every_days)
