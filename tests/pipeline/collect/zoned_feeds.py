"""Feeds of all kinds with dates that name no zone, and a worker that collects them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inforadar.actions.edit import edit_feed
from inforadar.app.worker import open_worker
from inforadar.config import FetcherSettings, Settings, load_settings
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import parse_options
from inforadar.model.subscription import FeedChanges
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.worker import Stage, Worker
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.items.queries import list_items
from tests.support.reading import read_here
from tests.support.site.answers import html
from tests.support.site.documents import rss
from tests.support.site.paged import SELECTORS
from tests.support.site.server import Site

NINE = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
BARE = "2026-11-15T12:00:00"
ROOT = "/sitemap.xml"


@pytest.fixture
def settings(tmp_path: Path, site: Site) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0},
        sitemap={"baseline_items": 2, "fetch_titles": False},
    )


@pytest.fixture
async def worker(settings: Settings, database: Database) -> AsyncIterator[Worker]:
    async with open_worker(settings, database, stages=frozenset({Stage.COLLECT})) as running:
        yield read_here(running)


async def subscribe(database: Database, url: str, kind: FeedKind | None = None, **options: Any) -> Feed:
    feed, _ = await database.write(
        insert_feed, url, kind=kind, enabled=True, polling=True, options=parse_options(options)
    )
    return feed


async def collect(database: Database, worker: Worker, feed: Feed) -> CycleResult:
    await database.write(request_feed, feed.id)
    result, _ = await worker.collecting.claim_and_collect()
    assert result.errors == {}
    return result


async def dates(database: Database) -> dict[str, datetime]:
    return {item.url.rpartition("/")[2]: item.published_at for item in await database.read(list_items)}


async def set_zone(database: Database, feed: Feed, zone: str) -> Feed:
    changes = FeedChanges(options={"timezone": zone})
    return (await edit_feed(database, FetcherSettings(), feed.id, changes)).feed


def publish(site: Site, path: str = "/feed.xml", *, etag: str = '"same"', **texts: str) -> str:
    """A feed whose items have these dates."""
    items = "".join(
        f"<item><title>{name}</title><link>{site.url(f'/news/{name}')}</link><pubDate>{text}</pubDate></item>"
        for name, text in texts.items()
    )
    return site.feed(path, rss(extra=items), etag=etag)


def publish_page(site: Site, path: str = "/latest", *, next_page: str = "", **texts: str) -> str:
    """A listing page whose items have these dates."""
    posts = "".join(
        f'<article class="post"><h2><a href="/news/{name}">{name}</a></h2><time>{text}</time></article>'
        for name, text in texts.items()
    )
    more = f'<a rel="next" href="{next_page}">Older</a>' if next_page else ""
    return site.respond(path, html(f"<html><body>{posts}{more}</body></html>"))


PAGED: dict[str, Any] = {"selectors": dict(SELECTORS), "cutoff_date": "2026-01-01", "window_days": 30}
"""Options of a feed that reads `publish_page`."""
