"""Incremental RSS from a sitemap, with its state in a separate file: seed 4's flow as functions, without Prefect.

    read_sitemap | filters | detect | titles of new pages | mark | RSS of the last N

The document contains the last N published pages, not only this run's (ruling 12), and has the date of the newest one.
If nothing is new, it is byte for byte the same (E8).
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import structlog

from inforadar.embed.site_states import IncrementalStateManager
from inforadar.embed.sitemap_rss import create_rss_items, generate_rss_xml
from inforadar.errors import UsageError
from inforadar.model.sitemap import SitemapEntry, TitleOrigin
from inforadar.pipeline.collect.page_titles import Missing, Title
from inforadar.stages.discover.sitemap.filter import sort_entries_by_date
from inforadar.store.sitemaps.state_file import DatabaseCorrupted

DB_PATH_VARIABLE = "RSS_INCREMENTAL_DB"

log = structlog.get_logger()

TitleOf = Callable[[str], Awaitable[Title | Missing]]
"""Fetches a page for its title."""
KnownTitles = Callable[[Sequence[str]], Awaitable[dict[str, str]]]


def _default_path() -> str:
    return os.environ.get(DB_PATH_VARIABLE) or "rss_incremental.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncrementalConfig:
    """The `incremental_config` of seed 4."""

    db_path: str = field(default_factory=_default_path)
    """A file or a database URL; the default is the value of RSS_INCREMENTAL_DB."""
    max_history_days: float = 30
    baseline_items: int = 10
    cleanup_interval_days: float = 7
    retry_failed_urls: bool = True

    @classmethod
    def parse(cls, given: Mapping[str, Any] | None) -> IncrementalConfig:
        known = {one.name for one in fields(cls)}
        if unknown := sorted(set(given or {}) - known):
            raise UsageError(f"incremental_config has no {unknown[0]!r}; it has {', '.join(sorted(known))}.")
        return cls(**dict(given or {}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """The URLs that a run has to process."""

    todo: tuple[str, ...]
    skipped: int
    is_full: bool = False
    """Full mode, without a state: the newest URLs, whether they were published before or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapRss:
    """The result of a run."""

    xml: str
    items: int
    processed: tuple[str, ...]
    failed: tuple[str, ...]
    skipped: int
    titles_from: Mapping[str, str]
    """{URL: "sitemap", "page" or "slug"} of the processed pages."""
    is_full: bool


async def detect_changes(
    site_name: str,
    sitemap_url: str,
    entries: Sequence[SitemapEntry],
    config: IncrementalConfig,
    max_items: int,
    *,
    is_whole: bool = True,
) -> Detected:
    """Return the URLs that are new, changed or still open. If the state is damaged, it is moved aside for full mode.

    In full mode all other URLs are recorded as seen in the new state, so that the next run is incremental again.
    """
    manager = IncrementalStateManager(config.db_path)
    detect = partial(
        _detect,
        manager,
        site_name=site_name,
        sitemap_url=sitemap_url,
        entries=entries,
        config=config,
        is_whole=is_whole,
    )
    try:
        return await detect(baseline_items=config.baseline_items)
    except DatabaseCorrupted as fault:
        log.warning("sitemap.full_mode", site=site_name, reason=str(fault))
        found = await detect(baseline_items=max_items)
        return Detected(todo=found.todo, skipped=found.skipped, is_full=True)


async def _detect(
    manager: IncrementalStateManager,
    *,
    site_name: str,
    sitemap_url: str,
    entries: Sequence[SitemapEntry],
    config: IncrementalConfig,
    baseline_items: int,
    is_whole: bool,
) -> Detected:
    result = await manager.detect(
        site_name,
        entries,
        sitemap_url=sitemap_url,
        baseline_items=baseline_items,
        retry_failed=config.retry_failed_urls,
        is_whole=is_whole,
    )
    return Detected(todo=(*result.new_urls, *result.pending_urls), skipped=len(result.skipped_urls))


def everything(entries: Sequence[SitemapEntry], max_items: int) -> Detected:
    """Full mode: the newest URLs, without a state."""
    newest = sort_entries_by_date(entries, max_items=max_items)
    return Detected(
        todo=tuple(entry.url for entry in newest), skipped=len(entries) - len(newest), is_full=True
    )


class FoundTitles(NamedTuple):
    """The titles of pages, and the pages that have none for now."""

    titles: dict[str, str]
    failed: list[str]
    """They could not be fetched."""
    busy: list[str]
    """They were not asked for: their host's turn is too far away, or another process is fetching them."""


async def find_titles(
    entries: Mapping[str, SitemapEntry], todo: Sequence[str], title_of: TitleOf | None, known: KnownTitles
) -> FoundTitles:
    """Find titles for pages whose sitemap gives none. Without `title_of` no page is fetched."""
    untitled = [url for url in todo if not ((entry := entries.get(url)) and entry.title)]
    titles = await known(untitled)
    failed: list[str] = []
    busy: list[str] = []
    for url in untitled:
        if url in titles or title_of is None:
            continue
        match await title_of(url):
            case Title(text=text, origin=TitleOrigin.PAGE):
                titles[url] = text
            case Missing.FAILED:
                failed.append(url)
            case Missing.BUSY:
                busy.append(url)
            case Title():
                continue
    return FoundTitles(titles, failed, busy)


async def publish_changes(
    site_name: str,
    sitemap_url: str,
    entries: Mapping[str, SitemapEntry],
    detected: Detected,
    *,
    titles: FoundTitles,
    channel: Mapping[str, Any],
    config: IncrementalConfig | None,
    max_items: int,
    known: KnownTitles,
    now: datetime,
) -> SitemapRss:
    """Mark what was processed and render the pages published last; without a config, only this run's.

    Pages that are busy stay open for the next run.
    """
    failed = titles.failed
    left_out = {*failed, *titles.busy}
    done = [url for url in detected.todo if url not in left_out]
    newest = now
    if config is None:
        shown = [entries[url] for url in done]
    else:
        manager = IncrementalStateManager(config.db_path)
        await manager.mark_urls_processed(site_name, done)
        await manager.mark_urls_processed(site_name, failed, success=False)
        await manager.cleanup_if_due(
            site_name, days_to_keep=config.max_history_days, every_days=config.cleanup_interval_days
        )
        published = await manager.load_published(site_name, max_items)
        shown = [
            entries[url] if url in entries else SitemapEntry(url, lastmod) for url, lastmod, _ in published
        ]
        # Pages without a date get the time they were published; the document has the newest of these times.
        first_seen = {url: at for url, _, at in published}
        shown = [entry if entry.date else entry._replace(lastmod=first_seen[entry.url]) for entry in shown]
        newest = max(first_seen.values(), default=now)
    ordered = sort_entries_by_date(shown, max_items=max_items)
    others = await known([entry.url for entry in ordered if entry.url not in titles.titles])
    items = create_rss_items(ordered, {**others, **titles.titles}, now=now)
    origins = {item.entry.url: item.title_from.value for item in items}
    return SitemapRss(
        xml=generate_rss_xml(items, channel, sitemap_url=sitemap_url, now=newest),
        items=len(items),
        processed=tuple(done),
        failed=tuple(failed),
        skipped=detected.skipped,
        titles_from={url: origins[url] for url in done if url in origins},
        is_full=detected.is_full,
    )
