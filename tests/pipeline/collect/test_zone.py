"""The time zone of a feed through the worker: dates without a zone are read in it (X8)."""

from __future__ import annotations

from inforadar.model.feed import FeedKind
from inforadar.model.http import Outcome
from inforadar.pipeline.worker import Worker
from inforadar.store.database import Database
from inforadar.store.feeds.changes import request_feed
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.feeds.queries import load_feed
from tests.pipeline.collect.zoned_feeds import (
    BARE,
    NINE,
    NOON,
    PAGED,
    ROOT,
    collect,
    dates,
    publish,
    publish_page,
    set_zone,
    settings,
    subscribe,
    worker,
)
from tests.support.site.server import Site
from tests.support.site.sitemaps import SitemapSite

__all__ = ["settings", "worker"]


async def test_dates_without_a_zone_are_stored_as_the_feeds_zone_says(
    site: Site, database: Database, worker: Worker
) -> None:
    url = publish(site, bare=BARE, zoned="Sun, 15 Nov 2026 12:00:00 GMT")
    feed = await subscribe(database, url, timezone="Europe/Moscow")
    await collect(database, worker, feed)
    assert await dates(database) == {"bare": NINE, "zoned": NOON}


async def test_so_are_those_of_sitemaps(site: Site, database: Database, worker: Worker) -> None:
    news = SitemapSite(site)
    news.publish(ROOT, "zoned", lastmod=f"{BARE}Z", pages=False)
    url = news.publish(ROOT, "bare", lastmod=BARE, pages=False)
    feed = await subscribe(database, url, FeedKind.SITEMAP, timezone="Europe/Moscow")
    await collect(database, worker, feed)
    assert await dates(database) == {"bare": NINE, "zoned": NOON}


async def test_so_are_those_of_paged_sites(site: Site, database: Database, worker: Worker) -> None:
    url = publish_page(site, bare=BARE, zoned=f"{BARE}Z")
    feed = await subscribe(database, url, FeedKind.PAGES, timezone="Europe/Moscow", **PAGED)
    await collect(database, worker, feed)
    assert await dates(database) == {"bare": NINE, "zoned": NOON}


async def test_another_zone_applies_to_new_items_and_costs_no_extra_download(
    site: Site, database: Database, worker: Worker
) -> None:
    feed = await subscribe(database, publish(site, old=BARE))
    await collect(database, worker, feed)
    await set_zone(database, feed, "Europe/Moscow")
    site.requests.clear()
    await worker.collecting.claim_and_collect()
    assert [request.headers.get("if-none-match") for request in site.requests] == ['"same"']

    publish(site, etag='"other"', old=BARE, new=BARE)
    await collect(database, worker, feed)
    assert await dates(database) == {"old": NOON, "new": NINE}


async def test_a_feed_that_an_older_version_was_about_to_read_again_is_collected_as_usual(
    site: Site, database: Database, worker: Worker
) -> None:
    feed = await subscribe(database, publish(site, one=BARE))
    await collect(database, worker, feed)
    await database.write(update_feed_options, feed.id, {"timezone": "Europe/Moscow", "dated_in": "UTC"})
    assert (await collect(database, worker, feed)).updated == 0
    assert await dates(database) == {"one": NOON}


async def test_a_zone_that_nobody_knows_is_the_feeds_lasting_error(
    site: Site, database: Database, worker: Worker
) -> None:
    feed = await subscribe(database, publish(site, one=BARE), timezone="Mars/Base")
    await database.write(request_feed, feed.id)
    await worker.collecting.claim_and_collect()
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.PERMANENT_ERROR
    assert after.last_error == "'Mars/Base' is no time zone; write it like Europe/Moscow."
