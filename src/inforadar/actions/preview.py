"""Preview a listing page: one polite request, then the items that selectors or the site's own reader find."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import Any

from inforadar.errors import InfoRadarError, ParseError, UsageError
from inforadar.fetch.engine import Engine
from inforadar.model.http import Failed, Fetched, Request
from inforadar.pipeline.polite_visit import Visitor
from inforadar.pipeline.pool import WorkPool
from inforadar.pipeline.robots import Robots
from inforadar.stages.discover.feed.encoding import decode
from inforadar.stages.discover.pages.fetch import ACCEPT
from inforadar.stages.discover.pages.listing import PageListing, PageReader
from inforadar.stages.discover.pages.selectors.definition import Selectors, parse_draft, parse_selectors
from inforadar.stages.discover.pages.selectors.preview import Preview, preview
from inforadar.stages.discover.pages.sites import site_reader
from inforadar.urls import canonical_form, host_key, hostname

READ_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePreview:
    """The items that would be taken from a page."""

    page: PageListing
    selected: Preview | None = None
    """What each selector matched; None if the site has its own reader."""

    @property
    def messages(self) -> tuple[str, ...]:
        return self.selected.messages if self.selected else self.page.warnings


@dataclass(frozen=True, slots=True, kw_only=True)
class Previewer:
    """Shows what a feed of kind `pages` would find before it is added."""

    engine: Engine
    robots: Robots
    pool: WorkPool
    now: Callable[[], datetime]

    async def preview(
        self, url: str, selectors: Mapping[str, Any] | None = None, zone: tzinfo = UTC
    ) -> PagePreview:
        """Fetch and read the page at `url`.

        Raises `UsageError` without selectors or a reader for the site, `InfoRadarError` if fetching or reading fails.
        """
        address = canonical_form(url)
        read = read_by_selectors(selectors, zone) if selectors else read_by_site(address)
        return await self.read(read, await self.fetch(address))

    async def read(self, read: Reading, fetched: Fetched) -> PagePreview:
        """Read a page that was already fetched, so that trying out selectors asks the site only once."""
        given = (fetched.body, fetched.final_url, fetched.content_type, fetched.fetched_at)
        try:
            return await self.pool.run(read, *given, timeout_s=READ_TIMEOUT_S)
        except ParseError as fault:
            raise InfoRadarError(f"The page {fetched.final_url} cannot be read. {fault}") from None

    async def fetch(self, url: str) -> Fetched:
        host = host_key(url)
        if refusal := await self.engine.take_turn(url):
            raise InfoRadarError(refusal.message)
        try:
            async with Visitor(self.engine, self.robots, host, self.now) as visitor:
                result = await visitor.fetch(Request(url=url, accept=ACCEPT))
        finally:
            self.engine.give_turn_back(url)
        if isinstance(result, Fetched):
            return result
        why = (
            result.message
            if isinstance(result, Failed)
            else f"{host} answered 304 to an unconditional request."
        )
        raise InfoRadarError(why)


Reading = Callable[[bytes, str, str, datetime], PagePreview]
"""Reads a page in another process, because the page may be hostile."""


def read_by_site(url: str) -> Reading:
    reader = site_reader(url)
    if reader is None:
        raise UsageError(
            f"There is no reader for the pages of {hostname(url)}. Write selectors into a file and pass "
            "--selectors FILE."
        )
    return partial(_read_by_site, reader)


def _read_by_site(reader: PageReader, body: bytes, url: str, content_type: str, now: datetime) -> PagePreview:
    return PagePreview(page=reader(body, url, content_type, now))


def read_by_selectors(selectors: Mapping[str, Any], zone: tzinfo = UTC) -> Reading:
    return partial(_read_by_selectors, parse_selectors(selectors), zone=zone)


def read_by_draft(selectors: Mapping[str, Any], zone: tzinfo = UTC) -> Reading:
    """As `read_by_selectors`, while they are being written: only `item` is needed, and the rest is guessed."""
    parsed, missing = parse_draft(selectors)
    return partial(_read_by_selectors, parsed, zone=zone, missing=missing)


def _read_by_selectors(
    selectors: Selectors,
    body: bytes,
    url: str,
    content_type: str,
    now: datetime,
    *,
    zone: tzinfo,
    missing: frozenset[str] = frozenset(),
) -> PagePreview:
    selected = preview(decode(body, content_type), url, selectors, now, zone, missing=missing)
    page = PageListing(url=url, items=selected.items, next_url=selected.next_url)
    return PagePreview(page=page, selected=selected)
