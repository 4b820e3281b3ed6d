"""The parsing and extraction that runs in the work pool.

A hostile document can take seconds and much memory. In the pool it is stopped at its deadline and delays nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, tzinfo

from inforadar.errors import UsageError
from inforadar.model.article import Extracted, NotExtracted
from inforadar.model.item import Listing
from inforadar.pipeline.pool import PoolTimeoutError, WorkPool
from inforadar.stages.discover.feed.parse import NeedsSlowParser, parse_feed, parse_feed_slowly
from inforadar.stages.discover.pages.listing import PageListing, PageReader
from inforadar.stages.discover.sitemap.filter import UnsafePatterns

PARSE_TIMEOUT_S = 10.0
EXTRACT_TIMEOUT_S = 10.0
MATCH_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class PoolTasks:
    """The tasks that run in the pool, one method each."""

    pool: WorkPool

    async def parse_feed(self, body: bytes, url: str, content_type: str, zone: tzinfo) -> Listing:
        """Parse a feed document in this process, which is cheap; in the pool if only the slow parser can read it."""
        try:
            return parse_feed(body, url, content_type, zone)
        except NeedsSlowParser:
            return await self.pool.run(
                parse_feed_slowly, body, url, content_type, zone, timeout_s=PARSE_TIMEOUT_S
            )

    async def read_page(
        self, reader: PageReader, body: bytes, url: str, content_type: str, at: datetime
    ) -> PageListing:
        """Read one page of a paged site with the site's own reader."""
        return await self.pool.run(reader, body, url, content_type, at, timeout_s=PARSE_TIMEOUT_S)

    async def match_urls(self, patterns: UnsafePatterns, urls: list[str]) -> frozenset[str]:
        """Return the URLs that patterns of unknown cost let pass."""
        try:
            return await self.pool.run(patterns.wanted, urls, timeout_s=MATCH_TIMEOUT_S)
        except PoolTimeoutError:
            raise UsageError(
                f"The patterns {patterns} take too long on the addresses of this site;"
                " give others with `feed edit --include` and `--exclude`."
            ) from None

    async def extract_article(self, body: bytes, url: str, content_type: str) -> Extracted | NotExtracted:
        """Extract the article of a page."""
        return await self.pool.run(_extract, body, url, content_type, timeout_s=EXTRACT_TIMEOUT_S)


def _extract(body: bytes, url: str, content_type: str) -> Extracted | NotExtracted:
    from inforadar.stages.canonical.extraction import extract  # noqa: PLC0415 - only the pool's processes need it

    return extract(body, url, content_type)
