"""Functions that turn a sitemap into an RSS document (E2), for flows and for programs that need nothing else.

entries = await fetch_sitemap(url, fetch)
wanted = sort_entries_by_date(apply_rss_filters(entries, {"include_patterns": ["/blog/"]}), max_items=50)
xml = generate_rss_xml(create_rss_items(wanted), {"title": "My blog"}, sitemap_url=url)
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from inforadar.clock import utc_now
from inforadar.errors import InfoRadarError, ParseError, UsageError
from inforadar.model.http import Failed, Fetch, Fetched, Request
from inforadar.model.sitemap import SitemapEntry, SitemapRef, TitleOrigin
from inforadar.pipeline.collect.sitemap_files import ACCEPT
from inforadar.stages.discover.sitemap.parse import SitemapReader
from inforadar.stages.discover.sitemap.queue import SitemapQueue, SkipReason
from inforadar.stages.discover.sitemap.titles import slug_title
from inforadar.stages.discover.sitemap.unpack import MAX_BYTES
from inforadar.stages.publish.entry import ChannelInfo, Entry
from inforadar.stages.publish.rss import render_rss
from inforadar.urls import canonical_form, hostname, origin, readable, url_hash

_CHANNEL = frozenset({"title", "description", "link", "language"})


class SitemapError(InfoRadarError):
    """The sitemap could not be fetched, or is not a sitemap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapListing:
    """The entries of a sitemap, as far as it could be fetched."""

    entries: list[SitemapEntry]
    is_whole: bool
    """False if a part could not be fetched or was too much: a missing page may still be listed there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RssItem:
    """An item of the document and the origin of its title."""

    entry: Entry
    title_from: TitleOrigin


async def fetch_sitemap(
    sitemap_url: str, fetch: Fetch, *, any_host: bool = False, max_bytes: int = MAX_BYTES
) -> list[SitemapEntry]:
    """Return only the entries of `read_sitemap`; some may be missing."""
    return (await read_sitemap(sitemap_url, fetch, any_host=any_host, max_bytes=max_bytes)).entries


async def read_sitemap(
    sitemap_url: str, fetch: Fetch, *, any_host: bool = False, max_bytes: int = MAX_BYTES
) -> SitemapListing:
    """Read all entries of a sitemap, following its indexes. Files that cannot be fetched are skipped, unless all fail.

    `fetch` makes each request wait for its turn; `any_host` follows sitemaps on other hosts too.
    """
    root = canonical_form(sitemap_url)
    entries: dict[str, SitemapEntry] = {}
    queue = SitemapQueue(root, any_host=any_host)
    fault, is_whole = "", True
    while visit := queue.next():
        try:
            file = await _fetch_file(visit.url, fetch, max_bytes)
        except SitemapError as error:
            if visit.depth == 0:
                raise
            fault, is_whole = fault or str(error), False
            continue
        is_whole &= file.is_whole
        if visit.depth == 0:
            queue.add_host(file.final_url)
        for row in file.rows:
            if isinstance(row, SitemapEntry):
                entries.setdefault(row.url, row)
        listed = (row for row in file.rows if isinstance(row, SitemapRef))
        for skipped in queue.add(listed, listed_by=visit):
            # Which files are too many depends on their order, so a page may be listed in one that is skipped today.
            is_whole &= skipped.reason is not SkipReason.TOO_MANY
            if skipped.reason is SkipReason.OTHER_HOST:
                fault = fault or f"The sitemap {readable(skipped.url)} is on another host."
    if not entries and fault:
        raise SitemapError(fault)
    return SitemapListing(entries=list(entries.values()), is_whole=is_whole)


class _File(NamedTuple):
    final_url: str
    rows: list[SitemapEntry | SitemapRef]
    is_whole: bool


async def _fetch_file(url: str, fetch: Fetch, max_bytes: int) -> _File:
    result = await fetch(Request(url=url, accept=ACCEPT, max_bytes=max_bytes))
    match result:
        case Fetched():
            pass
        case Failed(message=message):
            raise SitemapError(message)
        case _:
            raise SitemapError(f"{hostname(url)} answered 304 to an unconditional request.")

    def read() -> _File:
        reader = SitemapReader(result.body, result.final_url, result.content_type, max_bytes=max_bytes)
        rows = list(reader)
        return _File(result.final_url, rows, reader.is_whole)

    try:
        return await asyncio.to_thread(read)
    except ParseError as fault:
        raise SitemapError(f"{readable(url)}: {fault}") from None


def create_rss_items(
    entries: Iterable[SitemapEntry], titles: Mapping[str, str] | None = None, *, now: datetime | None = None
) -> list[RssItem]:
    """Create one item per entry, in the same order. `titles` are the titles of pages by URL.

    A title comes from the sitemap's news extension, else from the page, else from the URL.
    """
    at = now or utc_now()
    items = []
    for entry in entries:
        page = (titles or {}).get(entry.url)
        if entry.title:
            title, title_from = entry.title, TitleOrigin.SITEMAP
        elif page:
            title, title_from = page, TitleOrigin.PAGE
        else:
            title, title_from = slug_title(entry.url), TitleOrigin.SLUG
        shown = Entry(
            url=entry.url,
            hash=url_hash(entry.url),
            published_at=entry.date or at,
            updated_at=entry.lastmod,
            title=title,
            tags=entry.tags,
            image=entry.images[0] if entry.images else None,
            language=entry.language,
        )
        items.append(RssItem(entry=shown, title_from=title_from))
    return items


def generate_rss_xml(
    items: Sequence[RssItem],
    channel_config: Mapping[str, Any] | None = None,
    *,
    sitemap_url: str = "",
    now: datetime | None = None,
) -> str:
    """Render an RSS 2.0 document. `channel_config` may have `title`, `description`, `link` and `language`."""
    channel = dict(channel_config or {})
    if unknown := sorted(channel.keys() - _CHANNEL):
        raise UsageError(f"A channel has no {unknown[0]!r}; it has {', '.join(sorted(_CHANNEL))}.")
    address = sitemap_url or (items[0].entry.url if items else "")
    link = str(channel.get("link") or (f"{origin(address)}/" if address else ""))
    if not link:
        raise UsageError("A channel without items needs a link or the URL of its sitemap.")
    name = hostname(link)
    info = ChannelInfo(
        title=str(channel.get("title") or name),
        link=link,
        description=str(channel.get("description") or f"What is new on {name}"),
        self_url=sitemap_url or link,
        built_at=(now or utc_now()).replace(microsecond=0),
        language=channel.get("language"),
    )
    return render_rss(info, [item.entry for item in items]).whole
