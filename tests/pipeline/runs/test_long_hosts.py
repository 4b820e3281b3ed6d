"""Host names of thousands of letters, which no index of PostgreSQL takes: refused where they come in, and what an
earlier version stored of them ends as its own failure."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from random import Random
from string import ascii_lowercase, digits
from typing import Any

import pytest
import redis as plain

from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.model.article import FailureCode
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.model.http import Outcome
from inforadar.pipeline.worker import Worker
from inforadar.store.articles.enqueue import request_article
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.feeds.changes import request_feed
from inforadar.store.items.queries import list_items
from inforadar.store.schema.hosts import hosts
from inforadar.urls import host_key, uid
from tests.store.making import add_feed, reload, rows, set_feed
from tests.support.reading import read_here
from tests.support.site.documents import Entry, article_page, rss
from tests.support.site.paged import SELECTORS
from tests.support.site.server import Site

Open = Callable[..., AbstractAsyncContextManager[Worker]]
SENTENCE = "its host name is longer than 253 characters."


def _long_host() -> str:
    """PostgreSQL would squeeze what repeats itself."""
    dice = Random(1)
    return ".".join("".join(dice.choices(ascii_lowercase + digits, k=60)) for _ in range(80)) + ".com"


LONG = f"https://{_long_host()}"


@pytest.fixture
def worker(tmp_path: Path, site: Site, database: Database) -> Open:
    settings: Settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0.01}
    )

    @asynccontextmanager
    async def opened(**sections: Any) -> AsyncIterator[Worker]:
        async with open_worker(settings.replaced(**sections), database) as running:
            yield read_here(running)

    return opened


async def subscribe(database: Database, url: str = "https://example.com/feed", **columns: Any) -> Feed:
    feed = await add_feed(database, url, **columns)
    await database.write(request_feed, feed.id)
    return feed


async def add_article(database: Database, url: str) -> None:
    await database.write(request_article, uid(url), url, "general")


@pytest.mark.parametrize("kind", [None, *FeedKind])
async def test_a_feed_of_such_a_host_fails_alone(
    site: Site, database: Database, worker: Open, kind: FeedKind | None
) -> None:
    fine = await subscribe(database, site.feed("/feed.xml", rss([Entry(url=site.url("/1"))])))
    long = await subscribe(database, kind=kind, options=FeedOptions(selectors=dict(SELECTORS)))
    await set_feed(database, long, url=f"{LONG}/feed")
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.fetched, result.added) == (2, 1)
    assert (await reload(database, fine)).last_fetch_status is Outcome.SUCCESS
    after = await reload(database, long)
    assert after.last_fetch_status is Outcome.PERMANENT_ERROR
    assert after.last_error is not None
    assert after.last_error.endswith(SENTENCE)
    assert after.next_run_at is None


async def test_an_article_of_such_a_host_fails_alone(site: Site, database: Database, worker: Open) -> None:
    fine = site.page(
        "/1", article_page(title="Fine", paragraphs=["All is well in the harbour today. " * 9] * 4)
    )
    await add_article(database, f"{LONG}/story")
    await add_article(database, fine)
    async with worker() as running:
        endings = await running.canonicalizer.run_to_the_end()
    assert endings == {"success": 1, FailureCode.HTTP.value: 1}
    article = await database.read(load_article, uid(f"{LONG}/story"))
    assert article is not None
    assert article.failure is not None
    assert article.failure.detail.endswith(SENTENCE)
    assert {row.host for row in await rows(database, hosts)} == {host_key(fine)}


async def test_a_redirect_to_such_a_host_is_not_followed(
    site: Site, database: Database, worker: Open
) -> None:
    feed = await subscribe(database, site.redirect("/feed.xml", f"{LONG}/feed", 301))
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert result.fetched == 1
    after = await reload(database, feed)
    assert (after.url, after.last_fetch_status) == (feed.url, Outcome.PERMANENT_ERROR)
    assert after.last_error == "127.0.0.1 redirects to something that is not a valid http or https URL."


async def test_an_entry_with_such_a_link_is_kept_as_one_without_a_link(
    site: Site, database: Database, worker: Open
) -> None:
    listed = [Entry(url=f"{LONG}/story", title="Long"), Entry(url=site.url("/1"), title="Fine")]
    await subscribe(database, site.feed("/feed.xml", rss(listed)), enforce_feed_domain=False)
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.added, result.errors) == (2, {})
    found = {item.title: item.url for item in await database.read(list_items)}
    assert found["Fine"] == site.url("/1")
    assert "Long" in found
    assert LONG not in found["Long"]


async def test_one_from_the_inbox_is_not_taken_in(
    site: Site, database: Database, worker: Open, redis_url: str
) -> None:
    fine = site.page("/1", "<p>short</p>")
    with plain.Redis.from_url(redis_url) as client:
        client.sadd("rss:category_links:news", f"{LONG}/story", fine)
    async with worker(redis={"url": redis_url}) as running:
        endings = await running.canonicalizer.run_to_the_end()
    assert endings == {FailureCode.BAD_HTML.value: 1}
    assert await database.read(load_article, uid(f"{LONG}/story")) is None
