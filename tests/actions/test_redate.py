"""Correcting stored dates after a change of a feed's time zone: exactly those that the former zone explains (X8)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime

import pytest
from sqlalchemy import update

from inforadar.actions.redate import Redated, Redater
from inforadar.app.lookups import open_redater
from inforadar.config import Settings
from inforadar.errors import InfoRadarError, UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.sitemap import UrlState
from inforadar.model.zone import DateCorrection
from inforadar.pipeline.worker import Worker
from inforadar.store.database import Database
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.items.queries import list_items, load_item_changes
from inforadar.store.items.redate import redate_feed
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.sitemaps import url_states
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
from tests.store.making import count, count_urls, reload, rows, set_feed
from tests.support.site.answers import status
from tests.support.site.server import Site
from tests.support.site.sitemaps import SitemapSite

__all__ = ["settings", "worker"]

MOSCOW = "Europe/Moscow"


@pytest.fixture
async def redater(settings: Settings, database: Database) -> AsyncIterator[Redater]:
    async with open_redater(settings, database) as opened:
        yield opened


def redated(corrected: int, listed: int, zone: str = MOSCOW) -> Redated:
    return Redated(corrected=corrected, listed=listed, former="UTC", zone=zone)


async def lastmods(database: Database) -> dict[str, datetime]:
    return {row.url.rpartition("/")[2]: row.lastmod for row in await rows(database, url_states)}


async def test_dates_of_a_feed_are_corrected_once_and_the_change_is_recorded(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    feed = await subscribe(database, publish(site, bare=BARE, zoned=f"{BARE}Z"))
    await collect(database, worker, feed)
    assert await dates(database) == {"bare": NOON, "zoned": NOON}

    feed = await set_zone(database, feed, MOSCOW)
    site.requests.clear()
    assert await redater.redate(feed, "UTC") == redated(1, 2)
    assert [request.headers.get("if-none-match") for request in site.requests] == [None]
    assert await dates(database) == {"bare": NINE, "zoned": NOON}
    (item,) = [item for item in await database.read(list_items) if item.url.endswith("bare")]
    ((_, fields),) = await database.read(load_item_changes, item.id)
    assert fields == {"published_at": [NOON.isoformat(), NINE.isoformat()]}

    assert await redater.redate(feed, "UTC") == redated(0, 2)
    assert await dates(database) == {"bare": NINE, "zoned": NOON}
    assert await count(database, item_changes) == 1

    feed = await set_zone(database, feed, "")
    assert (await redater.redate(feed, MOSCOW)).corrected == 1
    assert await dates(database) == {"bare": NOON, "zoned": NOON}


async def test_nothing_but_dates_is_saved(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    feed = await subscribe(database, publish(site, one=BARE))
    await collect(database, worker, feed)
    feed = await set_zone(database, feed, MOSCOW)
    publish(site, etag='"other"', one=BARE, two=BARE)
    before = await reload(database, feed)
    assert await redater.redate(feed, "UTC") == redated(1, 2)
    assert await dates(database) == {"one": NINE}
    assert await reload(database, feed) == before


async def test_a_corrected_feed_is_published_again(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    feed = await subscribe(database, publish(site, one=BARE))
    await collect(database, worker, feed)
    feed = await set_zone(database, feed, MOSCOW)
    for is_due in (True, False):
        await database.write(lambda c: c.execute(update(feed_schedules).values(build_at=None)))
        await redater.redate(feed, "UTC")
        (schedule,) = await rows(database, feed_schedules)
        assert (schedule.build_at is not None) is is_due


async def test_dates_that_the_site_changed_and_items_that_it_no_longer_lists_stay(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    feed = await subscribe(database, publish(site, moved=BARE, gone=BARE, same=BARE))
    await collect(database, worker, feed)
    publish(site, moved="2026-11-15T14:00:00", same=BARE)
    feed = await set_zone(database, feed, MOSCOW)
    assert await redater.redate(feed, "UTC") == redated(1, 2)
    assert await dates(database) == {"moved": NOON, "gone": NOON, "same": NINE}


async def test_the_items_of_other_feeds_stay(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    feed = await subscribe(database, publish(site, one=BARE))
    other = await subscribe(database, publish(site, "/other.xml", one=BARE))
    await collect(database, worker, feed)
    await collect(database, worker, other)
    assert await count(database, items) == 2
    await redater.redate(await set_zone(database, feed, MOSCOW), "UTC")
    found = {row.feed_id: row.pub_date for row in await rows(database, items)}
    assert found == {feed.id: NINE, other.id: NOON}


async def test_a_date_that_changed_meanwhile_stays(site: Site, database: Database, worker: Worker) -> None:
    feed = await subscribe(database, publish(site, one=BARE))
    await collect(database, worker, feed)
    late = DateCorrection(site.url("/news/one"), NINE, NINE.replace(hour=6))
    assert await database.write(redate_feed, feed.id, [late], at=NOON) == 0
    assert await dates(database) == {"one": NOON}


@pytest.mark.parametrize("zone", [MOSCOW, "America/New_York"], ids=["east", "west"])
async def test_dates_of_a_sitemap_are_corrected_and_its_pages_do_not_count_as_changed(
    site: Site, database: Database, worker: Worker, redater: Redater, zone: str
) -> None:
    hour = {MOSCOW: 9, "America/New_York": 17}[zone]
    news = SitemapSite(site)
    news.publish("/a.xml", "old", lastmod="2026-11-13T12:00:00", pages=False)
    news.publish("/a.xml", "zoned", lastmod=f"{BARE}Z", pages=False)
    news.publish("/a.xml", "bare", lastmod=BARE, pages=False)
    feed = await subscribe(database, news.index(ROOT, a=BARE), FeedKind.SITEMAP)
    await collect(database, worker, feed)
    assert await dates(database) == {"bare": NOON, "zoned": NOON}

    feed = await set_zone(database, feed, zone)
    assert await redater.redate(feed, "UTC") == redated(2, 3, zone)
    corrected = NOON.replace(hour=hour)
    assert await dates(database) == {"bare": corrected, "zoned": NOON}
    assert await lastmods(database) == {"old": corrected.replace(day=13), "bare": corrected, "zoned": NOON}
    assert await count_urls(database, str(feed.id)) == {UrlState.PROCESSED: 3}
    assert await redater.redate(feed, "UTC") == redated(0, 3, zone)

    news.publish("/a.xml", "new", lastmod="2026-11-15T13:00:00", pages=False)
    news.index(ROOT, a="2026-11-15T13:00:00")
    result = await collect(database, worker, feed)
    assert (result.added, result.updated) == (1, 0)


async def test_if_a_file_of_a_sitemap_fails_for_now_nothing_is_changed_but_a_missing_one_is_left_out(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    news = SitemapSite(site)
    news.publish("/a.xml", "one", lastmod=BARE, pages=False)
    news.publish("/b.xml", "two", lastmod=BARE, pages=False)
    feed = await subscribe(database, news.index(ROOT, a=None, b=None), FeedKind.SITEMAP)
    await collect(database, worker, feed)
    feed = await set_zone(database, feed, MOSCOW)

    site.respond("/b.xml", status(503))
    with pytest.raises(InfoRadarError, match="503"):
        await redater.redate(feed, "UTC")
    assert await dates(database) == {"one": NOON, "two": NOON}
    assert await lastmods(database) == {"one": NOON, "two": NOON}

    site.respond("/b.xml", status(404))
    assert await redater.redate(feed, "UTC") == redated(1, 1)
    assert await dates(database) == {"one": NINE, "two": NOON}


async def test_a_url_in_several_files_of_a_sitemap_is_corrected_once(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    news = SitemapSite(site)
    news.publish("/a.xml", "one", lastmod=BARE, pages=False)
    news.publish("/b.xml", "one", lastmod="2026-11-15T15:00:00", pages=False)
    feed = await subscribe(database, news.index(ROOT, a=None, b=None), FeedKind.SITEMAP)
    await collect(database, worker, feed)
    assert await lastmods(database) == {"one": NOON.replace(hour=15)}
    feed = await set_zone(database, feed, MOSCOW)
    assert await redater.redate(feed, "UTC") == redated(1, 1)
    assert await redater.redate(feed, "UTC") == redated(0, 1)
    assert await lastmods(database) == {"one": NOON}


async def test_dates_of_a_paged_site_are_corrected_as_far_as_its_window_goes(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    url = publish_page(site, next_page="/2", one="2026-11-15 12:00", zoned=f"{BARE}Z")
    publish_page(site, "/2", next_page="/3", two="2026-03-15 12:00")
    publish_page(site, "/3", three="2026-02-15 12:00")
    feed = await subscribe(database, url, FeedKind.PAGES, **PAGED)
    await collect(database, worker, feed)
    march, february = NOON.replace(month=3), NOON.replace(month=2)
    assert await dates(database) == {"one": NOON, "zoned": NOON, "two": march, "three": february}

    feed = await set_zone(database, feed, MOSCOW)
    site.requests.clear()
    assert await redater.redate(feed, "UTC") == redated(2, 3)
    assert [one.path for one in site.requests if one.path != "/robots.txt"] == ["/latest", "/2"]
    corrected = {"one": NINE, "zoned": NOON, "two": march.replace(hour=9), "three": february}
    assert await dates(database) == corrected
    assert await redater.redate(feed, "UTC") == redated(0, 3)

    await set_zone(database, feed, "")
    site.respond("/2", status(503))
    with pytest.raises(InfoRadarError, match="503"):
        await redater.redate(await reload(database, feed), MOSCOW)
    assert await dates(database) == corrected


async def test_a_listing_that_cannot_be_fetched_or_read_is_an_error_and_changes_nothing(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    feed = await subscribe(database, publish(site, one=BARE))
    await collect(database, worker, feed)
    feed = await set_zone(database, feed, MOSCOW)
    site.respond("/feed.xml", status(503))
    with pytest.raises(InfoRadarError, match="503"):
        await redater.redate(feed, "UTC")
    site.page("/feed.xml", "<html><body>Closed</body></html>")
    with pytest.raises(InfoRadarError):
        await redater.redate(feed, "UTC")
    assert await dates(database) == {"one": NOON}


async def test_the_feeds_credentials_are_sent(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    feed = await subscribe(database, publish(site, one=BARE))
    await collect(database, worker, feed)
    await database.write(save_credentials, feed.id, {"X-Key": "k"})
    site.requests.clear()
    await redater.redate(await set_zone(database, feed, MOSCOW), "UTC")
    assert [request.headers.get("x-key") for request in site.requests] == ["k"]


async def test_what_makes_no_sense_is_refused_without_a_request(
    site: Site, database: Database, worker: Worker, redater: Redater
) -> None:
    feed = await subscribe(database, publish(site, one=BARE), timezone=MOSCOW)

    async def refuses(feed: Feed, former: str, why: str) -> None:
        with pytest.raises(UsageError, match=why):
            await redater.redate(feed, former)

    await refuses(feed, "UTC", "has not been fetched yet")
    await collect(database, worker, feed)
    site.requests.clear()
    feed = await reload(database, feed)
    await refuses(feed, "Mars/Base", "is no time zone")
    await refuses(feed, MOSCOW, "already read in Europe/Moscow")
    await set_feed(database, feed, enabled=False)
    await refuses(await reload(database, feed), "UTC", "is disabled")
    assert site.requests == []
