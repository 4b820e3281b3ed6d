"""Discovery: from a site's address to its feeds, in at most three requests (P14).

The address itself may be a feed. Otherwise the page's links to feeds are used, and without any, the most common path of
a feed and the sitemaps in robots.txt. Each request waits for its host's turn like any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC

from inforadar.errors import InfoRadarError, ParseError
from inforadar.fetch.engine import Engine
from inforadar.fetch.robots import robots_from_result, robots_request
from inforadar.model.feed import FeedKind
from inforadar.model.http import Failed, Fetched, FetchResult, NotModified, Request
from inforadar.model.subscription import FoundFeed
from inforadar.pipeline.collect.feed import ACCEPT, Parse, looks_like_sitemap
from inforadar.stages.discover.feed.sniff import find_feed_links, is_page
from inforadar.stages.discover.sitemap.parse import is_sitemap
from inforadar.stages.discover.sitemap.unpack import MAX_BYTES
from inforadar.urls import canonical_form, readable, with_scheme

_USUAL_PATH = "/feed"
_USUAL_PATH_BY_GENERATOR = (
    (re.compile(rb"wp-content|wordpress", re.IGNORECASE), "/feed/"),
    (re.compile(rb"ghost", re.IGNORECASE), "/rss/"),
    (re.compile(rb"hugo|jekyll|gatsby", re.IGNORECASE), "/index.xml"),
    (re.compile(rb"blogger|blogspot", re.IGNORECASE), "/feeds/posts/default"),
    (re.compile(rb"drupal", re.IGNORECASE), "/rss.xml"),
)
MAX_PAGE_BYTES = 2 * 2**20


class NothingFoundError(InfoRadarError):
    """The site links to no feed, and there is none at the usual path."""


class NoFeedOnPageError(NothingFoundError):
    """The address is a page without a feed: selectors could read it."""

    def __init__(self, sentence: str) -> None:
        super().__init__(f"{sentence} If it lists articles, add it with --kind pages and --selectors.")
        self.sentence = sentence
        """The message without the advice, which is for the command line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """Finds the feeds of a site."""

    engine: Engine
    parse: Parse
    user_agent: str

    async def discover(self, url: str) -> list[FoundFeed]:
        """Return the feeds of the site at `url`, the likeliest first; raise `NothingFoundError` if there is none."""
        address = canonical_form(with_scheme(url))
        limit = MAX_BYTES if looks_like_sitemap(address) else MAX_PAGE_BYTES
        page = await self._get(Request(url=address, accept=ACCEPT, max_bytes=limit))
        match page:
            case Failed(message=message):
                raise NothingFoundError(message)
            case NotModified():
                raise NothingFoundError(f"{readable(address)} answered 304 to an unconditional request.")
            case Fetched():
                pass
        try:
            listing = await self.parse(page.body, page.final_url, page.content_type, UTC)
        except ParseError as fault:
            return await self._from_page(page, fault)
        return [FoundFeed(url=page.final_url, kind=FeedKind.FEED, how="the address itself", listing=listing)]

    async def _from_page(self, page: Fetched, fault: ParseError) -> list[FoundFeed]:
        text = page.body.decode("utf-8", "replace")
        if is_sitemap(page.body, page.content_type):
            return [FoundFeed(url=page.final_url, kind=FeedKind.SITEMAP, how="the address itself")]
        if not is_page(text):
            raise fault
        if named := find_feed_links(text, page.final_url):
            return [FoundFeed(url=url, kind=FeedKind.FEED, how="named by the page") for url in named]
        found = await self._at_usual_path(page)
        robots = robots_from_result(await self._get(robots_request(page.final_url)), self.user_agent)
        found += [
            FoundFeed(url=url, kind=FeedKind.SITEMAP, how="named by robots.txt") for url in robots.sitemaps
        ]
        if not found:
            raise NoFeedOnPageError(
                f"{readable(page.final_url)} links to no feed, and there is none at {_usual_path(page.body)}."
            )
        return found

    async def _at_usual_path(self, page: Fetched) -> list[FoundFeed]:
        url = canonical_form(_usual_path(page.body), page.final_url)
        answer = await self._get(Request(url=url, accept=ACCEPT))
        if not isinstance(answer, Fetched):
            return []
        try:
            listing = await self.parse(answer.body, answer.final_url, answer.content_type, UTC)
        except ParseError:
            return []
        return [
            FoundFeed(
                url=answer.final_url, kind=FeedKind.FEED, how="found at the usual place", listing=listing
            )
        ]

    async def _get(self, request: Request) -> FetchResult:
        if refusal := await self.engine.take_turn(request.url):
            return refusal
        try:
            return await self.engine.fetch(request)
        finally:
            self.engine.give_turn_back(request.url)


def _usual_path(page: bytes) -> str:
    head = page[:100_000]
    return next((path for sign, path in _USUAL_PATH_BY_GENERATOR if sign.search(head)), _USUAL_PATH)
