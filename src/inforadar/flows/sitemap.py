"""The flow "Incremental Sitemap to RSS" of seed 4: each step is a task, and each task one function of the pipeline.

    fetch sitemap ──► detect changes ──► fetch titles ──► publish

A run that fails anywhere is retried as a whole: recorded changes stay recorded, and unpublished ones stay pending.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.logging import get_run_logger

from inforadar.clock import utc_now
from inforadar.config import load_settings
from inforadar.embed.sitemap_rss import SitemapListing, read_sitemap
from inforadar.embed.sitemap_run import (
    Detected,
    FoundTitles,
    IncrementalConfig,
    SitemapRss,
    detect_changes,
    everything,
    find_titles,
    publish_changes,
)
from inforadar.embed.sitemap_visit import open_sitemap_visit
from inforadar.model.sitemap import SitemapEntry
from inforadar.stages.discover.sitemap.filter import apply_rss_filters

NAME = "Incremental Sitemap to RSS"
RETRIES = 2
RETRY_DELAY_S = 30
_TASK: dict[str, Any] = {"cache_policy": NO_CACHE, "persist_result": False}
"""Tasks pass on tens of thousands of entries, which Prefect must neither hash nor store."""


@task(name="Fetch sitemap", **_TASK)
async def fetch_sitemap_task(
    sitemap_url: str, filter_config: Mapping[str, Any] | None, any_host: bool
) -> SitemapListing:
    settings = load_settings()
    async with open_sitemap_visit(settings) as visit:
        listing = await read_sitemap(
            sitemap_url,
            visit.fetch,
            any_host=any_host,
            max_bytes=int(settings.sitemap.max_file_size_mb * 2**20),
        )
    if not listing.is_whole:
        get_run_logger().warning(
            "Some files of the sitemap could not be read; the state of their pages is unchanged."
        )
    return replace(listing, entries=apply_rss_filters(listing.entries, filter_config))


@task(name="Detect changes", **_TASK)
async def detect_changes_task(
    site_name: str, sitemap_url: str, listing: SitemapListing, config: IncrementalConfig, max_items: int
) -> Detected:
    """Compare the sitemap with the state file; a damaged file is moved aside, and this run is in full mode."""
    detected = await detect_changes(
        site_name, sitemap_url, listing.entries, config, max_items, is_whole=listing.is_whole
    )
    if detected.is_full:
        get_run_logger().warning(
            "The state file was damaged and has been moved aside; this run is in full mode."
        )
    return detected


@task(name="Fetch titles", **_TASK)
async def fetch_titles_task(
    entries: dict[str, SitemapEntry], todo: tuple[str, ...], fetch_titles: bool
) -> FoundTitles:
    async with open_sitemap_visit(load_settings()) as visit:
        return await find_titles(entries, todo, visit.title_of if fetch_titles else None, visit.known_titles)


@task(name="Publish", **_TASK)
async def publish_task(
    site_name: str,
    sitemap_url: str,
    entries: dict[str, SitemapEntry],
    detected: Detected,
    **given: Any,
) -> SitemapRss:
    async with open_sitemap_visit(load_settings()) as visit:
        return await publish_changes(
            site_name,
            sitemap_url,
            entries,
            detected,
            known=visit.known_titles,
            now=utc_now(),
            **given,
        )


@flow(name=NAME, retries=RETRIES, retry_delay_seconds=RETRY_DELAY_S, persist_result=False)
async def incremental_sitemap_to_rss_flow(  # noqa: PLR0917 - the seed's signature
    sitemap_url: str,
    site_name: str,
    channel_config: dict[str, Any],
    enable_incremental: bool = True,
    max_items: int = 50,
    fetch_titles: bool = True,
    incremental_config: dict[str, Any] | None = None,
    filter_config: dict[str, Any] | None = None,
    any_host: bool = False,
    output_path: str | None = None,
) -> SitemapRss:
    """Make the RSS of a sitemap. `enable_incremental=False` is full mode: always the newest pages, and no state.

    The document is returned, and written to `output_path` if that is set.
    """
    config = IncrementalConfig.parse(incremental_config) if enable_incremental else None
    listing = await fetch_sitemap_task(sitemap_url, filter_config, any_host)
    if config is None:
        detected = everything(listing.entries, max_items)
    else:
        detected = await detect_changes_task(site_name, sitemap_url, listing, config, max_items)
    entries = {entry.url: entry for entry in listing.entries}
    titles = await fetch_titles_task(entries, detected.todo, fetch_titles)
    result = await publish_task(
        site_name,
        sitemap_url,
        entries,
        detected,
        titles=titles,
        channel=channel_config,
        config=config,
        max_items=max_items,
    )
    if output_path:
        _write(Path(output_path), result.xml)
    return result


def _write(path: Path, xml: str) -> None:
    """Replace the file atomically, so that readers get the old document or the new one, never half of it."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_text(xml, encoding="utf-8")
    partial.replace(path)
