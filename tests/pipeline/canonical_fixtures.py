"""What the tests of the canonical stage share: settings that reach the site, workers, and looks at Redis."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.model.feed import Feed
from inforadar.pipeline.worker import ALL_STAGES, Worker
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from tests.support.site.documents import Entry, article_page, rss
from tests.support.site.server import Site

Open = Callable[..., AbstractAsyncContextManager[Worker]]
PARAGRAPH = (
    "The harbour board of Saltmere met on Tuesday and agreed to dredge the inner basin before the winter, "
    "which will cost 2.4 million crowns and take eleven weeks according to its chair, Ilse Marn. "
)


@pytest.fixture
def settings(tmp_path: Path, site: Site) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        fetcher={
            "allowed_networks": tuple(site.endpoints),
            "domain_delay": 0,
            "request_timeout": 5,
            "job_timeout": 6,
        },
        canonical={"timeout": 5},
    )


@pytest.fixture
def worker(settings: Settings, database: Database) -> Open:
    """`worker(redis={"url": …})` opens one with other settings."""

    @asynccontextmanager
    async def opened(*, listener: Any = None, **sections: Any) -> AsyncIterator[Worker]:
        changed = settings.replaced(**sections)
        async with open_worker(changed, database, stages=ALL_STAGES, listener=listener) as running:
            yield running

    return opened


def article(site: Site, number: int, *, text: str = PARAGRAPH) -> str:
    """A page with an article; returns its URL."""
    return site.page(
        f"/articles/{number}", article_page(title=f"Story {number}", paragraphs=[f"{text} {number}."] * 4)
    )


async def list_urls(site: Site, database: Database, urls: list[str], *, topic: str = "general") -> Feed:
    """A feed of these URLs, asked for."""
    url = site.feed(f"/{topic}.xml", rss([Entry(url=one, title=f"Story {one[-1]}") for one in urls]))
    feed, _ = await database.write(insert_feed, url, enabled=True, polling=True, topic=topic)
    await database.write(request_feed, feed.id)
    return feed
