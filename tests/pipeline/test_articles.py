"""The canonical stage: only new URLs, nothing twice, what failed comes back when it may (D1 to D8)."""

from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select, update

from inforadar.app.worker import open_worker
from inforadar.config import Settings
from inforadar.errors import InfoRadarError
from inforadar.model.article import Article, ArticleStatus, FailureCode
from inforadar.model.feed import Feed
from inforadar.pipeline.articles import ArticleProgress
from inforadar.pipeline.pool import PoolBrokenError, PoolCrashError, PoolTimeoutError
from inforadar.public import canonical_fetcher_run_once
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.feeds.changes import request_feed
from inforadar.store.redis.outbox_queries import count_outbox
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.items import items
from inforadar.store.types import db_later
from inforadar.urls import uid
from tests.pipeline.canonical_fixtures import PARAGRAPH, Open, article, list_urls, settings, worker
from tests.support.site.answers import Answer, hangs, html, status
from tests.support.site.documents import Entry, article_page, rss
from tests.support.site.server import Site

__all__ = ["settings", "worker"]

HOUR = 3600.0


async def stored(database: Database, url: str) -> Article:
    found = await database.read(load_article, uid(url))
    assert found is not None
    return found


async def row(database: Database, url: str) -> Any:
    query = select(articles).where(articles.c.uid == uid(url))
    return await database.read(lambda c: c.execute(query).one())


async def move(database: Database, **columns: Any) -> None:
    """Times in the database are moved, nobody waits for them."""
    await database.write(lambda c: c.execute(update(articles).values(**columns)))


async def failures(database: Database) -> list[str]:
    return await database.read(
        lambda c: list(c.execute(select(article_failures.c.code).order_by(article_failures.c.id)).scalars())
    )


async def ask_again(database: Database, feed: Feed) -> None:
    await database.write(request_feed, feed.id)


async def test_nothing_new_is_a_quiet_end_and_nothing_is_fetched_twice(
    site: Site, database: Database, worker: Open
) -> None:
    urls = [article(site, number) for number in (1, 2)]
    feed = await list_urls(site, database, urls)
    async with worker() as running:
        await running.collecting.claim_and_collect()
        assert await running.canonicalizer.run_once() == {"success": 2}
        await ask_again(database, feed)
        await running.collecting.claim_and_collect()
        asked = len(site.requests)
        assert await running.canonicalizer.run_once() == {}
    assert len(site.requests) == asked
    assert await database.read(count_outbox) == 0


async def test_a_known_article_in_another_feed_is_not_fetched_again(
    site: Site, database: Database, worker: Open
) -> None:
    url = article(site, 1)
    async with worker() as running:
        await list_urls(site, database, [url])
        await running.run_once()
        await list_urls(site, database, [url], topic="world")
        report = await running.run_once()
    assert (report.collected.added, report.articles) == (1, {})
    assert len(site.requests_for("/articles/1")) == 1


@pytest.mark.parametrize(
    ("answer", "code", "detail"),
    [
        (status(404), FailureCode.HTTP, "404"),
        (html("<p>short</p>"), FailureCode.BAD_HTML, "characters"),
        (Answer(body=b"x" * 3_000_000, headers={"Content-Type": "text/html"}), FailureCode.BAD_HTML, "MB"),
        (
            Answer(body=b"%PDF-1.7" + b"\x00" * 900, headers={"Content-Type": "application/pdf"}),
            FailureCode.BAD_HTML,
            "",
        ),
        (html("<html><body>" + "<nav><a href='/x'>x</a></nav>" * 50), FailureCode.EMPTY, ""),
    ],
    ids=["status", "short", "large", "no html", "no text"],
)
async def test_a_failure_has_a_code_and_a_detail_and_blocks_nothing(
    site: Site, database: Database, worker: Open, answer: Answer, code: FailureCode, detail: str
) -> None:
    bad, good = site.respond("/articles/0", answer), article(site, 1)
    await list_urls(site, database, [bad, good])
    async with worker(canonical={"max_body_size_mb": 1}) as running:
        report = await running.run_once()
    assert report.articles == {code.value: 1, "success": 1}
    failed = await stored(database, bad)
    assert failed.status is ArticleStatus.FAILURE
    assert failed.failure is not None
    assert failed.failure.code is code
    assert failed.failure.detail
    assert detail in failed.failure.detail
    assert (await row(database, bad)).next_attempt_at is None


@pytest.mark.parametrize(
    "fault",
    [UnicodeError("undefined encoding"), PoolBrokenError("All processes of the pool ended unexpectedly.")],
    ids=["crash", "no process starts"],
)
async def test_a_crash_of_the_reader_is_no_attempt_of_the_page_and_blocks_nothing(
    site: Site, database: Database, worker: Open, fault: Exception
) -> None:
    bad, good = article(site, 1), article(site, 2)
    await list_urls(site, database, [bad, good])
    async with worker() as running:
        await running.collecting.claim_and_collect()
        pool = running.canonicalizer.extract

        async def extract(body: bytes, url: str, content_type: str) -> Any:
            if url == bad:
                raise fault
            return await pool(body, url, content_type)

        stage = replace(running.canonicalizer, extract=extract)
        assert await stage.run_once() == {"postponed": 1, "success": 1}
        after = await row(database, bad)
        assert (after.attempts, after.failure_code, after.lease_token) == (0, None, None)
        assert await failures(database) == []
        assert await stage.run_once() == {}, "a page that our reader cannot read is not tried all the time"
        await move(database, next_attempt_at=db_later(-1.0))
        assert await running.canonicalizer.run_once() == {"success": 2}
    assert (await stored(database, bad)).status is ArticleStatus.SUCCESS


async def test_a_page_that_never_answers_is_a_timeout(site: Site, database: Database, worker: Open) -> None:
    url = site.respond("/articles/1", hangs())
    await list_urls(site, database, [url])
    async with worker(canonical={"timeout": 0.3}) as running:
        report = await running.run_once()
    assert report.articles == {"FAIL_TIMEOUT": 1}
    assert (await row(database, url)).next_attempt_at is not None


async def test_a_failure_that_may_pass_is_tried_after_1_6_and_24_hours_and_then_counts_as_attempted(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.respond("/articles/1", status(503))
    await list_urls(site, database, [url])
    async with worker() as running:
        await running.collecting.claim_and_collect()
        for wait_s in (HOUR, 6 * HOUR, 24 * HOUR):
            assert await running.canonicalizer.run_once() == {"FAIL_HTTP": 1}
            after = await row(database, url)
            due_s = (after.next_attempt_at - datetime.now(UTC)).total_seconds()
            assert wait_s - 60 < due_s <= wait_s
            assert after.attempted_at is None
            assert await running.canonicalizer.run_once() == {}
            await move(database, next_attempt_at=db_later(-1.0))
        assert await running.canonicalizer.run_once() == {"FAIL_HTTP": 1}
    after = await row(database, url)
    assert after.next_attempt_at is None
    assert after.attempted_at is not None
    assert await failures(database) == ["FAIL_HTTP"] * 4


@pytest.mark.parametrize(
    "fault",
    [PoolCrashError("Its process ended unexpectedly (SIGKILL)."), PoolTimeoutError("It took longer.")],
    ids=["killed", "delayed"],
)
async def test_an_extraction_that_was_killed_or_delayed_is_tried_again_as_a_failed_download_is(
    site: Site, database: Database, worker: Open, fault: InfoRadarError
) -> None:
    url = article(site, 1)
    await list_urls(site, database, [url])

    async def extract(body: bytes, final_url: str, content_type: str) -> Any:
        raise fault

    async with worker() as running:
        await running.collecting.claim_and_collect()
        stage = replace(running.canonicalizer, extract=extract)
        for wait_s in (HOUR, 6 * HOUR, 24 * HOUR):
            assert await stage.run_once() == {"FAIL_PARSE": 1}
            after = await row(database, url)
            assert wait_s - 60 < (after.next_attempt_at - datetime.now(UTC)).total_seconds() <= wait_s
            assert (after.attempted_at, after.failure_detail) == (None, str(fault))
            await move(database, next_attempt_at=db_later(-1.0))
        assert await stage.run_once() == {"FAIL_PARSE": 1}
        after = await row(database, url)
        assert after.next_attempt_at is None, "a page that cannot be extracted at all has an end"
        assert after.attempted_at is not None
        await move(database, next_attempt_at=db_later(-1.0), attempts=0)
        assert await running.canonicalizer.run_once() == {"success": 1}


async def test_without_retries_the_first_failure_counts_as_attempted(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.respond("/articles/1", status(503))
    await list_urls(site, database, [url])
    async with worker(canonical={"retries": 0}) as running:
        report = await running.run_once()
    assert report.articles == {"FAIL_HTTP": 1}
    after = await row(database, url)
    assert after.next_attempt_at is None
    assert after.attempted_at is not None


async def test_what_failed_is_left_alone_for_30_days_and_then_tried_again_if_it_is_still_listed(
    site: Site, database: Database, worker: Open
) -> None:
    listed, gone = (site.respond(f"/articles/{number}", status(404)) for number in (1, 2))
    feed = await list_urls(site, database, [listed, gone])
    async with worker() as running:
        await running.run_once()
        site.feed("/general.xml", rss([Entry(url=listed, title="Story 1")]))
        await move(database, attempted_at=datetime.now(UTC) - timedelta(days=29, hours=23))
        await ask_again(database, feed)
        assert (await running.run_once()).articles == {}
        await move(database, attempted_at=datetime.now(UTC) - timedelta(days=30, minutes=1))
        article(site, 1)
        article(site, 2)
        await ask_again(database, feed)
        assert (await running.run_once()).articles == {"success": 1}
    assert (await stored(database, listed)).status is ArticleStatus.SUCCESS
    assert (await stored(database, gone)).status is ArticleStatus.FAILURE
    assert len(site.requests_for("/articles/2")) == 1


async def test_an_old_failure_that_fails_again_has_its_retries_again(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.respond("/articles/1", status(404), status(503))
    feed = await list_urls(site, database, [url])
    async with worker() as running:
        await running.run_once()
        await move(database, attempted_at=datetime.now(UTC) - timedelta(days=31))
        await ask_again(database, feed)
        assert (await running.run_once()).articles == {"FAIL_HTTP": 1}
    after = await row(database, url)
    assert after.attempts == 1
    assert after.next_attempt_at is not None


async def test_two_workers_share_a_batch_and_fetch_nothing_twice(
    site: Site, database: Database, worker: Open
) -> None:
    urls = [article(site, number) for number in range(30)]
    await list_urls(site, database, urls)
    async with worker() as one, worker() as two:
        await one.collecting.claim_and_collect()
        done = await asyncio.gather(one.canonicalizer.run_once(), two.canonicalizer.run_once())
    assert sum((counter["success"] for counter in done), 0) == 30
    asked = [request.path for request in site.requests if request.path.startswith("/articles/")]
    assert sorted(asked) == sorted(f"/articles/{number}" for number in range(30))


async def test_a_crowded_host_is_worked_off_at_its_pace(site: Site, database: Database, worker: Open) -> None:
    urls = [article(site, number) for number in range(3)]
    await list_urls(site, database, urls)
    async with worker(fetcher={"domain_delay": 0.2}) as running:
        await running.collecting.claim_and_collect()
        assert await running.canonicalizer.run_to_the_end() == {"success": 3}
    times = [request.at for request in site.requests]
    assert all(later - earlier >= 0.19 for earlier, later in itertools.pairwise(times))


async def test_a_crawl_delay_holds_from_the_first_article_on_without_a_delay_of_our_own(
    site: Site, database: Database, worker: Open
) -> None:
    site.respond("/robots.txt", html("User-agent: *\nCrawl-delay: 0.3\nDisallow:\n"))
    await list_urls(site, database, [article(site, number) for number in range(4)])
    async with worker(fetcher={"domain_delay": 0}) as running:
        await running.collecting.claim_and_collect()
        assert await running.canonicalizer.run_to_the_end() == {"success": 4}
    times = [request.at for request in site.requests if request.path.startswith("/articles/")]
    assert all(later - earlier >= 0.29 for earlier, later in itertools.pairwise(times))


async def test_the_listener_hears_of_each_article(site: Site, database: Database, worker: Open) -> None:
    heard: list[ArticleProgress] = []
    url = article(site, 1)
    await list_urls(site, database, [url])
    async with worker(listener=heard.append) as running:
        await running.run_once()
    assert [(event.job.url, event.ending is None) for event in heard] == [(url, True), (url, False)]


async def test_the_python_api_runs_the_stage_once(
    site: Site, database: Database, database_url: str, settings: Settings
) -> None:
    # The feed is collected by one program, the articles are fetched by another.
    urls = [article(site, 1), site.respond("/articles/2", status(404))]
    await list_urls(site, database, urls)
    async with open_worker(settings, database) as running:
        await running.collecting.claim_and_collect()
    assert await canonical_fetcher_run_once(database_url, settings=settings) == {"success": 1, "FAIL_HTTP": 1}
    assert await canonical_fetcher_run_once(database_url, settings=settings) == {}
    assert (await stored(database, urls[0])).status is ArticleStatus.SUCCESS


async def test_a_text_that_changed_is_analyzed_again(site: Site, database: Database, worker: Open) -> None:
    url = article(site, 1)
    await list_urls(site, database, [url])
    async with worker() as running:
        await running.run_once()
        site.page(
            "/articles/1",
            article_page(title="Story 1", paragraphs=[PARAGRAPH.replace("agreed", "refused")] * 5),
        )
        await move(database, next_attempt_at=db_later(-1.0))
        report = await running.run_once()
    assert report.articles == {"success": 1}
    assert sum(report.analyses.values()) == 1
    assert await database.read(lambda c: c.execute(select(items.c.analyzed_at)).scalar_one()) is not None
