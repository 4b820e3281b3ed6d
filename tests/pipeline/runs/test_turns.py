"""A host's turn that is far away ends the one job that needs it: nothing else waits, and the host is not asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inforadar.actions.discover import NothingFoundError
from inforadar.actions.refresh import refresh_article
from inforadar.app.lookups import open_discovery
from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.errors import UsageError
from inforadar.fetch.pace import MAX_LONG_DELAY_WAIT_S
from inforadar.model.article import FailureCode
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.model.http import Outcome
from inforadar.pipeline.worker import Worker
from inforadar.store.articles.enqueue import request_article
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.feeds.queries import load_feed
from inforadar.store.hosts.queries import StoredRobots, load_pauses
from inforadar.store.hosts.save import pause_host, save_robots
from inforadar.store.schema.articles import articles
from inforadar.urls import host_key, uid
from tests.store.making import rows
from tests.support.reading import read_here
from tests.support.site.answers import Answer
from tests.support.site.documents import Entry, rss, sitemap, sitemap_index
from tests.support.site.paged import SELECTORS, PagedSite
from tests.support.site.server import Site

Open = Callable[..., AbstractAsyncContextManager[Worker]]
OURS, QUIET, OTHER = "127.0.0.1", "127.0.0.2", "127.0.0.3"
TWO_DAYS_S = 2 * 86400.0
LONG_S = MAX_LONG_DELAY_WAIT_S + 300.0
SENTENCE = f"{QUIET} is on hold for another 48 hours."


@pytest.fixture
def settings(tmp_path: Path, site: Site) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0.05}
    )


@pytest.fixture
def worker(settings: Settings, database: Database) -> Open:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Worker]:
        # Whatever waits for a turn that is days away waits longer than this.
        async with open_worker(settings, database) as running, asyncio.timeout(60):
            yield read_here(running)

    return opened


@pytest.fixture
async def quiet(site: Site, database: Database) -> str:
    """A host that asked for two days of quiet."""
    host = host_key(site.url("/", QUIET))
    await database.write(pause_host, host, TWO_DAYS_S, "Too many requests.")
    return host


async def subscribe(database: Database, url: str, **columns: Any) -> Feed:
    feed, _ = await database.write(insert_feed, url, enabled=True, polling=True, **columns)
    await database.write(request_feed, feed.id)
    return feed


async def ask_for_long_delays(site: Site, database: Database) -> None:
    """What robots.txt says is known: the first turn goes to what the job came for."""
    said = StoredRobots(
        access="rules", text=f"User-agent: *\nCrawl-delay: {LONG_S:g}\n", at=datetime.now(UTC)
    )
    await database.write(save_robots, host_key(site.url("/")), said, LONG_S)


def seconds_until(moment: datetime | None) -> float:
    assert moment is not None
    return (moment - datetime.now(UTC)).total_seconds()


async def test_a_redirect_to_a_host_that_asked_for_quiet_holds_up_no_other_feed(
    site: Site, database: Database, worker: Open, quiet: str
) -> None:
    feed = await subscribe(database, site.redirect("/feed.xml", site.url("/new.xml", QUIET), 302))
    other = site.feed("/other.xml", rss([Entry(url=site.url("/1", OTHER))]), host=OTHER)
    await subscribe(database, other)
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.fetched, result.added, result.errors) == (2, 1, {feed.url: SENTENCE})
    after = await database.read(load_feed, feed.id)
    assert (after.last_fetch_status, after.last_error) == (Outcome.TEMPORARY_ERROR, SENTENCE)
    assert TWO_DAYS_S - 60 < seconds_until(after.next_run_at) <= TWO_DAYS_S
    assert {request.host for request in site.requests} == {OURS, OTHER}
    assert set(await database.read(load_pauses)) == {quiet}


async def test_a_redirect_is_followed_when_the_quiet_is_over(
    site: Site, database: Database, worker: Open
) -> None:
    feed = await subscribe(database, site.redirect("/feed.xml", site.url("/new.xml", QUIET), 302))
    site.feed("/new.xml", rss([Entry(url=site.url("/1"))]), host=QUIET)
    await database.write(pause_host, host_key(site.url("/", QUIET)), 0.2, "Too many requests.")
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.fetched, result.added, result.errors) == (1, 1, {})
    assert (await database.read(load_feed, feed.id)).failures == 0


@pytest.mark.usefixtures("quiet")
async def test_an_article_that_is_redirected_to_such_a_host_comes_back_when_its_turn_is_there(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.redirect("/articles/1", site.url("/moved/1", QUIET), 302)
    await database.write(request_article, uid(url), url, "general")
    async with worker() as running:
        endings = await running.canonicalizer.run_to_the_end()
    assert endings == {FailureCode.HTTP.value: 1}
    article = await database.read(load_article, uid(url))
    assert article is not None
    assert article.failure is not None
    assert article.failure.detail == SENTENCE
    (row,) = await rows(database, articles)
    assert TWO_DAYS_S - 60 < seconds_until(row.next_attempt_at) <= TWO_DAYS_S
    assert QUIET not in {request.host for request in site.requests}


@pytest.mark.usefixtures("quiet")
async def test_an_article_whose_robots_txt_is_there_waits_for_it_too(
    site: Site, database: Database, worker: Open
) -> None:
    site.redirect("/robots.txt", site.url("/robots.txt", QUIET), 302)
    url = site.page("/articles/1", "never asked for")
    await database.write(request_article, uid(url), url, "general")
    async with worker() as running:
        await running.canonicalizer.run_to_the_end()
    (row,) = await rows(database, articles)
    assert TWO_DAYS_S - 60 < seconds_until(row.next_attempt_at) <= TWO_DAYS_S
    assert [request.path for request in site.requests] == ["/robots.txt"]


async def test_a_walk_on_a_site_that_asks_for_long_delays_ends_and_comes_again(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(12)
    await ask_for_long_delays(site, database)
    feed = await subscribe(
        database, paged.url, kind=FeedKind.PAGES, options=FeedOptions(selectors=dict(SELECTORS))
    )
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.added, paged.asked) == (5, ["1"])
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.TEMPORARY_ERROR
    assert after.last_error == f"The walk ended at page 2. {OURS} is on hold for another 10 minutes."
    assert seconds_until(after.next_run_at) > LONG_S - 60


async def test_so_does_one_that_has_to_ask_for_robots_txt_first(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(12)
    site.respond("/robots.txt", Answer(body=f"User-agent: *\nCrawl-delay: {LONG_S:g}\n".encode()))
    feed = await subscribe(
        database, paged.url, kind=FeedKind.PAGES, options=FeedOptions(selectors=dict(SELECTORS))
    )
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert [request.path for request in site.requests] == ["/robots.txt"]
    after = await database.read(load_feed, feed.id)
    assert after.last_error == f"{OURS} is on hold for another 10 minutes."
    assert seconds_until(after.next_run_at) > LONG_S - 60


async def test_the_files_of_a_sitemap_wait_for_a_later_run(
    site: Site, database: Database, worker: Open
) -> None:
    children = [site.url(f"/part-{number}.xml") for number in range(3)]
    url = site.feed("/sitemap.xml", sitemap_index(children), content_type="application/xml")
    await ask_for_long_delays(site, database)
    feed = await subscribe(database, url, kind=FeedKind.SITEMAP)
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert [request.path for request in site.requests] == ["/sitemap.xml"]
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.TEMPORARY_ERROR
    assert after.last_error == f"{OURS} is on hold for another 10 minutes."
    assert seconds_until(after.next_run_at) > LONG_S - 60


async def test_pages_that_a_sitemap_needs_the_titles_of_are_left_to_the_queue(
    site: Site, database: Database, worker: Open
) -> None:
    pages = [site.url(f"/page-{number}") for number in range(3)]
    listed = sitemap([(page, None) for page in pages])
    await ask_for_long_delays(site, database)
    url = site.feed("/sitemap.xml", listed, content_type="application/xml")
    feed = await subscribe(database, url, kind=FeedKind.SITEMAP)
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert [request.path for request in site.requests] == ["/sitemap.xml"]
    assert (await database.read(load_feed, feed.id)).last_fetch_status is Outcome.SUCCESS
    queued = await rows(database, articles)
    assert {row.url for row in queued} == set(pages)
    assert all(row.locked_until is None for row in queued)
    assert all(LONG_S - 60 < seconds_until(row.next_attempt_at) <= LONG_S for row in queued)


async def test_whoever_asks_for_a_page_of_such_a_host_is_told_so_at_once(
    site: Site, database: Database, worker: Open, settings: Settings, quiet: str
) -> None:
    url = site.page("/1", "never asked for", host=QUIET)
    await database.write(request_article, uid(url), url, "general")
    async with worker() as running:
        await running.collecting.pacer.refresh()
        with pytest.raises(UsageError, match=r"127\.0\.0\.2 is on hold for another 48 hours"):
            await refresh_article(running.canonicalizer, uid(url))
    async with open_discovery(settings, database) as discovery, asyncio.timeout(60):
        with pytest.raises(NothingFoundError, match="on hold for another 48 hours"):
            await discovery.discover(url)
    assert site.requests == []
    (row,) = await rows(database, articles)
    assert row.locked_until is None
