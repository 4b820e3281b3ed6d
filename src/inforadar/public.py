"""The Python API that the seeds name, for programs that embed Info Radar.

config = FetcherConfig(fetch_interval=60)
async with FeedFetcherService("sqlite:///news.db", config) as service:
    feed_id = await service.add_feed("https://example.com/feed")
    await service.edit_feed(feed_id, FeedChanges(url="https://example.com/news.xml"))
    await service.fetch_feed_now(feed_id)
    await service.start()

await canonical_fetcher_run_once("sqlite:///news.db")

entries = apply_rss_filters(await fetch_sitemap("https://example.com/sitemap.xml"), {"max_age_days": 7})
state = IncrementalStateManager("rss_incremental.db")
new = await state.detect_new_urls("example", entries)
items = create_rss_items(sort_entries_by_date([entry for entry in entries if entry.url in new]))
xml = generate_rss_xml(items, {"title": "Example"}, sitemap_url="https://example.com/sitemap.xml")
await state.mark_urls_processed("example", new)

Each name is imported when it is first used, because a program rarely needs all of them. Events go to the standard
`logging` module: to the `logger` that is given, else to the logger `inforadar`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inforadar.embed.once import canonical_fetcher_run_once, fetch_sitemap, read_sitemap
    from inforadar.embed.service import FeedFetcherService, FetcherConfig
    from inforadar.embed.site_states import IncrementalStateManager
    from inforadar.embed.sitemap_rss import SitemapListing, create_rss_items, generate_rss_xml
    from inforadar.errors import InfoRadarError, NotFoundError
    from inforadar.model.article import Article
    from inforadar.model.feed import Feed, FeedKind
    from inforadar.model.item import Item
    from inforadar.model.progress import Progress
    from inforadar.model.sitemap import IncrementalResult, SitemapEntry, SiteState
    from inforadar.model.subscription import FeedChanges
    from inforadar.stages.discover.sitemap.filter import apply_rss_filters, sort_entries_by_date
    from inforadar.store.sitemaps.state_file import DatabaseCorrupted

_MODULES = {
    "inforadar.embed.once": (
        "canonical_fetcher_run_once",
        "fetch_sitemap",
        "read_sitemap",
    ),
    "inforadar.embed.service": (
        "FeedFetcherService",
        "FetcherConfig",
    ),
    "inforadar.embed.site_states": ("IncrementalStateManager",),
    "inforadar.embed.sitemap_rss": (
        "SitemapListing",
        "create_rss_items",
        "generate_rss_xml",
    ),
    "inforadar.errors": (
        "InfoRadarError",
        "NotFoundError",
    ),
    "inforadar.model.article": ("Article",),
    "inforadar.model.feed": (
        "Feed",
        "FeedKind",
    ),
    "inforadar.model.item": ("Item",),
    "inforadar.model.progress": ("Progress",),
    "inforadar.model.sitemap": (
        "IncrementalResult",
        "SiteState",
        "SitemapEntry",
    ),
    "inforadar.model.subscription": ("FeedChanges",),
    "inforadar.stages.discover.sitemap.filter": (
        "apply_rss_filters",
        "sort_entries_by_date",
    ),
    "inforadar.store.sitemaps.state_file": ("DatabaseCorrupted",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "Article",
    "DatabaseCorrupted",
    "Feed",
    "FeedChanges",
    "FeedFetcherService",
    "FeedKind",
    "FetcherConfig",
    "IncrementalResult",
    "IncrementalStateManager",
    "InfoRadarError",
    "Item",
    "NotFoundError",
    "Progress",
    "SiteState",
    "SitemapEntry",
    "SitemapListing",
    "apply_rss_filters",
    "canonical_fetcher_run_once",
    "create_rss_items",
    "fetch_sitemap",
    "generate_rss_xml",
    "read_sitemap",
    "sort_entries_by_date",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
