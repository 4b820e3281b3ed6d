"""A worker that reads a very large feed does not keep the memory that reading it took."""

from __future__ import annotations

from pathlib import Path

import psutil
import pytest

from inforadar.app.worker import open_worker
from inforadar.config import load_settings
from inforadar.pipeline import freed_memory
from inforadar.pipeline.worker import Stage
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.items.queries import list_items
from tests.support.site.server import Site

ENTRIES = 60_000
MAX_GROWTH_MB = 20
"""The tree of the document takes about 40."""


@pytest.mark.skipif(
    not hasattr(__import__("ctypes").CDLL(None), "malloc_trim"), reason="only glibc can return what is free"
)
async def test_memory_is_returned_after_a_large_feed(site: Site, database: Database, tmp_path: Path) -> None:
    items = "".join(
        f"<item><title>{number}</title><link>/{number}</link></item>" for number in range(ENTRIES)
    )
    text = f"<rss version='2.0'><channel><title>Large</title>{items}</channel></rss>"
    assert len(text) > freed_memory.LARGE_DOCUMENT_BYTES
    settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0, "max_body_size_mb": 16}
    )
    process = psutil.Process()
    async with open_worker(settings, database, stages=frozenset({Stage.COLLECT})) as worker:

        async def collect(url: str) -> int:
            feed, _ = await database.write(insert_feed, url, enabled=True, polling=True)
            await database.write(request_feed, feed.id)
            await worker.collecting.claim_and_collect()
            return process.memory_info().rss

        before = await collect(site.feed("/small.xml", text[: text.index("<item>")] + "</channel></rss>"))
        after = await collect(site.feed("/large.xml", text))
    assert len(await database.read(list_items)) > 0
    assert (after - before) / 2**20 < MAX_GROWTH_MB
