"""The Python API that the seeds name, used as an embedding program would."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from inforadar.config import Settings, load_settings
from inforadar.errors import ConfigError, NotFoundError
from inforadar.model.article import ArticleStatus
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId, new_uuid
from inforadar.public import FeedChanges, FeedFetcherService, FetcherConfig
from inforadar.store.database import Database, open_database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.feeds.queries import load_feed
from inforadar.store.items.queries import list_items
from tests.support.site.documents import entries, rss
from tests.support.site.server import Site


@pytest.fixture
def settings(tmp_path: Path, site: Site) -> Settings:
    return load_settings(tmp_path, {}).replaced(fetcher={"allowed_networks": tuple(site.endpoints)})


async def subscribed(database: Database, site: Site) -> FeedId:
    url = site.feed("/feed.xml", rss(entries(3, base=site.url("/articles"))))
    feed, _ = await database.write(insert_feed, url, enabled=True, polling=True)
    return feed.id


def test_the_config_has_the_nine_fields_and_defaults_of_the_seed() -> None:
    config = FetcherConfig()
    assert (config.fetch_interval, config.success_interval, config.worker_count) == (300, 3600, 10)
    assert (config.batch_size, config.domain_delay, config.max_articles_per_feed) == (1000, 3, 100)
    assert (config.job_timeout, config.request_timeout) == (45, 30)
    assert config.max_response_body_size == 2 * 1024 * 1024


async def test_process_feeds_takes_what_is_due_or_asked_for(
    database: Database, database_url: str, site: Site, settings: Settings
) -> None:
    feed_id = await subscribed(database, site)
    async with FeedFetcherService(database_url, settings=settings) as service:
        assert (await service.process_feeds()).fetched == 0
        await database.write(request_feed, feed_id)
        result = await service.process_feeds()
    assert (result.fetched, result.added) == (1, 3)


async def test_a_feed_is_added_and_edited_from_python(
    database: Database, database_url: str, site: Site, settings: Settings
) -> None:
    url = site.feed("/feed.xml", rss(entries(3, base=site.url("/articles"))))
    async with FeedFetcherService(database_url, FetcherConfig(domain_delay=0), settings=settings) as service:
        feed_id = await service.add_feed(site.url("/wrong.xml"), topic="мир")
        feed = await database.read(load_feed, feed_id)
        assert (feed.enabled, feed.polling, feed.topic, feed.enforce_feed_domain) == (True, True, "мир", True)
        assert (await service.process_feeds()).fetched == 1
        assert (await database.read(load_feed, feed_id)).next_run_at is None
        await service.edit_feed(feed_id, FeedChanges(url=url))
        result = await service.process_feeds()
    assert (result.fetched, result.added) == (1, 3)
    assert (await database.read(load_feed, feed_id)).url == url


async def test_feeds_are_listed_deleted_and_restored_without_a_block(
    database: Database, database_url: str, site: Site, settings: Settings
) -> None:
    feed_id = await subscribed(database, site)
    service = FeedFetcherService(database_url, FetcherConfig(domain_delay=0), settings=settings)
    try:
        assert [feed.id for feed in await service.list_feeds()] == [feed_id]
        await service.delete_feed(str(feed_id))
        assert await service.list_feeds() == []
        await service.restore_feed(feed_id)
        await service.fetch_feed_now(str(feed_id))
        while not (items := await service.list_items(limit=2)):
            await asyncio.sleep(0)
        article = await service.read_article(items[0].url)
        assert article is not None
        assert article.status is ArticleStatus.NOT_FETCHED
        for wrong in ("", "42", str(new_uuid())):
            with pytest.raises(NotFoundError):
                await service.delete_feed(wrong)
    finally:
        await service.close()
    assert len(await service.list_feeds()) == 1, "it is opened again by what is called next"
    await service.close()


async def test_fetch_feed_now_returns_at_once_and_goes_on_in_the_background(
    database: Database, database_url: str, site: Site, settings: Settings
) -> None:
    feed_id = await subscribed(database, site)
    async with FeedFetcherService(database_url, settings=settings) as service:
        await service.fetch_feed_now(feed_id)
        await site.wait_for_requests(1)
        while (await database.read(load_feed, feed_id)).last_fetch_status is None:
            await asyncio.sleep(0)
        with pytest.raises(NotFoundError):
            await service.fetch_feed_now(FeedId(new_uuid()))
    assert len(await database.read(list_items)) == 3
    assert (await database.read(load_feed, feed_id)).requested_at is None


async def test_fetch_feed_now_fetches_each_of_several_feeds_of_one_host(
    database: Database, database_url: str, site: Site, settings: Settings
) -> None:
    ids = []
    for number in range(3):
        url = site.feed(f"/{number}.xml", rss(entries(1, base=site.url(f"/articles/{number}"))))
        feed, _ = await database.write(insert_feed, url, enabled=True, polling=True)
        ids.append(feed.id)
    config = FetcherConfig(domain_delay=0.2)
    async with FeedFetcherService(database_url, config, settings=settings) as service:
        for feed_id in ids:
            await service.fetch_feed_now(feed_id)
        await site.wait_for_requests(3)
        for feed_id in ids:
            while (await database.read(load_feed, feed_id)).last_fetch_status is None:
                await asyncio.sleep(0)
    assert sorted(request.path for request in site.requests) == ["/0.xml", "/1.xml", "/2.xml"]


async def test_start_works_until_it_is_stopped_and_hears_requests_of_other_processes(
    database: Database,
    database_url: str,
    site: Site,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    feed_id = await subscribed(database, site)
    caplog.set_level(logging.INFO, logger="inforadar")
    async with FeedFetcherService(
        database_url, FetcherConfig(fetch_interval=3600), settings=settings
    ) as service:
        running = asyncio.create_task(service.start())
        await database.write(request_feed, feed_id)
        await site.wait_for_requests(1)
        while not any(message.startswith("batch.finished") for message in caplog.messages):
            await asyncio.sleep(0)
        service.stop()
        async with asyncio.timeout(30):
            await running
    assert (await database.read(load_feed, feed_id)).last_fetch_status is Outcome.SUCCESS
    events = [record.message.split()[0] for record in caplog.records if record.name == "inforadar"]
    assert events[0] == "worker.started"
    assert events[-1] == "worker.stopped"
    assert {"batch.started", "feed.fetched", "batch.finished"} <= set(events)


async def test_a_job_timeout_under_the_request_timeout_is_refused(
    database_url: str, settings: Settings
) -> None:
    with pytest.raises(ConfigError, match="must exceed"):
        FeedFetcherService(database_url, FetcherConfig(job_timeout=10), settings=settings)


async def test_it_sets_up_an_empty_database(empty_database_url: str, settings: Settings) -> None:
    async with FeedFetcherService(empty_database_url, settings=settings) as service:
        assert (await service.process_feeds()).fetched == 0
    async with open_database(empty_database_url) as database:
        assert await database.read(list_items) == []
