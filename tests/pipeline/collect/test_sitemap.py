"""Sitemaps through the worker: over a real site, file by file, incrementally."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, update

from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.model.article import Extracted, NotExtracted
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.model.http import Outcome
from inforadar.model.progress import Progress, ProgressKind
from inforadar.model.schedule import FinishedJob, Handover, Lane, ListingPart
from inforadar.pipeline import pool_tasks
from inforadar.pipeline.collect import sitemap_files as sitemap_walk
from inforadar.pipeline.collect.jobs import Collector, Job
from inforadar.pipeline.collect.page_titles import PageTitles
from inforadar.pipeline.collect.sitemap import SitemapCollector, site_name_of
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.worker import Stage, Worker
from inforadar.stages.canonical import extract
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed, update_feed
from inforadar.store.feeds.queries import load_feed
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.items.queries import list_items
from inforadar.store.published.cached_feeds import load_cached_feed
from inforadar.store.runs.queries import load_report
from inforadar.store.schema.articles import articles
from inforadar.store.schema.sitemaps import sitemap_files
from inforadar.store.sitemaps.queries import load_files, load_site
from inforadar.urls import normalize, uid, url_hash
from tests.store.making import claim, count_leases, count_urls, expire_lease, rows
from tests.support.site.answers import Answer, SiteRequest, hangs, status
from tests.support.site.documents import Entry, rss
from tests.support.site.server import Site, answer_conditionally
from tests.support.site.sitemaps import SitemapSite

Open = Callable[..., AbstractAsyncContextManager[Worker]]
ROOT = "/sitemap.xml"


@pytest.fixture
def worker(tmp_path: Path, site: Site, database: Database) -> Open:
    settings: Settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0}
    )

    @asynccontextmanager
    async def opened(*, allowed: Sequence[str] = (), **sitemap: Any) -> AsyncIterator[Worker]:
        changed = settings.replaced(
            sitemap=sitemap, fetcher={"allowed_networks": (*site.endpoints, *allowed)}
        )
        async with open_worker(changed, database, stages=frozenset({Stage.COLLECT})) as running:
            yield extract_here(running)

    return opened


def extract_here(running: Worker) -> Worker:
    """Pages are extracted in this process: starting another one for each test would take longer than the test."""

    async def extracted(body: bytes, url: str, content_type: str) -> Extracted | NotExtracted:
        return extract(body, url, content_type)

    sitemap = running.collecting.collectors[FeedKind.SITEMAP]
    assert isinstance(sitemap, SitemapCollector)
    titles = PageTitles(canonicalizer=replace(sitemap.titles.canonicalizer, extract=extracted))
    running.collecting.collectors = {
        **running.collecting.collectors,
        FeedKind.SITEMAP: replace(sitemap, titles=titles),
    }
    return running


@pytest.fixture
def news(site: Site) -> SitemapSite:
    return SitemapSite(site)


async def subscribe(
    database: Database, url: str, *, kind: FeedKind | None = FeedKind.SITEMAP, **columns: Any
) -> Feed:
    """A feed with a title: one without asks the front page for it."""
    given = {"title": "News", **columns}
    feed, _ = await database.write(insert_feed, url, kind=kind, enabled=True, polling=True, **given)
    return feed


async def run(database: Database, running: Worker, feed: Feed) -> CycleResult:
    await database.write(request_feed, feed.id)
    result, _ = await running.collecting.claim_and_collect()
    return result


async def names(database: Database) -> list[str]:
    """Newest first, as the feed shows them."""
    return [item.url.rpartition("/")[2] for item in await database.read(list_items, limit=1000)]


async def states(database: Database, feed: Feed) -> dict[str, int]:
    counted = await count_urls(database, site_name_of(feed))
    return {state.name.lower(): number for state, number in counted.items()}


async def test_the_first_run_takes_the_newest_and_notes_the_others_as_seen(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    for day in range(10, 28):
        url = news.publish(ROOT, f"day-{day}", lastmod=f"2026-10-{day}", title=f"Day {day}")
    feed = await subscribe(database, url)
    async with worker(baseline_items=3) as running:
        result = await run(database, running, feed)
    assert (result.added, result.errors) == (3, {})
    assert await names(database) == ["day-27", "day-26", "day-25"]
    assert await states(database, feed) == {"processed": 18}
    assert news.asked() == ["/robots.txt", ROOT]
    (newest, *_) = await database.read(list_items)
    assert (newest.title, newest.published_at) == ("Day 27", datetime(2026, 10, 27, tzinfo=UTC))


async def test_later_runs_bring_what_is_new_and_what_changed_and_nothing_else(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    news.publish(ROOT, "a", "b", lastmod="2026-10-01", title="Old")
    feed = await subscribe(database, news.publish(ROOT, "c", lastmod="2026-10-02", title="C"))
    async with worker(baseline_items=2) as running:
        await run(database, running, feed)
        before = await names(database)
        news.publish(ROOT, "новое", lastmod="2026-10-03", title="Новое 🍎")
        news.publish(ROOT, "b", "c", lastmod="2026-10-04", title="Changed")
        result = await run(database, running, feed)
        assert (len(before), result.errors) == (2, {})
        assert set(await names(database)) == {"a", "b", "c", "%D0%BD%D0%BE%D0%B2%D0%BE%D0%B5"}
        assert {*(await names(database))[:2]} == {"b", "c"}
        news.asked()
        again = await run(database, running, feed)
    assert (again.added, again.updated) == (0, 0)
    assert news.asked() == [ROOT]
    assert await states(database, feed) == {"processed": 4}


async def test_a_page_that_changed_is_published_once_more_and_the_report_says_so(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "a", lastmod="2026-10-01"))
    async with worker() as running:
        await run(database, running, feed)
        news.publish(ROOT, "a", lastmod="2026-10-05T10:00:00Z")
        await database.write(request_feed, feed.id)
        result, run_id = await running.collecting.claim_and_collect()
    assert (result.added, result.updated) == (0, 1)
    (item,) = await database.read(list_items)
    assert (item.title, item.published_at) == ("Title of a", datetime(2026, 10, 5, 10, tzinfo=UTC))
    assert run_id is not None
    report = await database.read(load_report, run_id)
    assert report.updated_articles == (item.url,)


async def test_nothing_changed_costs_one_request_and_the_published_feed_keeps_its_date(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "a", "b", title="News"))
    async with worker() as running:
        await run(database, running, feed)
        await running.builder.run_once()
        built = await database.read(load_cached_feed, feed.id)
        news.asked()
        await run(database, running, feed)
        assert await running.builder.run_once() == 0
        assert news.asked() == [ROOT]
        # A server that gives no validators sends it all again: the same bytes are not read again.
        news.serve(ROOT, etag=False)
        await run(database, running, feed)
        await running.builder.run_once()
    assert await database.read(load_cached_feed, feed.id) == built


async def test_titles_come_from_the_sitemap_else_from_the_page_else_from_the_address(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    news.publish(ROOT, "named", title="As the sitemap says")
    news.publish(ROOT, "to-be-read")
    url = news.publish(ROOT, "not-for-us")
    site.respond("/robots.txt", Answer(body=b"User-agent: *\nDisallow: /news/not-for-us\n"))
    feed = await subscribe(database, url)
    async with worker() as running:
        await run(database, running, feed)
    titles = {item.url.rpartition("/")[2]: item.title for item in await database.read(list_items)}
    assert titles == {
        "named": "As the sitemap says",
        "to-be-read": "Title of to-be-read",
        "not-for-us": "Not for us",
    }
    # The page was fetched once, and is stored as the article that it is.
    assert news.asked() == ["/robots.txt", ROOT, "/news/to-be-read"]
    article = await database.read(load_article, uid(normalize(site.url("/news/to-be-read"))))
    assert article is not None
    assert article.extracted is not None


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>Короткая новость: 新闻 🙂</title><p>Hi.</p>", "Короткая новость: 新闻 🙂"),
        (f"<html><head><meta property='og:title' content='خبر'></head><body>{'<br>' * 200}</body>", "خبر"),
        ("<html><head><title>404 Not Found</title></head><body>" + "<p>Nothing.</p>" * 20, "Thin page"),
        ("plain text, and no page at all", "Thin page"),
    ],
    ids=["a few bytes", "no text", "an error page", "no HTML"],
)
async def test_a_page_too_thin_for_an_article_still_gives_its_title(
    database: Database, site: Site, news: SitemapSite, worker: Open, page: str, title: str
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "thin-page"))
    site.page("/news/thin-page", page)
    async with worker() as running:
        await run(database, running, feed)
        # Another sitemap lists it, too: the page is not fetched again for its title.
        other = await subscribe(database, news.publish("/other.xml", "thin-page", pages=False))
        news.asked()
        await run(database, running, other)
    assert news.asked() == ["/other.xml"]
    assert [item.title for item in await database.read(list_items)] == [title, title]


async def test_files_and_pages_that_lead_to_where_robots_txt_forbids_are_not_followed(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    news.publish("/own.xml", "sent-away")
    site.redirect("/news/sent-away", "/private/page", 302)
    site.redirect("/away.xml", news.publish("/private/away.xml", "far", title="Far"), 301)
    site.respond("/robots.txt", Answer(body=b"User-agent: *\nDisallow: /private/\n"))
    feed = await subscribe(database, news.index("/index.xml", own=None, away=None))
    async with worker() as running:
        await run(database, running, feed)
    assert not [request for request in site.requests if request.path.startswith("/private/")]
    # As of a page that is forbidden itself: the site lists it for all to see.
    assert [item.title for item in await database.read(list_items)] == ["Sent away"]


async def test_beyond_so_many_pages_and_without_fetching_titles_are_out_of_addresses(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "one-a", "two-b", "three-c"))
    other = await subscribe(
        database, news.publish("/other.xml", "four-d"), options=FeedOptions(fetch_titles=False)
    )
    async with worker(max_page_titles=1) as running:
        await run(database, running, feed)
        await run(database, running, other)
    titles = {item.title for item in await database.read(list_items)}
    assert titles == {"Title of one-a", "Two b", "Three c", "Four d"}


async def test_a_page_that_cannot_be_had_is_left_for_a_later_run_and_costs_the_others_nothing(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "good", "bad", "fine"))
    site.respond("/news/bad", status(503))
    async with worker() as running:
        result = await run(database, running, feed)
        assert (result.added, result.errors) == (2, {})
        assert await states(database, feed) == {"processed": 2, "failed": 1}
        news.asked()
        # Each run tries it again until its third failure; then its own schedule says when (ruling 14): not at once.
        for _ in range(2):
            await run(database, running, feed)
            assert news.asked() == [ROOT, "/news/bad"]
        await run(database, running, feed)
        assert news.asked() == [ROOT]
        (bad,) = [one for one in await rows(database, articles) if one.url.endswith("bad")]
        assert bad.attempts == 3
        assert timedelta(hours=5) < bad.next_attempt_at - datetime.now(UTC) < timedelta(hours=7)
        news.page("bad", "Good after all")
        await make_articles_due(database)
        await run(database, running, feed)
    assert news.asked() == [ROOT, "/news/bad"]
    assert await states(database, feed) == {"processed": 3}
    assert "Good after all" in {item.title for item in await database.read(list_items)}


async def test_an_index_is_followed_and_only_what_moved_is_asked_for(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    news.publish("/a.xml", "a1", lastmod="2026-10-01", title="A")
    news.publish("/b.xml", "b1", lastmod="2026-10-01", title="B")
    news.publish("/c.xml", "c1", lastmod="2026-10-01", title="C")
    index = news.index("/index.xml", a="2026-10-01", b="2026-10-01", c=None)
    feed = await subscribe(database, index)
    async with worker() as running:
        await run(database, running, feed)
        assert sorted(await names(database)) == ["a1", "b1", "c1"]
        assert sorted(news.asked()) == ["/a.xml", "/b.xml", "/c.xml", "/index.xml", "/robots.txt"]
        # 304: what the index said still stands; only the file without a date is asked, conditionally.
        await run(database, running, feed)
        assert news.asked() == ["/index.xml", "/c.xml"]
        news.publish("/a.xml", "a2", lastmod="2026-10-02", title="A2")
        news.index("/index.xml", a="2026-10-02", b="2026-10-01", c=None)
        await run(database, running, feed)
    assert news.asked() == ["/index.xml", "/a.xml", "/c.xml"]
    assert sorted(await names(database)) == ["a1", "a2", "b1", "c1"]


@pytest.mark.parametrize(
    ("lastmod", "unsettled", "settled"),
    [
        ("2026-10-05", "2026-10-06T13:59:00Z", "2026-10-06T14:00:00Z"),
        ("2026-10-05T12:00:00+00:00", "2026-10-05T12:59:00Z", "2026-10-05T13:00:00Z"),
    ],
)
async def test_the_date_of_a_file_is_believed_only_when_no_more_can_come_under_it(
    database: Database, news: SitemapSite, worker: Open, lastmod: str, unsettled: str, settled: str
) -> None:
    news.publish("/a.xml", "a1", lastmod="2026-10-05", title="A")
    feed = await subscribe(database, news.index("/index.xml", a=lastmod))
    async with worker() as running:
        await run(database, at(running, unsettled), feed)
        news.publish("/a.xml", "a2", lastmod="2026-10-05", title="A")
        assert (await run(database, running, feed)).added == 1
        news.asked()
        # Nothing more came: a 304, and from then on not even that.
        await run(database, at(running, settled), feed)
        assert news.asked() == ["/index.xml", "/a.xml"]
        await run(database, running, feed)
    assert news.asked() == ["/index.xml"]


def at(running: Worker, moment: str) -> Worker:
    """The same worker, to whose sitemaps it is that time."""
    sitemap, now = running.collecting.collectors[FeedKind.SITEMAP], datetime.fromisoformat(moment)
    assert isinstance(sitemap, SitemapCollector)
    running.collecting.collectors = {
        **running.collecting.collectors,
        FeedKind.SITEMAP: replace(sitemap, now=lambda: now),
    }
    return running


async def test_a_file_that_could_not_be_had_is_asked_for_again_although_its_index_says_nothing_new(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    news.publish("/a.xml", "a1", lastmod="2026-10-01", title="A")
    news.publish("/b.xml", "b1", lastmod="2026-10-01", title="B")
    feed = await subscribe(database, news.index("/index.xml", a="2026-10-01", b="2026-10-01"))
    async with worker() as running:
        site.respond("/b.xml", status(503))
        await run(database, running, feed)
        assert await names(database) == ["a1"]
        news.serve("/b.xml")
        await run(database, running, feed)
        assert sorted(await names(database)) == ["a1", "b1"]
        site.respond("/b.xml", status(500))
        news.index("/index.xml", a="2026-10-01", b="2026-10-09")
        await run(database, running, feed)
        news.publish("/b.xml", "b2", lastmod="2026-10-09", title="B2")
        await run(database, running, feed)
    assert sorted(await names(database)) == ["a1", "b1", "b2"]


async def test_files_that_the_first_run_could_not_read_bring_their_newest_and_no_archive_when_they_come(
    database: Database, site: Site, news: SitemapSite, worker: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sitemap_walk, "BATCH", 4)
    news.publish("/a.xml", "a1", lastmod="2026-10-01", title="A")
    for day in range(10, 28):
        news.publish("/b.xml", f"b{day}", lastmod=f"2026-09-{day}", title="B")
        news.publish("/leaf.xml", f"c{day}", lastmod=f"2026-08-{day}", title="C")
    news.index("/inner.xml", leaf=None)
    feed = await subscribe(database, news.index("/index.xml", a=None, b=None, inner=None))
    for path in ("/b.xml", "/inner.xml"):
        site.respond(path, status(503))
    async with worker(baseline_items=2) as running:
        assert (await run(database, running, feed)).added == 1
        news.serve("/b.xml")
        news.index("/inner.xml", leaf=None)
        assert (await run(database, running, feed)).added == 2
        assert await names(database) == ["a1", "b27", "b26"]
        assert await states(database, feed) == {"processed": 37}
        # From now on what is new in them is news, as it is elsewhere.
        news.publish("/b.xml", "b1", "b2", "b3", lastmod="2026-07-01", title="B")
        assert (await run(database, running, feed)).added == 3


async def test_a_file_that_comes_later_is_news_although_it_could_not_be_read_at_once(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    news.publish("/a.xml", "a1", lastmod="2026-10-01", title="A")
    feed = await subscribe(database, news.index("/index.xml", a=None))
    async with worker(baseline_items=1) as running:
        await run(database, running, feed)
        news.publish("/b.xml", "b1", "b2", "b3", lastmod="2026-10-02", title="B")
        site.respond("/b.xml", status(503))
        news.index("/index.xml", a=None, b=None)
        await run(database, running, feed)
        news.serve("/b.xml")
        assert (await run(database, running, feed)).added == 3


async def test_the_files_of_an_index_inside_an_index_are_asked_for_although_that_index_did_not_change(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    news.publish("/leaf.xml", "old", title="Old")
    news.index("/inner.xml", leaf=None)
    feed = await subscribe(database, news.index(ROOT, inner="2026-10-01T10:00:00Z"))
    async with worker() as running:
        await run(database, running, feed)
        news.asked()
        news.publish("/leaf.xml", "свежее", title="Свежее 🍎")
        result = await run(database, running, feed)
    assert (result.added, result.errors) == (1, {})
    assert news.asked() == [ROOT, "/leaf.xml"]


@dataclass
class Allowance:
    """A site that answers so many requests for its files at a time, and 429 from then on."""

    news: SitemapSite
    most: int
    left: int = 0

    def limit(self, *paths: str) -> None:
        for path in paths:
            request = SiteRequest(at=0, method="GET", target=path, headers={}, address="")
            answer = self.news.site.step_for(request)
            assert isinstance(answer, Answer)
            self.news.site.respond(path, partial(self._answer, answer))

    def _answer(self, answer: Answer, request: SiteRequest) -> Answer:
        self.left -= 1
        if self.left < 0:
            return status(429, retry_after="0")
        return answer_conditionally(request, answer)


async def test_a_site_that_answers_few_requests_at_a_time_is_read_to_its_end_in_several_runs(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    children = [f"file-{number:02}" for number in range(25)]
    for child in children:
        news.publish(f"/{child}.xml", f"page-of-{child}", lastmod="2026-10-01", title=f"頁 {child}")
    news.site.respond("/file-07.xml", status(404))
    feed = await subscribe(database, news.index(ROOT, **dict.fromkeys(children)))
    site = Allowance(news, most=10)
    site.limit(ROOT, *(f"/{child}.xml" for child in children))

    async def run_until_it_ends(running: Worker) -> list[list[str]]:
        runs = []
        for _ in range(5):
            site.left = site.most
            result = await run(database, running, feed)
            runs.append([path for path in news.asked() if path.startswith("/file-")])
            assert (await database.read(load_feed, feed.id)).failures == bool(result.errors)
            if not result.errors:
                return runs
        raise AssertionError(runs)

    async with worker(baseline_items=100) as running:
        first = await run_until_it_ends(running)
        assert len(await names(database)) == 24
        again = await run_until_it_ends(running)
        news.publish("/file-24.xml", "новость", title="Новость")
        site.limit("/file-24.xml")
        await run_until_it_ends(running)
    for runs in (first, again):
        assert len(runs) == 3
        asked = [path for paths in runs for path in paths]
        # The file at which a run was stopped is asked for once more.
        assert set(asked) == {f"/{child}.xml" for child in children}
        assert len(asked) == 25 + 2
    assert len(await names(database)) == 25


async def test_cycles_and_too_many_levels_of_indexes_come_to_an_end(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    news.publish("/leaf.xml", "leaf", title="Leaf")
    news.index("/one.xml", index=None, one=None, leaf=None)
    feed = await subscribe(database, news.index("/index.xml", one=None, index=None))
    deep = await subscribe(database, news.index("/n0.xml", n1=None))
    for level in range(1, 20):
        news.index(f"/n{level}.xml", **{f"n{level + 1}": None})
    async with worker() as running:
        await run(database, running, feed)
        assert await names(database) == ["leaf"]
        news.asked()
        result = await run(database, running, deep)
    assert "4 indexes deep" in result.errors[deep.url]
    assert len(news.asked()) == 5
    assert (await database.read(load_site, site_name_of(deep))).last_run is None


async def test_other_hosts_are_refused_unless_they_are_allowed(
    database: Database, site: Site, worker: Open
) -> None:
    away = SitemapSite(site, host=site.hosts[1])
    away.publish("/away.xml", "far", title="Far")
    index = site.sitemap(
        "/index.xml",
        f"<sitemapindex><sitemap><loc>{site.url('/away.xml', site.hosts[1])}</loc></sitemap></sitemapindex>",
    )
    listing = site.sitemap(
        "/own.xml", f"<urlset><url><loc>{site.url('/x', site.hosts[1])}</loc></url></urlset>"
    )
    feeds = [await subscribe(database, index), await subscribe(database, listing)]
    async with worker() as running:
        for feed in feeds:
            result = await run(database, running, feed)
            assert "allow that with `feed edit --any-host`" in result.errors[feed.url]
            assert await states(database, feed) == {}
        assert not [request for request in site.requests if request.host == site.hosts[1]]
        await database.write(update_feed, feeds[0].id, {"enforce_feed_domain": False})
        await run(database, running, feeds[0])
    assert await names(database) == ["far"]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer(body=b"<html><body>Hello</body></html>"), "This is an HTML page, not a sitemap"),
        (
            Answer(body=gzip.compress(b"<urlset>" + b"<url><loc>/x</loc></url>" * 3_000_000)),
            "larger than 64 MB",
        ),
        (Answer(status=404), "404"),
        (Answer(body=b""), "empty"),
    ],
)
async def test_what_is_no_sitemap_is_refused_in_a_sentence_and_nothing_is_stored(
    database: Database, site: Site, news: SitemapSite, worker: Open, answer: Answer, sentence: str
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "a", title="A"))
    async with worker() as running:
        site.respond(ROOT, answer)
        result = await run(database, running, feed)
        assert sentence in result.errors[feed.url]
        assert (await database.read(load_site, site_name_of(feed))).sitemap_url is None
        assert (await database.read(load_feed, feed.id)).last_fetch_status is Outcome.PERMANENT_ERROR


async def test_a_feeds_kind_is_seen_from_its_content_and_nothing_is_asked_twice_for_it(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    news.publish(ROOT, "a", lastmod="2026-10-01", title="A")
    packed = gzip.compress(f"<urlset><url><loc>{site.url('/news/z')}</loc></url></urlset>".encode())
    zipped = site.feed("/map.xml.gz", packed, content_type="application/x-gzip")
    feed = await subscribe(database, site.url(ROOT), kind=None)
    other = await subscribe(database, zipped, kind=None, options=FeedOptions(fetch_titles=False))
    async with worker() as running:
        await run(database, running, feed)
        await run(database, running, other)
        assert [path for path in news.asked() if path != "/robots.txt"] == [ROOT, "/map.xml.gz"]
        assert {(await database.read(load_feed, one.id)).kind for one in (feed, other)} == {FeedKind.SITEMAP}
        await run(database, running, feed)
    assert news.asked() == ["/robots.txt", ROOT]
    assert sorted(await names(database)) == ["a", "z"]


async def test_a_sitemap_whose_kind_was_not_known_is_walked_outside_the_lane_of_feeds(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    index = news.index("/files.xml", a=None)
    site.respond("/a.xml", hangs())
    site.feed("/feed.xml", rss([Entry(url=site.url("/x"), title="急報", guid="x")]))
    unknown = await subscribe(database, index, kind=None)
    await database.write(request_feed, unknown.id)
    stop = asyncio.Event()
    async with worker() as running:
        working = asyncio.create_task(running.run(stop))
        while not site.requests_for("/a.xml"):
            await site.wait_for_requests(len(site.requests) + 1)
        # The walk has begun and does not come to an end; a feed is asked for all the same.
        feed = await subscribe(database, site.url("/feed.xml"), kind=None)
        await database.write(request_feed, feed.id)
        while not site.requests_for("/feed.xml"):
            await site.wait_for_requests(len(site.requests) + 1)
        known = await database.read(load_feed, unknown.id)
        assert (known.kind, known.last_fetched_at) == (FeedKind.SITEMAP, None)
        stop.set()
        await working


async def test_the_lane_of_feeds_hands_a_sitemap_over_as_requested_as_it_was(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "a", title="А"), kind=None)
    await database.write(request_feed, feed.id)
    async with worker() as running:
        first, _ = await running.collecting.claim_and_collect([Lane.FEEDS])
        after = await database.read(load_feed, feed.id)
        assert (after.kind, after.last_fetch_status) == (FeedKind.SITEMAP, None)
        assert after.requested_at is not None
        assert (first.fetched, first.added, first.errors) == (0, 0, {})
        second, _ = await running.collecting.claim_and_collect([Lane.WALKS])
    assert (second.fetched, second.added, second.errors) == (1, 1, {})
    assert await count_leases(database) == 0


async def test_filters_leave_out_pages_that_never_come_up_as_new_again(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    url = news.publish(ROOT, "blog-a", "tag-b", title="X")
    options = FeedOptions(include_patterns=("/news/blog-", "/news/tag-"), exclude_patterns=("tag-",))
    feed = await subscribe(database, url, options=options)
    async with worker() as running:
        await run(database, running, feed)
        news.publish(ROOT, "blog-c", "tag-d", "other", title="X")
        await run(database, running, feed)
        assert sorted(await names(database)) == ["blog-a", "blog-c"]
        await database.write(update_feed, feed.id, {"options": {}})
        news.publish(ROOT, "tag-e", title="X")
        await run(database, running, feed)
    assert sorted(await names(database)) == ["blog-a", "blog-c", "tag-e"]


async def test_a_stored_pattern_that_would_be_refused_today_still_chooses(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    url = news.publish(ROOT, "blog-a", "tag-b", "blog-c", title="X")
    options = FeedOptions(include_patterns=("/news/(?!tag)",), exclude_patterns=("-c$",))
    feed = await subscribe(database, url, options=options)
    async with worker() as running:
        await run(database, running, feed)
    assert await names(database) == ["blog-a"]


async def test_a_stored_pattern_without_an_end_stops_its_own_feed_alone(
    database: Database, news: SitemapSite, worker: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_tasks, "MATCH_TIMEOUT_S", 0.5)
    url = news.publish(ROOT, "a" * 60, title="X")
    feed = await subscribe(database, url, options=FeedOptions(include_patterns=(r"(?!x)(\w+)+=$",)))
    async with worker() as running:
        result = await run(database, running, feed)
        assert "take too long on the addresses of this site" in str(result.errors)
        await database.write(update_feed, feed.id, {"options": {}})
        await run(database, running, feed)
    assert await names(database) == ["a" * 60]


async def test_a_sitemap_that_ends_in_the_middle_is_asked_for_again_as_a_whole(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "a", "b", title="X"))
    whole = f"<urlset><url><loc>{site.url('/news/a')}</loc></url><url><loc>{site.url('/news/b')}</loc></url></urlset>"
    site.sitemap(ROOT, whole[: whole.index("</loc></url></urlset>")], etag='"half"')
    async with worker(fetch_titles=False) as running:
        await run(database, running, feed)
        assert await names(database) == ["a"]
        site.sitemap(ROOT, whole, etag='"whole"')
        site.requests.clear()
        await run(database, running, feed)
    assert "if-none-match" not in site.requests[0].headers
    assert sorted(await names(database)) == ["a", "b"]


async def test_a_file_of_an_index_that_ends_in_the_middle_is_asked_for_again_although_its_date_stays(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    news.publish("/a.xml", "a1", lastmod="2026-10-01", title="A1")
    feed = await subscribe(database, news.index("/index.xml", a="2026-10-01"))
    async with worker(fetch_titles=False) as running:
        await run(database, running, feed)
        rows = "".join(f"<url><loc>{site.url(f'/news/{name}')}</loc></url>" for name in ("a1", "a2", "a3"))
        site.sitemap("/a.xml", f"<urlset>{rows[: rows.index('</loc></url>', -20)]}", etag='"half"')
        news.index("/index.xml", a="2026-10-02")
        await run(database, running, feed)
        assert sorted(await names(database)) == ["a1", "a2"]
        site.sitemap("/a.xml", f"<urlset>{rows}</urlset>", etag='"whole"')
        site.requests.clear()
        await run(database, running, feed)
        assert "if-none-match" not in site.requests_for("/a.xml")[0].headers
        assert sorted(await names(database)) == ["a1", "a2", "a3"]
        news.asked()
        await run(database, running, feed)
    assert news.asked() == ["/index.xml"]


async def test_a_run_that_is_cut_short_is_taken_up_by_the_next_and_nothing_is_published_twice(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "a", "b", "c"))
    site.respond("/news/b", hangs())
    async with worker() as running:
        task = asyncio.ensure_future(run(database, running, feed))
        while not site.requests_for("/news/b"):
            await site.wait_for_requests(len(site.requests) + 1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await states(database, feed) == {"processed": 1, "pending": 2}
    news.page("b", "B after all")
    news.asked()
    await make_articles_due(database)
    async with worker() as running:
        result = await run(database, running, feed)
        assert result.added == 2
        assert news.asked() == [ROOT, "/news/b", "/news/c"]
        assert (await run(database, running, feed)).added == 0
    assert sorted(await names(database)) == ["a", "b", "c"]


async def test_the_fetch_command_counts_first_and_processes_then(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "a", "b", title="X"))
    heard: list[Progress] = []
    async with worker() as running:
        first = await running.collecting.fetch_run(heard.append).run()
        news.publish(ROOT, "c", title="Х 🍎")
        second = await running.collecting.fetch_run(heard.append).run()
        third = await running.collecting.fetch_run(heard.append).run()
    assert [report.added_count for report in (first, second, third)] == [2, 1, 0]
    assert await states(database, feed) == {"processed": 3}
    lines = [event.text for event in heard if event.kind is ProgressKind.LINE]
    assert any("3 pages, 1 new, 0 changed" in line for line in lines)
    assert "titles: 1 from the sitemap" in lines


@dataclass(frozen=True)
class Robbed:
    """The sitemap collector, with a process beside it that takes over one feed as its job begins."""

    inner: Collector
    database: Database
    feed: Feed

    async def collect(self, job: Job) -> AsyncGenerator[ListingPart | FinishedJob | Handover, None]:
        if job.feed.id == self.feed.id:
            await expire_lease(self.database, job.feed)
            await claim(self.database, job.feed)
        async with aclosing(self.inner.collect(job)) as steps:
            async for step in steps:
                yield step


@dataclass(frozen=True)
class Unsaved:
    """The sitemap collector, whose first part cannot be saved: another process takes the feed over just before."""

    inner: Collector
    database: Database

    async def collect(self, job: Job) -> AsyncGenerator[ListingPart | FinishedJob | Handover, None]:
        async with aclosing(self.inner.collect(job)) as steps:
            async for step in steps:
                await expire_lease(self.database, job.feed)
                await claim(self.database, job.feed)
                yield step


@pytest.mark.parametrize("has_changed_again", [False, True])
async def test_a_change_whose_save_failed_is_published_by_the_next_run(
    database: Database, news: SitemapSite, worker: Open, has_changed_again: bool
) -> None:
    feed = await subscribe(database, news.publish(ROOT, "a", lastmod="2026-10-01", title="Яблоко"))
    async with worker() as running:
        await run(database, running, feed)
        news.publish(ROOT, "a", lastmod="2026-10-05", title="Яблоко")
        whole = running.collecting.collectors
        unsaved = Unsaved(whole[FeedKind.SITEMAP], database)
        running.collecting.collectors = {**whole, FeedKind.SITEMAP: unsaved}
        assert (await run(database, running, feed)).lost == 1
        await expire_lease(database, feed)
        running.collecting.collectors = whole
        if has_changed_again:
            news.publish(ROOT, "a", lastmod="2026-10-06", title="Яблоко")
        result = await run(database, running, feed)
    assert result.updated == 1
    (item,) = await database.read(list_items)
    assert item.published_at == datetime(2026, 10, 6 if has_changed_again else 5, tzinfo=UTC)


def rob(running: Worker, database: Database, feed: Feed) -> None:
    robbed = Robbed(running.collecting.collectors[FeedKind.SITEMAP], database, feed)
    running.collecting.collectors = {**running.collecting.collectors, FeedKind.SITEMAP: robbed}


async def subscribe_two(database: Database, site: Site) -> tuple[Feed, Feed]:
    """Of two hosts, so that neither waits for the other."""
    one, two = SitemapSite(site), SitemapSite(site, host=site.hosts[1])
    lost = await subscribe(database, one.publish(ROOT, "a", title="A"))
    kept = await subscribe(database, two.publish(ROOT, "b", title="B"))
    return lost, kept


async def test_a_lost_lease_costs_a_cycle_that_feed_alone(
    database: Database, site: Site, worker: Open
) -> None:
    lost, kept = await subscribe_two(database, site)
    for feed in (lost, kept):
        await database.write(request_feed, feed.id)
    async with worker() as running:
        rob(running, database, lost)
        result, run_id = await running.collecting.claim_and_collect()
        assert await count_leases(database) == 1, "the other process has its lease still"
    assert (result.fetched, result.added, result.lost, result.errors) == (1, 1, 1, {})
    assert await names(database) == ["b"]
    assert run_id is not None
    assert not (await database.read(load_report, run_id)).interrupted


async def test_a_lost_lease_costs_a_fetch_that_feed_alone(
    database: Database, site: Site, worker: Open
) -> None:
    lost, _ = await subscribe_two(database, site)
    async with worker() as running:
        rob(running, database, lost)
        report = await running.collecting.fetch_run(lambda event: None).run()
        assert await count_leases(database) == 1, "the other process has its lease still"
    assert (report.added_count, report.interrupted) == (1, False)
    assert report.details.errors == {lost.url: "Left out: another process took it over."}
    assert await names(database) == ["b"]


async def make_articles_due(database: Database) -> None:
    from sqlalchemy import text  # noqa: PLC0415

    moment = "'2020-01-01 00:00:00'" if database.is_sqlite else "'2020-01-01T00:00:00Z'::timestamptz"
    await database.write(
        lambda c: c.execute(
            text(f"UPDATE articles SET next_attempt_at = {moment} WHERE next_attempt_at IS NOT NULL")
        )
    )


async def test_files_at_another_port_are_asked_for_without_the_feeds_credentials(
    database: Database, site: Site, news: SitemapSite, worker: Open
) -> None:
    own = news.publish("/own.xml", "near", title="Near")
    async with Site(hosts=site.hosts[:1]) as other_port:
        away = SitemapSite(other_port).publish("/away.xml", "far", title="Far")
        files = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in (own, away))
        feed = await subscribe(database, site.sitemap("/index.xml", f"<sitemapindex>{files}</sitemapindex>"))
        await database.write(save_credentials, feed.id, {"Authorization": "Basic c2VjcmV0"})
        async with worker(allowed=other_port.endpoints) as running:
            await run(database, running, feed)
    asked = {
        request.path: request.headers.get("authorization")
        for request in (*site.requests, *other_port.requests)
        if request.path.endswith(".xml")
    }
    assert asked == {"/index.xml": "Basic c2VjcmV0", "/own.xml": "Basic c2VjcmV0", "/away.xml": None}


async def test_a_sitemap_file_is_requested_without_validators_after_thirty_days_and_read(
    database: Database, news: SitemapSite, worker: Open
) -> None:
    news.publish("/a.xml", "one", lastmod="2026-10-01")
    news.publish("/b.xml", "two", lastmod="2026-10-01")
    feed = await subscribe(database, news.index(ROOT, a=None, b=None))

    async def sent(running: Worker) -> dict[str, str | None]:
        news.site.requests.clear()
        await run(database, running, feed)
        return {one.path: one.headers.get("if-none-match") for one in news.site.requests if "xml" in one.path}

    async with worker(baseline_items=2) as running:
        assert set((await sent(running)).values()) == {None}
        tags = await sent(running)
        assert tags.keys() == {ROOT, "/a.xml", "/b.xml"}
        assert None not in tags.values()
        path, long_ago = news.site.url("/a.xml"), datetime.now(UTC) - timedelta(days=31)
        await database.write(age_file, path, long_ago)
        news.files["/a.xml"]["three"] = ""
        news.page("three")
        news.serve("/a.xml", etag=False)
        assert await sent(running) == tags | {"/a.xml": None}
        files = await database.read(load_files, site_name_of(feed))
    (file,) = [file for file in files.values() if file.url == path]
    assert file.read_at is not None
    assert file.read_at > long_ago + timedelta(days=30)
    assert "three" in await names(database)


def age_file(connection: Connection, url: str, read_at: datetime) -> None:
    connection.execute(
        update(sitemap_files).where(sitemap_files.c.url_hash == url_hash(url)).values(read_at=read_at)
    )


async def test_a_sitemap_is_named_by_its_site_and_asks_the_front_page_only_if_nothing_else_says_it(
    database: Database, site: Site, worker: Open
) -> None:
    def sitemap(path: str, news: str = "") -> str:
        entry = f"<url><loc>{site.url(f'/news{path}')}</loc>{news}</url>"
        one, two = "www.sitemaps.org/schemas/sitemap/0.9", "www.google.com/schemas/sitemap-news/0.9"
        spaces = f'xmlns="http://{one}" xmlns:news="http://{two}"'
        return site.feed(path, f"<urlset {spaces}>{entry}</urlset>".encode())

    name = "<news:publication><news:name>Gazeta</news:name></news:publication>"
    said = f"<news:news>{name}<news:title>T</news:title></news:news>"
    text = "".join(
        f"<p>The ferry came back to the harbour on day {day}, and people cheered.</p>" for day in range(20)
    )
    for path, name in (("/b.xml", '<meta property="og:site_name" content="Хабр">'), ("/c.xml", "")):
        site.page(
            f"/news{path}",
            f"<html><head><title>One</title>{name}</head><body><article>{text}</article></body></html>",
        )
    site.page("/", "<html><head><title>Front &amp; page</title></head></html>")
    async with worker() as running:
        for url, title, asks in (
            (sitemap("/a.xml", said), "Gazeta", 0),
            (sitemap("/b.xml"), "Хабр", 0),
            (sitemap("/c.xml"), "Front & page", 1),
        ):
            feed = await subscribe(database, url, title=None)
            assert (await run(database, running, feed)).errors == {}
            assert (await database.read(load_feed, feed.id)).title == title
            assert len(site.requests_for("/")) == asks
            await run(database, running, feed)
    assert len(site.requests_for("/")) == 1
