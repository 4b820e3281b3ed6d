"""Paged sites through the worker: over a real site, at its pace, part by part."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import parse_options
from inforadar.model.http import Outcome
from inforadar.model.schedule import Lane
from inforadar.model.subscription import FeedChanges
from inforadar.pipeline.worker import Stage, Worker
from inforadar.stages.discover.pages.walk import MAX_PAGES_ELSEWHERE
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed, update_feed
from inforadar.store.feeds.edit import save_edit
from inforadar.store.feeds.options import update_feed_options
from inforadar.store.feeds.queries import load_feed
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.items.queries import list_items
from inforadar.store.leases import claim_due_feeds
from inforadar.store.runs.queries import load_report
from inforadar.store.types import db_now
from inforadar.urls import origin
from tests.store.making import expire_lease, set_schedule
from tests.support.reading import read_here
from tests.support.site.answers import Answer, SiteRequest, html, status
from tests.support.site.documents import Entry, rss
from tests.support.site.paged import SELECTORS, PagedSite
from tests.support.site.server import Site

Open = Callable[..., AbstractAsyncContextManager[Worker]]


@pytest.fixture
def worker(tmp_path: Path, site: Site, database: Database) -> Open:
    settings: Settings = load_settings(tmp_path, {}).replaced(
        fetcher={
            "allowed_networks": tuple(site.endpoints),
            "domain_delay": 0,
            "request_timeout": 5,
            "job_timeout": 6,
        }
    )

    @asynccontextmanager
    async def opened(*, in_pool: bool = False, **fetcher: Any) -> AsyncIterator[Worker]:
        changed = settings.replaced(fetcher=fetcher)
        async with open_worker(changed, database, stages=frozenset({Stage.COLLECT})) as running:
            yield running if in_pool else read_here(running)

    return opened


async def subscribe(database: Database, url: str, **options: Any) -> Feed:
    feed, _ = await database.write(
        insert_feed,
        url,
        kind=FeedKind.PAGES,
        enabled=True,
        polling=True,
        options=parse_options({"selectors": dict(SELECTORS), **options}),
    )
    await database.write(request_feed, feed.id)
    return feed


async def titles(database: Database) -> set[str | None]:
    return {item.title for item in await database.read(list_items, limit=1000)}


async def test_a_paged_site_is_walked_to_the_end_of_its_listing(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(12)
    feed = await subscribe(database, paged.url)
    async with worker(in_pool=True) as running:
        result, run_id = await running.collecting.claim_and_collect()
    assert (result.fetched, result.added, result.errors) == (1, 12, {})
    assert paged.asked == ["1", "2", "3"]
    after = await database.read(load_feed, feed.id)
    assert (after.last_fetch_status, after.last_error) == (Outcome.SUCCESS, None)
    assert after.next_run_at is not None
    assert after.walked_at is not None
    assert run_id is not None
    assert (await database.read(load_report, run_id)).added_count == 12


async def test_a_paged_site_is_named_by_its_sites_title_until_a_person_names_it(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site, head="<head><title>Latest</title></head>")
    paged.publish(2)
    feed = await subscribe(database, paged.url)
    async with worker() as running:
        await running.collecting.claim_and_collect()
        first = await database.read(load_feed, feed.id)
        assert first.title == "Latest"
        assert first.site_url == f"{origin(paged.url)}/"
        await database.write(save_edit, feed.id, FeedChanges(options={"title": "Mine"}))
        await running.collecting.claim_and_collect()
    assert (await database.read(load_feed, feed.id)).title == "Mine"


async def test_robots_txt_is_asked_first_and_its_crawl_delay_kept(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(15)
    site.respond("/robots.txt", Answer(body=b"User-agent: *\nCrawl-delay: 0.3\n"))
    await subscribe(database, paged.url)
    async with worker(domain_delay=0.05) as running:
        result, _ = await running.collecting.claim_and_collect()
    assert result.added == 15
    assert [request.path for request in site.requests][:2] == ["/robots.txt", "/latest"]
    gaps = [later.at - earlier.at for earlier, later in pairwise(site.requests)]
    assert min(gaps) > 0.29


async def test_a_listing_that_robots_txt_forbids_is_not_asked_for(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(5)
    site.respond("/robots.txt", Answer(body=b"User-agent: *\nDisallow: /latest\n"))
    feed = await subscribe(database, paged.url)
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert paged.asked == []
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.PERMANENT_ERROR
    assert "asks us to stay away" in (after.last_error or "")


async def test_a_listing_that_leads_to_where_robots_txt_forbids_is_not_followed(
    site: Site, database: Database, worker: Open
) -> None:
    away = PagedSite(site, host=site.hosts[1])
    away.publish(5)
    site.respond("/robots.txt", Answer(body=b"User-agent: *\nDisallow: /latest\n"), host=site.hosts[1])
    feed = await subscribe(database, site.redirect("/first", away.url, 302))
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert away.asked == []
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.TEMPORARY_ERROR, "it may lead elsewhere tomorrow"
    assert after.next_run_at is not None
    assert after.last_error == f"The robots.txt of {site.hosts[1]} asks us to stay away from {away.url}."


async def test_polling_goes_down_to_the_cutoff_until_a_walk_has_ended_and_then_to_the_window(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(40, step=timedelta(days=1))
    feed = await subscribe(database, paged.url, cutoff_date="2020-01-01")
    async with worker(window_days=10) as running:
        await running.collecting.claim_and_collect()
        assert len(paged.asked) == 8
        await database.write(request_feed, feed.id)
        await running.collecting.claim_and_collect()
        # 10 days are two pages, and the one behind them shows nothing new.
        assert paged.asked[8:] == ["1", "2", "3"]
        await database.write(update_feed_options, feed.id, {"cutoff_date": "2019-01-01"})
        await database.write(request_feed, feed.id)
        await running.collecting.claim_and_collect()
    assert len(paged.asked[11:]) == 8


async def test_a_page_error_keeps_what_came_before_and_the_next_walk_goes_to_the_cutoff(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(20)
    site.respond("/latest?page=3", status(500))
    feed = await subscribe(database, paged.url)
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
        after = await database.read(load_feed, feed.id)
        assert result.added == 10
        assert after.last_fetch_status is Outcome.TEMPORARY_ERROR
        assert (after.last_error or "").startswith("The walk ended at page 3.")
        assert after.walked_at is None
        site.respond("/latest?page=3", paged._answer)
        await database.write(request_feed, feed.id)
        result, _ = await running.collecting.claim_and_collect()
    assert result.added == 10
    assert len(await titles(database)) == 20


@pytest.mark.parametrize(
    ("code", "outcome"),
    [(404, Outcome.PERMANENT_ERROR), (403, Outcome.UNAUTHORIZED), (503, Outcome.TEMPORARY_ERROR)],
)
async def test_an_error_on_the_first_page_is_the_feeds(
    site: Site, database: Database, worker: Open, code: int, outcome: Outcome
) -> None:
    feed = await subscribe(database, site.respond("/latest", status(code)))
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert (await database.read(load_feed, feed.id)).last_fetch_status is outcome


async def test_a_feed_without_selectors_or_reader_says_what_to_do(
    site: Site, database: Database, worker: Open
) -> None:
    feed = await subscribe(database, site.page("/latest", "<p>hello</p>"), selectors=None)
    async with worker() as running:
        await running.collecting.claim_and_collect()
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.PERMANENT_ERROR
    assert "feed edit --selectors" in (after.last_error or "")
    assert site.requests_for("/latest") == []


async def test_a_walk_whose_lease_was_lost_writes_nothing_more(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(20)
    feed = await subscribe(database, paged.url)
    stolen: list[Any] = []

    def steal(request: Any) -> Answer:
        stolen.append(request)
        return paged._answer(request)

    site.respond("/latest?page=3", steal)
    async with worker() as running:
        page_reader = running.collecting.collectors[FeedKind.PAGES].read  # type: ignore[attr-defined]

        async def slow(*args: Any) -> Any:
            page = await page_reader(*args)
            if stolen:
                await expire_lease(database, feed)
                await database.write(claim_due_feeds, 1)
            return page

        object.__setattr__(running.collecting.collectors[FeedKind.PAGES], "read", slow)
        result, _ = await running.collecting.claim_and_collect()
    assert (result.lost, result.added) == (1, 10)
    assert paged.asked == ["1", "2", "3"]
    assert len(await titles(database)) == 10
    assert (await database.read(load_feed, feed.id)).last_fetch_status is None


async def test_a_long_walk_does_not_hold_up_feeds(site: Site, database: Database, worker: Open) -> None:
    feed, _ = await database.write(
        insert_feed,
        site.feed(
            "/feed.xml",
            rss([Entry(url=site.url("/articles/1"))]),
        ),
        enabled=True,
        polling=True,
    )
    paged = PagedSite(site)
    paged.publish(5)
    pages = await subscribe(database, paged.url)
    await database.write(request_feed, feed.id)
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect([Lane.FEEDS])
        assert (result.fetched, result.added) == (1, 1)
        assert paged.asked == []
        # A feed that becomes a paged site changes lanes.
        await database.write(update_feed, pages.id, {"kind": FeedKind.FEED})
        assert await database.write(claim_due_feeds, 5, lanes=[Lane.WALKS]) == []
        await database.write(update_feed, pages.id, {"kind": FeedKind.PAGES})
        result, _ = await running.collecting.claim_and_collect([Lane.WALKS])
    assert (result.fetched, result.added) == (1, 5)


async def test_items_without_a_date_are_skipped_and_those_below_the_cutoff_left(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site, page_size=4)
    paged.publish(6, step=timedelta(days=1))
    paged.change(1, at=None)
    cutoff = datetime.now(UTC).date() - timedelta(days=3)
    await subscribe(database, paged.url, cutoff_date=cutoff.isoformat())
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert await titles(database) == {"Post 0", "Post 2", "Post 3"}


async def test_advertisements_on_other_hosts_do_not_lengthen_a_walk(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site, advertiser="https://ads.example/")
    paged.publish(25, step=timedelta(days=1))
    feed = await subscribe(database, paged.url, window_days=7)
    async with worker() as running:
        first, _ = await running.collecting.claim_and_collect()
        assert (first.added, first.dropped, paged.asked) == (25, 5, ["1", "2", "3", "4", "5"])
        site.requests.clear()
        await database.write(request_feed, feed.id)
        second, _ = await running.collecting.claim_and_collect()
    assert (second.added, second.errors) == (0, {})
    assert paged.asked == ["1", "2", "3"]


async def test_a_page_of_known_items_and_an_advertisement_is_no_failure(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site, advertiser="https://ads.example/")
    paged.publish(5, newest=datetime.now(UTC) - timedelta(days=10))
    feed = await subscribe(database, paged.url, window_days=1)
    async with worker() as running:
        await running.collecting.claim_and_collect()
        await database.write(request_feed, feed.id)
        again, _ = await running.collecting.claim_and_collect()
    assert (again.fetched, again.errors) == (1, {})


async def test_pages_with_items_on_other_hosts_alone_do_not_end_a_walk_before_their_number_does(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site)
    paged.publish(1)
    own, now = paged.listing(1), datetime.now(UTC).isoformat()

    def page(request: SiteRequest) -> Answer:
        number = int(request.target.partition("page=")[2] or "1")
        link = f"<h2><a href='https://ads.example/{number}'>廣告</a></h2>"
        foreign = f"<article class=post>{link}<time datetime='{now}'></time></article>"
        later = own.replace("/posts/0", "/posts/later")
        rows = {1: own, 3: later}.get(number, foreign)
        return html(f"<html><body>{rows}<a rel=next href='/latest?page={number + 1}'>more</a></body></html>")

    site.respond("/latest", page)
    await subscribe(database, paged.url)
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.added, result.errors) == (2, {})
    assert paged.asked == [str(number) for number in range(1, 3 + MAX_PAGES_ELSEWHERE + 1)]


async def test_walks_go_on_without_a_pause_while_any_are_due(
    site: Site, database: Database, worker: Open
) -> None:
    stop = asyncio.Event()
    for number in range(20):
        feed = await subscribe(database, site.page(f"/{number}", "<html><body>空</body></html>"))
        # Due by its schedule, not asked for: a request would wake the worker by itself.
        await set_schedule(database, feed, next_run_at=db_now(), requested_at=None)
    async with worker(interval=3600, workers=1) as running:
        working = asyncio.create_task(running.run(stop))
        await site.wait_for_requests(20)
        while len(asked := {request.path for request in site.requests} - {"/robots.txt"}) < 20:
            await site.wait_for_requests(len(site.requests) + 1)
        stop.set()
        await working
    assert asked == {f"/{number}" for number in range(20)}


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("cutoff_date", "soon", "The option cutoff_date cannot be used: 'soon'."),
        ("window_days", 10**12, "not a valid number of days"),
        ("window_days", "many", "The option window_days cannot be used: 'many'."),
    ],
)
async def test_an_option_that_cannot_be_read_is_that_feeds_error_alone(
    site: Site, database: Database, worker: Open, option: str, value: object, said: str
) -> None:
    paged = PagedSite(site)
    paged.publish(2)
    feed = await subscribe(database, paged.url, **{option: value})
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert result.fetched == 1
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.PERMANENT_ERROR
    assert said in (after.last_error or "")
    assert paged.asked == []


def authorizations(site: Site) -> dict[str, str | None]:
    """What each page was asked with, robots.txt aside."""
    return {
        request.target: request.headers.get("authorization")
        for request in site.requests
        if request.path != "/robots.txt"
    }


async def test_pages_elsewhere_are_asked_for_without_the_feeds_credentials(
    site: Site, database: Database, worker: Open
) -> None:
    paged = PagedSite(site, page_size=2)
    paged.publish(6)
    async with Site(hosts=site.hosts[:1]) as other_port:
        first = site.page("/first", f"{paged.listing(1)}<a rel=next href='{other_port.url('/p2')}'>older</a>")
        other_port.page("/p2", f"{paged.listing(2)}<a rel=next href='{other_port.url('/p3')}'>older</a>")
        other_port.page("/p3", paged.listing(3))
        feed = await subscribe(database, first)
        await database.write(save_credentials, feed.id, {"Authorization": "Basic c2VjcmV0"})
        async with worker(allowed_networks=(*site.endpoints, *other_port.endpoints)) as running:
            result, _ = await running.collecting.claim_and_collect()
    assert result.errors == {}
    assert authorizations(site) == {"/first": "Basic c2VjcmV0"}
    assert authorizations(other_port) == {"/p2": None, "/p3": None}


async def test_a_listing_that_is_elsewhere_for_now_learns_no_credentials(
    site: Site, database: Database, worker: Open
) -> None:
    away = PagedSite(site, host=site.hosts[1])
    away.publish(10)
    feed = await subscribe(database, site.redirect("/first", away.url, 302))
    await database.write(update_feed, feed.id, {"enforce_feed_domain": False})
    await database.write(save_credentials, feed.id, {"Authorization": "Basic c2VjcmV0"})
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert away.asked == ["1", "2"]
    assert authorizations(site) == {"/first": "Basic c2VjcmV0", "/latest": None, "/latest?page=2": None}
