"""A worker whose model does not answer: everything else goes on, and a stop is a stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.schema.items import items
from tests.store.making import rows
from tests.support.llm_server import Answer, LlmServer
from tests.support.site.documents import Entry, article_page, rss
from tests.support.site.server import Site

PARAGRAPH = (
    "The harbour board of Saltmere met on Tuesday and agreed to dredge the inner basin before the winter, "
    "which will cost 2.4 million crowns and take eleven weeks according to its chair, Ilse Marn. "
)


@pytest.fixture
async def server() -> AsyncIterator[LlmServer]:
    async with LlmServer() as running:
        yield running


@pytest.fixture
def settings(tmp_path: Path, site: Site, server: LlmServer) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0},
        ai={"type": "openai", "base_url": server.base_url("openai"), "model": "tiny-1"},
    )


async def subscribe(database: Database, site: Site, name: str) -> None:
    page = site.page(f"/{name}/1", article_page(title=name, paragraphs=[PARAGRAPH] * 4))
    url = site.feed(f"/{name}.xml", rss([Entry(url=page, title=f"On {name}")]))
    feed, _ = await database.write(insert_feed, url, enabled=True, polling=True)
    await database.write(request_feed, feed.id)


async def test_a_model_that_hangs_holds_up_nothing_but_its_items(
    site: Site, server: LlmServer, database: Database, settings: Settings
) -> None:
    server.respond(Answer(never=True))
    await subscribe(database, site, "first")
    stop = asyncio.Event()
    async with open_worker(settings, database) as worker:
        working = asyncio.create_task(worker.run(stop))
        async with asyncio.timeout(60):
            await server.asked.wait()
            seen = len(site.requests)
            await subscribe(database, site, "second")
            # Feed, robots.txt or not, article: the second one is collected while the model still thinks.
            while not any(request.path == "/second/1" for request in site.requests):
                seen += 1
                await site.wait_for_requests(seen)
        stop.set()
        async with asyncio.timeout(30):
            await working
    stored = await rows(database, items)
    assert {row.title for row in stored} == {"On first", "On second"}
    assert {row.analyze_token for row in stored} == {None}, "what was under way is given back"
    assert {row.analyze_attempts for row in stored} == {0}
