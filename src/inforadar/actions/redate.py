"""Correct the stored dates of a feed after a change of its time zone (X8).

    one reading of the listing ──► what the former zone makes of each date ──► stored like that? corrected

The listing is read once, without validators, and nothing else of it is saved. A stored date is corrected only if it is
exactly what the former zone makes of the text that is listed now. So dates with a zone of their own stay, and so do
dates that the site changed and those of items that are no longer listed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from functools import partial

from inforadar.actions.feed_input import parse_timezone
from inforadar.errors import InfoRadarError, ParseError, UsageError
from inforadar.fetch.engine import Engine
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.http import Failed, Fetched, FetchResult, Outcome, Request
from inforadar.model.sitemap import SitemapEntry, SitemapRef
from inforadar.model.zone import DateCorrection, former_reading, zone_named
from inforadar.pipeline.collect import feed as feed_documents
from inforadar.pipeline.collect import sitemap_files
from inforadar.pipeline.collect.feed import Parse
from inforadar.pipeline.collect.pages import Read
from inforadar.pipeline.collect.sitemap import site_name_of
from inforadar.pipeline.polite_visit import Visitor
from inforadar.pipeline.robots import Robots
from inforadar.stages.discover.pages.fetch import fetch_pages, reader_for
from inforadar.stages.discover.pages.listing import PageListing
from inforadar.stages.discover.pages.walk import Walk
from inforadar.stages.discover.sitemap.parse import SitemapReader
from inforadar.stages.discover.sitemap.queue import SitemapQueue
from inforadar.store.database import Database
from inforadar.store.feeds.credentials import load_credentials
from inforadar.store.items.redate import redate_feed
from inforadar.urls import hostname, keeps_credentials, url_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class Redated:
    """The result of a correction."""

    corrected: int
    """Listed URLs with a stored date that was corrected."""
    listed: int
    """Listed URLs with a date."""
    former: str
    zone: str


@dataclass(slots=True)
class _Dates:
    """The dates of a listing, read in the feed's present zone."""

    items: dict[str, datetime] = field(default_factory=dict)
    lastmods: dict[str, datetime] = field(default_factory=dict)
    """Only of sitemaps."""

    def add_item(self, url: str, date: datetime | None) -> None:
        """Add an item; if a listing has a URL twice, the first one counts."""
        if date is not None:
            self.items.setdefault(url, date)

    def add_entry(self, entry: SitemapEntry) -> None:
        """Add an entry of a sitemap; if several files list a URL, the latest date counts."""
        for dates, date in ((self.items, entry.date), (self.lastmods, entry.lastmod)):
            if date is not None and date >= dates.get(entry.url, date):
                dates[entry.url] = date


@dataclass(frozen=True, slots=True, kw_only=True)
class Redater:
    """Corrects stored dates; reads listings of all kinds as the collectors do."""

    database: Database
    engine: Engine
    robots: Robots
    parse: Parse
    read_page: Read
    plan_walk: Callable[[Feed], Walk]
    """Limits how many pages of a paged site are read."""
    max_sitemap_bytes: int
    request_timeout_s: float
    now: Callable[[], datetime]

    async def redate(self, feed: Feed, former: str) -> Redated:
        """Read the listing and correct the dates that were read in the zone `former`, in one transaction.

        Raises `InfoRadarError`, and changes nothing, if the listing cannot be fetched or read.
        """
        former = parse_timezone(former) or "UTC"
        if former == feed.zone_name:
            raise UsageError(
                f"Dates without a zone are already read in {former}. Set the right zone first with `inforadar feed "
                f"edit {feed.id} --timezone ZONE`, or name the former one with --from."
            )
        if not feed.enabled:
            raise UsageError(f"{feed.url} is disabled. Enable it first: `inforadar feed enable {feed.id}`.")
        credentials = (await self.database.read(load_credentials)).get(feed.id, {})
        dates = await self._read_listing(feed, credentials)
        before = zone_named(former)
        corrected = await self.database.write(
            redate_feed,
            feed.id,
            _corrections(dates.items, feed.zone, before),
            at=self.now(),
            site_name=site_name_of(feed) if feed.kind is FeedKind.SITEMAP else None,
            lastmods=_corrections(dates.lastmods, feed.zone, before),
        )
        listed = len(dates.items.keys() | dates.lastmods.keys())
        return Redated(corrected=corrected, listed=listed, former=former, zone=feed.zone_name)

    async def _read_listing(self, feed: Feed, credentials: Mapping[str, str]) -> _Dates:
        match feed.kind:
            case FeedKind.FEED:
                return await self._read_feed(feed, credentials)
            case FeedKind.PAGES:
                return await self._read_pages(feed, credentials)
            case FeedKind.SITEMAP:
                return await self._read_sitemap(feed, credentials)
            case None:
                raise UsageError(f"{feed.url} has not been fetched yet; there are no dates to correct.")

    async def _read_feed(self, feed: Feed, credentials: Mapping[str, str]) -> _Dates:
        request = Request(
            url=feed.url,
            accept=feed_documents.ACCEPT,
            timeout_s=self.request_timeout_s,
            headers=credentials,
        )
        if refusal := await self.engine.take_turn(feed.url):
            raise InfoRadarError(refusal.message)
        try:
            fetched = _fetched(await self.engine.fetch(request))
        finally:
            self.engine.give_turn_back(feed.url)
        listing = await self.parse(fetched.body, fetched.final_url, fetched.content_type, feed.zone)
        dates = _Dates()
        for item in listing.items:
            dates.add_item(item.url, item.published_at)
        return dates

    async def _read_pages(self, feed: Feed, credentials: Mapping[str, str]) -> _Dates:
        reader, walk, dates = reader_for(feed), self.plan_walk(feed), _Dates()

        async def read(body: bytes, url: str, content_type: str, at: datetime) -> PageListing:
            return await self.read_page(reader, body, url, content_type, at)

        async with Visitor(self.engine, self.robots, "", self.now) as visitor:
            pages = fetch_pages(
                feed,
                visitor.fetch,
                read,
                headers_for=partial(_headers_for, feed, credentials),
                timeout_s=self.request_timeout_s,
            )
            async with aclosing(pages):
                async for page in pages:
                    if isinstance(page, Failed):
                        raise InfoRadarError(page.message)
                    for item in page.items:
                        dates.add_item(item.url, item.published_at)
                    # All items count as known: here a new one is no reason to go deeper.
                    known = {url_hash(item.url) for item in page.items}
                    if walk.page(page.items, known, has_next=page.next_url is not None).stop:
                        break
        return dates

    async def _read_sitemap(self, feed: Feed, credentials: Mapping[str, str]) -> _Dates:
        dates = _Dates()
        queue = SitemapQueue(feed.url, any_host=not feed.enforce_feed_domain)
        async with Visitor(self.engine, self.robots, "", self.now) as visitor:
            while visit := queue.next():
                result = await visitor.fetch(
                    Request(
                        url=visit.url,
                        accept=sitemap_files.ACCEPT,
                        max_bytes=self.max_sitemap_bytes,
                        timeout_s=self.request_timeout_s,
                        headers=_headers_for(feed, credentials, visit.url),
                    )
                )
                if visit.depth and isinstance(result, Failed) and result.outcome is Outcome.PERMANENT_ERROR:
                    continue  # collecting leaves this file out, too
                fetched = _fetched(result)
                if visit.depth == 0:
                    queue.add_host(fetched.final_url)
                try:
                    children = await asyncio.to_thread(self._read_file, fetched, feed.zone, dates)
                except ParseError:
                    if visit.depth == 0:
                        raise
                    continue
                queue.add(children, listed_by=visit)
        return dates

    def _read_file(self, fetched: Fetched, zone: tzinfo, dates: _Dates) -> list[SitemapRef]:
        """Add the dates of one file; return the files that it lists."""
        children: list[SitemapRef] = []
        for row in SitemapReader(
            fetched.body, fetched.final_url, fetched.content_type, max_bytes=self.max_sitemap_bytes, zone=zone
        ):
            if isinstance(row, SitemapRef):
                children.append(row)
            else:
                dates.add_entry(row)
        return children


def _headers_for(feed: Feed, credentials: Mapping[str, str], url: str) -> Mapping[str, str]:
    """The credentials if they may be sent to `url`: a site's next page or file may be on another host."""
    return credentials if keeps_credentials(feed.url, url) else {}


def _fetched(result: FetchResult) -> Fetched:
    if isinstance(result, Fetched):
        return result
    if isinstance(result, Failed):
        raise InfoRadarError(result.message)
    raise InfoRadarError(f"{hostname(result.url)} answered 304 to an unconditional request.")


def _corrections(dates: Mapping[str, datetime], zone: tzinfo, former: tzinfo) -> list[DateCorrection]:
    """Pair each date with what the former zone makes of it, where the two differ."""
    return [
        DateCorrection(url, before, date)
        for url, date in dates.items()
        if (before := former_reading(date, zone=zone, former=former)) != date
    ]
