"""Fetch the listing pages of a feed of kind `pages`, one after the other.

This module knows nothing about dates or what is stored: `walk.py` decides where to stop, and the caller who drives both
stops iterating (`pipeline/collect/pages.py`). On its own the iteration ends with the listing, or at a page that cannot
be fetched or read, which it yields as a `Failed`. Pages are requested without validators, because a walk needs their
items.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from datetime import datetime
from functools import partial

from inforadar.errors import ParseError, UsageError
from inforadar.model.feed import Feed
from inforadar.model.http import (
    Failed,
    FailureReason,
    Fetch,
    Fetched,
    FetchResult,
    NotModified,
    Outcome,
    Request,
)
from inforadar.stages.discover.pages.listing import PageListing, PageReader
from inforadar.stages.discover.pages.refusals import is_html, is_robot_check, shows_items_elsewhere
from inforadar.stages.discover.pages.selectors.definition import parse_selectors
from inforadar.stages.discover.pages.selectors.reader import parse_page
from inforadar.stages.discover.pages.sites import SITES, site_reader
from inforadar.urls import hostname

ACCEPT = "text/html, application/xhtml+xml;q=0.9, */*;q=0.5"

ReadPage = Callable[[bytes, str, str, datetime], Awaitable[PageListing]]
"""A `PageReader` that runs where parsing is done, for example in another process."""

HeadersFor = Callable[[str], Mapping[str, str]]
"""Returns the credentials that may be sent to a URL: a page links to the next one, which may be anywhere."""


def reader_for(feed: Feed) -> PageReader:
    """Choose what reads a feed's pages: its selectors, if it has any, else the reader for its site."""
    selectors = feed.options.selectors
    if selectors:
        return partial(parse_page, selectors=parse_selectors(selectors), timezone=feed.zone)
    reader = site_reader(feed.url)
    if reader is None:
        raise UsageError(
            f"There is no reader for the pages of {hostname(feed.url)}. Give the feed selectors with "
            f"`feed edit --selectors`. Sites that need none: {', '.join(sorted(SITES))}."
        )
    return reader


async def fetch_pages(
    feed: Feed,
    fetch: Fetch,
    read: ReadPage,
    *,
    start_url: str | None = None,
    headers_for: HeadersFor = lambda _: {},
    timeout_s: float | None = None,
) -> AsyncGenerator[PageListing | Failed, None]:
    """Yield the pages of a feed's listing in order; a `Failed` is always the last.

    `start_url` is the page to start at instead of the feed's own: it resumes an interrupted walk.
    """
    url: str | None = start_url or feed.url
    seen: set[str] = set()
    is_first = url == feed.url
    is_guessed = not is_first
    before: PageListing | None = None
    while url is not None and url not in seen:
        seen.add(url)
        result = await fetch(Request(url=url, accept=ACCEPT, timeout_s=timeout_s, headers=headers_for(url)))
        if is_guessed and isinstance(result, Failed) and result.status in {404, 410}:
            return  # counted past the last page
        page = await _read(result, read, is_first=is_first, before=before)
        if isinstance(page, PageListing):
            if not is_first and page.url in seen and page.url != url:
                return  # redirected to a page that was read already, so this one does not exist
            seen.add(page.url)
        yield page
        if isinstance(page, Failed):
            return
        url, is_guessed, is_first, before = page.next_url, page.is_next_guessed, False, page


async def _read(
    result: FetchResult, read: ReadPage, *, is_first: bool, before: PageListing | None
) -> PageListing | Failed:
    match result:
        case Fetched():
            if not is_html(result.body):
                kind = result.content_type.partition(";")[0].strip() or "no type given"
                return _failed(result, f"The page {result.final_url} is not HTML ({kind}).")
            try:
                page = await read(result.body, result.final_url, result.content_type, result.fetched_at)
            except ParseError as fault:
                return _failed(
                    result, f"The page {result.final_url} cannot be read. {fault}", Outcome.PERMANENT_ERROR
                )
            wrong = None if page.items else _fault_of_empty(page, result.body, is_first, before)
            if wrong is not None:
                return _failed(result, f"{wrong} {' '.join(page.warnings)}".strip())
            return page
        case NotModified():
            return _failed(result, f"{hostname(result.url)} answered 304 to a request without validators.")
        case Failed():
            return result


def _fault_of_empty(page: PageListing, body: bytes, is_first: bool, before: PageListing | None) -> str | None:
    """Describe what is wrong with a page without items; None if it is the end of the listing.

    An empty page ends a listing. But an empty first page means that the site changed or shows something else, and so
    does a later one that shows something.
    """
    if is_robot_check(body, page, before):
        return f"The page {page.url} wants to know whether a robot asks, and shows no items."
    if is_first:
        return f"The listing {page.url} shows no items."
    if page.is_layout_unknown or shows_items_elsewhere(page, before):
        return (
            f"The page {page.url} shows something, but no items: {hostname(page.url)} may have a new layout."
        )
    return None


def _failed(
    result: Fetched | NotModified, message: str, outcome: Outcome = Outcome.TEMPORARY_ERROR
) -> Failed:
    return Failed(
        url=result.url,
        outcome=outcome,
        reason=FailureReason.BROKEN,
        message=message,
        fetched_at=result.fetched_at,
    )
