"""The time zone of a feed through the worker: what is stored, and that a change of it shows (X8)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from inforadar.actions.edit import edit_feed
from inforadar.app.worker import open_worker
from inforadar.config import FetcherSettings, load_settings
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import parse_options
from inforadar.model.http import Outcome
from inforadar.model.ids import FeedId
from inforadar.model.subscription import FeedChanges
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.worker import Stage, Worker
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.feeds.queries import load_feed
from inforadar.store.items.queries import list_items, load_item_changes
from tests.store.making import collect
from tests.support.reading import read_here
from tests.support.site.answers import html, status
from tests.support.site.documents import rss
from tests.support.site.paged import SELECTORS
from tests.support.site.server import Site
from tests.support.site.sitemaps import SitemapSite

NINE = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
ROOT = "/sitemap.xml"


@pytest.fixture
async def worker(tmp_path: Path, site: Site, database: Database) -> AsyncIterator[Worker]:
    settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0},
        sitemap={"baseline_items": 2, "fetch_titles": False},
    )
    async with open_worker(settings, database, stages=frozenset({Stage.COLLECT})) as running:
        yield read_here(running)


async def subscribe(database: Database, url: str, kind: FeedKind | None = None, **options: Any) -> Feed:
    feed, _ = await database.write(
        insert_feed, url, kind=kind, enabled=True, polling=True, options=parse_options(options)
    )
    return feed


async def run(database: Database, worker: Worker, feed: Feed) -> CycleResult:
    await database.write(request_feed, feed.id)
    result, _ = await worker.collecting.claim_and_collect()
    assert result.errors == {}
    return result


async def dates(database: Database) -> dict[str, datetime]:
    return {item.url.rpartition("/")[2]: item.published_at for item in await database.read(list_items)}


async def set_zone(database: Database, feed: Feed, zone: str) -> None:
    changes = FeedChanges(options={"timezone": zone})
    await edit_feed(database, FetcherSettings(), feed.id, changes)


async def options(database: Database, feed_id: FeedId) -> dict[str, Any]:
    return (await database.read(load_feed, feed_id)).options.to_json()


def publish(site: Site, **texts: str) -> str:
    """A feed whose items have these dates, and an ETag that stays."""
    items = "".join(
        f"<item><title>{name}</title><link>{site.url(f'/news/{name}')}</link><pubDate>{text}</pubDate></item>"
        for name, text in texts.items()
    )
    return site.feed("/feed.xml", rss(extra=items), etag='"same"')


async def test_dates_without_a_zone_are_stored_as_the_feeds_zone_says(
    site: Site, database: Database, worker: Worker
) -> None:
    url = publish(site, bare="2026-11-15T12:00:00", zoned="Sun, 15 Nov 2026 12:00:00 GMT")
    feed = await subscribe(database, url, timezone="Europe/Moscow")
    await run(database, worker, feed)
    assert await dates(database) == {"bare": NINE, "zoned": NOON}


async def test_another_zone_shows_at_the_next_fetch_though_the_document_stays(
    site: Site, database: Database, worker: Worker
) -> None:
    url = publish(site, bare="2026-11-15T12:00:00", zoned="2026-11-15T12:00:00Z")
    feed = await subscribe(database, url)
    await run(database, worker, feed)
    assert await dates(database) == {"bare": NOON, "zoned": NOON}

    await set_zone(database, feed, "Europe/Moscow")
    assert await options(database, feed.id) == {"timezone": "Europe/Moscow", "dated_in": "UTC"}
    result, _ = await worker.collecting.claim_and_collect()
    assert (result.added, result.updated) == (0, 1)
    assert await dates(database) == {"bare": NINE, "zoned": NOON}
    assert await options(database, feed.id) == {"timezone": "Europe/Moscow"}
    (item,) = [item for item in await database.read(list_items) if item.url.endswith("bare")]
    ((_, fields),) = await database.read(load_item_changes, item.id)
    assert fields == {"published_at": [NOON.isoformat(), NINE.isoformat()]}

    site.requests.clear()
    assert (await run(database, worker, feed)).updated == 0
    assert [request.headers.get("if-none-match") for request in site.requests] == ['"same"']

    await set_zone(database, feed, "")
    await worker.collecting.claim_and_collect()
    assert await dates(database) == {"bare": NOON, "zoned": NOON}
    assert await options(database, feed.id) == {}


async def test_a_date_that_its_publisher_moved_stays_when_the_zone_changes(
    site: Site, database: Database, worker: Worker
) -> None:
    feed = await subscribe(database, publish(site, one="2026-11-15T12:00:00"))
    await run(database, worker, feed)
    publish(site, one="2026-11-15T14:00:00")
    await set_zone(database, feed, "Europe/Moscow")
    await worker.collecting.claim_and_collect()
    assert await dates(database) == {"one": NOON}


async def test_a_fetch_that_fails_leaves_the_change_to_the_next_one(
    site: Site, database: Database, worker: Worker
) -> None:
    feed = await subscribe(database, publish(site, one="2026-11-15T12:00:00"))
    await run(database, worker, feed)
    await set_zone(database, feed, "Europe/Moscow")
    site.respond("/feed.xml", status(503))
    await worker.collecting.claim_and_collect()
    assert (await options(database, feed.id))["dated_in"] == "UTC"
    publish(site, one="2026-11-15T12:00:00")
    await run(database, worker, feed)
    assert await dates(database) == {"one": NINE}


async def test_the_zone_of_the_stored_dates_is_known_through_any_number_of_changes(
    database: Database,
) -> None:
    feed = await subscribe(database, "https://news.example/feed")
    for name, dated_in in (("Asia/Tokyo", "UTC"), ("Europe/Moscow", "UTC"), (None, None)):
        await database.write(update_feed_options, feed.id, {"timezone": name})
        assert (await options(database, feed.id)).get("dated_in") == dated_in
    # What a job read in Tokyo's, and saves after the zone was changed once more, is in Tokyo's.
    await database.write(update_feed_options, feed.id, {"timezone": "Europe/Moscow"})
    await collect(database, feed, dated_in="Asia/Tokyo")
    assert await options(database, feed.id) == {"timezone": "Europe/Moscow", "dated_in": "Asia/Tokyo"}
    await collect(database, feed)
    assert "dated_in" in await options(database, feed.id), "nothing was read"
    await collect(database, feed, dated_in="Europe/Moscow")
    assert await options(database, feed.id) == {"timezone": "Europe/Moscow"}


async def test_a_feed_that_comes_back_with_another_zone_has_its_dates_read_again(database: Database) -> None:
    feed = await subscribe(database, "https://news.example/feed", timezone="Asia/Tokyo")
    await database.write(delete_feed, feed.id, NOON)
    again = await subscribe(database, feed.url, timezone="Europe/Moscow")
    assert again.options.to_json() == {"timezone": "Europe/Moscow", "dated_in": "Asia/Tokyo"}
    await database.write(delete_feed, feed.id, NOON)
    kept = await subscribe(database, feed.url)
    assert kept.options == again.options, "nobody said another"
    await database.write(delete_feed, feed.id, NOON)
    back = await subscribe(database, feed.url, timezone="Asia/Tokyo")
    assert back.options.to_json() == {"timezone": "Asia/Tokyo"}


async def test_a_zone_that_nobody_knows_is_the_feeds_lasting_error(
    site: Site, database: Database, worker: Worker
) -> None:
    feed = await subscribe(database, publish(site, one="2026-11-15T12:00:00"), timezone="Mars/Base")
    await database.write(request_feed, feed.id)
    await worker.collecting.claim_and_collect()
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.PERMANENT_ERROR
    assert after.last_error == "'Mars/Base' is no time zone; write it like Europe/Moscow."


@pytest.mark.parametrize(
    ("zone", "hour"), [("Europe/Moscow", 9), ("America/New_York", 17)], ids=["east", "west"]
)
async def test_a_sitemap_is_read_in_another_zone_without_taking_its_pages_for_changed(
    site: Site, database: Database, worker: Worker, zone: str, hour: int
) -> None:
    news = SitemapSite(site)
    news.publish("/a.xml", "old", lastmod="2026-11-13T12:00:00", pages=False)
    news.publish("/a.xml", "zoned", lastmod="2026-11-15T12:00:00Z", pages=False)
    news.publish("/a.xml", "bare", lastmod="2026-11-15T12:00:00", pages=False)
    url = news.index(ROOT, a="2026-11-15T12:00:00")
    feed = await subscribe(database, url, FeedKind.SITEMAP)
    await run(database, worker, feed)
    assert await dates(database) == {"bare": NOON, "zoned": NOON}

    await set_zone(database, feed, zone)
    news.asked()
    result, _ = await worker.collecting.claim_and_collect()
    assert (result.errors, result.added, result.updated) == ({}, 0, 1)
    assert [path for path in news.asked() if path.endswith(".xml")] == [ROOT, "/a.xml"]
    assert await dates(database) == {"bare": NOON.replace(hour=hour), "zoned": NOON}
    assert await options(database, feed.id) == {"timezone": zone}

    result = await run(database, worker, feed)
    assert (result.added, result.updated) == (0, 0)
    assert [path for path in news.asked() if path.endswith(".xml")] == [ROOT]


async def test_a_sitemaps_file_that_is_missing_for_now_leaves_the_change_to_the_next_run(
    site: Site, database: Database, worker: Worker
) -> None:
    news = SitemapSite(site)
    news.publish("/a.xml", "bare", lastmod="2026-11-15T12:00:00", pages=False)
    news.publish("/b.xml", "other", lastmod="2026-11-15T12:00:00", pages=False)
    feed = await subscribe(database, news.index(ROOT, a=None, b=None), FeedKind.SITEMAP)
    await run(database, worker, feed)
    await set_zone(database, feed, "America/New_York")
    site.respond("/a.xml", status(503))
    result, _ = await worker.collecting.claim_and_collect()
    assert (result.errors, result.updated) == ({}, 1)
    assert (await options(database, feed.id))["dated_in"] == "UTC"
    news.serve("/a.xml")
    assert (await run(database, worker, feed)).updated == 1
    assert await dates(database) == dict.fromkeys(("bare", "other"), NOON.replace(hour=17))
    assert "dated_in" not in await options(database, feed.id)


async def test_a_paged_site_is_read_in_another_zone(site: Site, database: Database, worker: Worker) -> None:
    post = '<article class="post"><h2><a href="/news/one">One</a></h2><time>2026-11-15 12:00</time></article>'
    url = site.respond("/latest", html(f"<html><body>{post}</body></html>"))
    given = {"selectors": dict(SELECTORS), "cutoff_date": "2026-01-01", "window_days": 0}
    feed = await subscribe(database, url, FeedKind.PAGES, **given)
    await run(database, worker, feed)
    assert await dates(database) == {"one": NOON}
    await set_zone(database, feed, "Europe/Moscow")
    await worker.collecting.claim_and_collect()
    assert await dates(database) == {"one": NINE}
    assert "dated_in" not in await options(database, feed.id)
