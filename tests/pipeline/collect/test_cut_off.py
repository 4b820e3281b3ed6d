"""Documents that end too early, through the worker: nothing that is missing stays missing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from inforadar.app.worker import open_worker
from inforadar.config import load_settings
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.http import Outcome
from inforadar.model.sitemap import UrlState
from inforadar.pipeline.collect.sitemap import site_name_of
from inforadar.pipeline.worker import Stage, Worker
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.feeds.queries import load_feed
from inforadar.store.items.queries import list_items
from tests.store.making import count_urls
from tests.support.site.documents import Entry, rss
from tests.support.site.server import Site

FEED = "/feed.xml"
SITEMAP = "/sitemap.xml"


@pytest.fixture
async def worker(tmp_path: Path, site: Site, database: Database) -> AsyncIterator[Worker]:
    settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0},
        sitemap={"fetch_titles": False},
    )
    async with open_worker(settings, database, stages=frozenset({Stage.COLLECT})) as running:
        yield running


def serve(site: Site, path: str, text: str) -> str:
    """Serve half or all of a document under the same ETag, as a server does that was interrupted."""
    return site.feed(path, text, etag='"same"', content_type="application/xml")


def feed_text(site: Site, *titles: str) -> str:
    return rss([Entry(url=site.url(f"/articles/{title}"), title=title) for title in titles])


def sitemap_text(site: Site, *names: str) -> str:
    entries = "".join(f"<url><loc>{site.url(f'/{name}')}</loc></url>" for name in names)
    return (
        f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    )


async def collect(database: Database, worker: Worker, url: str, kind: FeedKind | None = None) -> Feed:
    feed, _ = await database.write(insert_feed, url, kind=kind, enabled=True, polling=True)
    await database.write(request_feed, feed.id)
    await worker.collecting.claim_and_collect()
    return await database.read(load_feed, feed.id)


async def titles(database: Database) -> set[str | None]:
    return {item.title for item in await database.read(list_items)}


async def test_the_rest_of_a_feed_that_was_cut_off_comes_with_the_next_fetch(
    site: Site, database: Database, worker: Worker
) -> None:
    whole = feed_text(site, "Первая", "第二", "ثالثة")
    url = serve(site, FEED, whole[: whole.index("ثالثة") + 3])
    feed = await collect(database, worker, url)
    assert (feed.last_fetch_status, feed.validators.etag) == (Outcome.SUCCESS, None)
    assert await titles(database) == {"Первая", "第二"}

    serve(site, FEED, whole)
    feed = await collect(database, worker, url)
    assert await titles(database) == {"Первая", "第二", "ثالثة"}
    assert feed.validators.etag == '"same"'
    assert [request.headers.get("if-none-match") for request in site.requests_for(FEED)] == [None, None]


async def test_validators_of_an_earlier_answer_are_forgotten_too(
    site: Site, database: Database, worker: Worker
) -> None:
    url = serve(site, FEED, feed_text(site, "Первая"))
    assert (await collect(database, worker, url)).validators.etag == '"same"'
    text = feed_text(site, "Новая", "Первая").replace("</channel></rss>", "")
    site.feed(FEED, text, etag='"new"')
    assert (await collect(database, worker, url)).validators.etag is None
    assert await titles(database) == {"Первая", "Новая"}


async def test_a_feed_without_a_complete_entry_is_a_temporary_error(
    site: Site, database: Database, worker: Worker
) -> None:
    whole = feed_text(site, "Единственная")
    feed = await collect(database, worker, serve(site, FEED, whole[: whole.index("</item>")]))
    assert feed.last_fetch_status is Outcome.TEMPORARY_ERROR
    assert feed.last_error == "The document was cut off before the end of its first entry."
    assert feed.next_run_at is not None
    assert await titles(database) == set()


async def test_a_sitemap_that_was_cut_off_is_read_again_and_nothing_counts_as_gone(
    site: Site, database: Database, worker: Worker
) -> None:
    whole = sitemap_text(site, "один", "два", "три")
    url = serve(site, SITEMAP, whole)
    feed = await collect(database, worker, url, FeedKind.SITEMAP)
    half = sitemap_text(site, "один", "четыре", "два")
    site.sitemap(SITEMAP, half[: half.rindex("<loc>") + 12], etag='"half"')
    await collect(database, worker, url, FeedKind.SITEMAP)
    assert await count_urls(database, site_name_of(feed)) == {UrlState.PROCESSED: 4}
    serve(site, SITEMAP, sitemap_text(site, "один", "четыре", "пять"))
    feed = await collect(database, worker, url, FeedKind.SITEMAP)
    assert feed.last_fetch_status is Outcome.SUCCESS
    assert len(await titles(database)) == 5
    sent = [request.headers.get("if-none-match") for request in site.requests_for(SITEMAP)]
    assert sent == [None, '"same"', None]


async def test_a_sitemap_without_a_complete_url_is_a_temporary_error(
    site: Site, database: Database, worker: Worker
) -> None:
    whole = sitemap_text(site, "один")
    feed = await collect(
        database, worker, serve(site, SITEMAP, whole[: whole.index("</loc>")]), FeedKind.SITEMAP
    )
    assert feed.last_fetch_status is Outcome.TEMPORARY_ERROR
    assert feed.last_error == "The sitemap was cut off before its first complete URL."
