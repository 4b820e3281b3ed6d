"""The worker over a real site and real databases: the whole thread, politeness included."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import structlog

from inforadar.actions.feed_input import basic_authorization
from inforadar.app.worker import open_worker
from inforadar.config import Settings, load_settings
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_warning import FeedWarning
from inforadar.model.http import Outcome
from inforadar.model.rhythm import PollReason
from inforadar.pipeline.runs.collect_run import CollectRun
from inforadar.pipeline.runs.cycle_result import CycleResult
from inforadar.pipeline.worker import ALL_STAGES, Stage, Worker
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.feeds.add import insert_feed
from inforadar.store.feeds.changes import request_feed, update_feed
from inforadar.store.feeds.delete_feeds import purge_feeds
from inforadar.store.feeds.lists import list_feeds
from inforadar.store.feeds.pages import FeedFilter, load_feed_page
from inforadar.store.feeds.queries import find_feed_by_url, load_feed
from inforadar.store.feeds.save_credentials import save_credentials
from inforadar.store.items.queries import list_items, load_item_changes
from inforadar.store.published.cached_feeds import load_cached_feed
from inforadar.store.runs.items import load_run_added
from inforadar.store.runs.queries import load_report, load_runs
from inforadar.store.types import db_now
from inforadar.urls import uid
from inforadar.views.feed_health import HealthState, feed_health
from tests.store.making import set_schedule
from tests.support.site.answers import html, status
from tests.support.site.documents import Entry, article_page, rss
from tests.support.site.server import Site

Open = Callable[..., AbstractAsyncContextManager[Worker]]
PARAGRAPH = (
    "The harbour board of Saltmere met on Tuesday and agreed to dredge the inner basin before the winter, "
    "which will cost 2.4 million crowns and take eleven weeks according to its chair, Ilse Marn. "
)


@pytest.fixture
def settings(tmp_path: Path, site: Site) -> Settings:
    return load_settings(tmp_path, {}).replaced(
        fetcher={
            "move_confirmations": 1,
            "allowed_networks": tuple(site.endpoints),
            "domain_delay": 0,
            "success_interval": 3600,
            "request_timeout": 5,
            "job_timeout": 6,
        }
    )


@pytest.fixture
def worker(settings: Settings, database: Database) -> Open:
    @asynccontextmanager
    async def opened(**fetcher: Any) -> AsyncIterator[Worker]:
        changed = settings.replaced(fetcher=fetcher)
        async with open_worker(changed, database, stages=ALL_STAGES) as running:
            yield running

    return opened


async def subscribe(database: Database, url: str, **options: Any) -> Feed:
    options = {"enabled": True, "polling": True} | options
    feed, _ = await database.write(insert_feed, url, **options)
    await database.write(request_feed, feed.id)
    return feed


def entry(site: Site, number: int, **fields: Any) -> Entry:
    values = {"url": site.url(f"/articles/{number}"), "title": f"Story {number}"} | fields
    return Entry(**values)


async def test_a_feed_goes_through_the_whole_thread(site: Site, database: Database, worker: Open) -> None:
    url = site.feed("/feed.xml", rss([entry(site, 1), entry(site, 2)]))
    for number in (1, 2):
        site.page(f"/articles/{number}", article_page(title=f"Story {number}", paragraphs=[PARAGRAPH] * 4))
    feed = await subscribe(database, url)
    async with worker() as running:
        report = await running.run_once()
    assert (report.collected.fetched, report.collected.added) == (1, 2)
    assert report.articles == {"success": 2}
    assert sum(report.analyses.values()) == 2
    assert report.built == 1

    stored = await database.read(list_items)
    assert {item.title for item in stored} == {"Story 1", "Story 2"}
    assert all(item.score is not None and item.analyzer_result["scores"] for item in stored)
    article = await database.read(load_article, uid(stored[0].url))
    assert article is not None
    assert article.extracted is not None
    assert "dredge the inner basin" in article.extracted.clean_text
    cached = await database.read(load_cached_feed, feed.id)
    assert cached is not None
    assert set(cached.item_refs) == {item.hash for item in stored}
    after = await database.read(load_feed, feed.id)
    assert (after.last_fetch_status, after.last_error) == (Outcome.SUCCESS, None)
    assert after.next_run_at is not None
    assert 590 < (after.next_run_at - datetime.now(UTC)).total_seconds() < 2 * 86400
    assert (after.reason, after.polling_plan is not None) == (PollReason.PLAN, True)


async def test_a_second_cycle_right_after_requests_nothing_and_changes_nothing(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.feed("/feed.xml", rss([entry(site, 1)]))
    site.page("/articles/1", article_page(title="Story 1", paragraphs=[PARAGRAPH] * 4))
    feed = await subscribe(database, url)
    async with worker() as running:
        await running.run_once()
        before, seen = await database.read(load_cached_feed, feed.id), len(site.requests)
        report = await running.run_once()
    assert report.collected.fetched == 0
    assert len(site.requests) == seen
    assert await database.read(load_cached_feed, feed.id) == before


async def test_asked_again_it_sends_the_validators_back_and_a_304_keeps_everything(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.feed("/feed.xml", rss([entry(site, 1)]), etag='W/"a, b"')
    feed = await subscribe(database, url)
    async with worker() as running:
        await running.collecting.claim_and_collect()
        await database.write(request_feed, feed.id)
        result, _ = await running.collecting.claim_and_collect()
    first, second = site.requests_for("/feed.xml")
    assert "if-none-match" not in first.headers
    assert second.headers["if-none-match"] == 'W/"a, b"'
    assert (result.fetched, result.added, result.errors) == (1, 0, {})
    assert len(await database.read(list_items)) == 1


async def test_after_thirty_days_of_304_one_request_is_unconditional(
    site: Site, database: Database, worker: Open
) -> None:
    feed = await subscribe(database, site.feed("/feed.xml", rss([entry(site, 1)]), etag='"v1"'))
    reasons = set()
    async with worker() as running:
        for days in (0, 29, 31, 0):
            if days:
                since = datetime.now(UTC) - timedelta(days=days)
                await database.write(update_feed, feed.id, {"read_at": since, "body_changed_at": since})
            await database.write(request_feed, feed.id)
            await running.collecting.claim_and_collect()
            reasons.add((await database.read(load_feed, feed.id)).reason)
    sent = [request.headers.get("if-none-match") for request in site.requests_for("/feed.xml")]
    assert sent == [None, '"v1"', None, '"v1"']
    # The same document came because we asked for it, so it is no reason to wait for longer.
    assert reasons == {PollReason.PLAN}
    assert len(await database.read(list_items)) == 1


async def test_a_304_keeps_to_how_often_the_document_asked_to_be_fetched(
    site: Site, database: Database, worker: Open
) -> None:
    asks = "<ttl>1500</ttl><skipDays><day>Monday</day></skipDays>"
    url = site.feed("/feed.xml", rss([entry(site, 1)], extra=asks), etag='"v1"')
    feed = await subscribe(database, url)
    async with worker() as running:
        for _ in range(3):
            await database.write(request_feed, feed.id)
            await running.collecting.claim_and_collect()
            after = await database.read(load_feed, feed.id)
            assert after.next_run_at is not None
            assert (after.next_run_at - datetime.now(UTC)).total_seconds() > 1499 * 60
        site.feed("/feed.xml", rss([entry(site, 1)]), etag='"v2"')
        for _ in range(2):
            await database.write(request_feed, feed.id)
            await running.collecting.claim_and_collect()
            after = await database.read(load_feed, feed.id)
            assert after.next_run_at is not None
            assert (after.next_run_at - datetime.now(UTC)).total_seconds() < 2 * 3600
    sent = [request.headers.get("if-none-match") for request in site.requests_for("/feed.xml")]
    assert sent == [None, '"v1"', '"v1"', '"v1"', '"v2"']


async def test_a_304_with_a_new_validator_is_asked_with_that_from_then_on(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.feed("/feed.xml", rss([entry(site, 1)], extra="<ttl>1500</ttl>"), etag='"v1"')
    feed = await subscribe(database, url)
    async with worker() as running:
        await running.collecting.claim_and_collect()
        site.respond("/feed.xml", status(304, etag='"v2"'))
        for _ in range(2):
            await database.write(request_feed, feed.id)
            await running.collecting.claim_and_collect()
    sent = [request.headers.get("if-none-match") for request in site.requests_for("/feed.xml")]
    assert sent == [None, '"v1"', '"v2"']
    assert (await database.read(load_feed, feed.id)).hints.ttl_s == 1500 * 60


async def test_a_change_is_recorded_with_what_was_before_and_null_never_wins(
    site: Site, database: Database, worker: Open
) -> None:
    url = site.feed("/feed.xml", rss([entry(site, 1, title="Before", author="Ada")]))
    feed = await subscribe(database, url)
    async with worker() as running:
        await running.collecting.claim_and_collect()
        site.feed("/feed.xml", rss([entry(site, 1, title="After", author=None)]))
        await database.write(request_feed, feed.id)
        result, run_id = await running.collecting.claim_and_collect()
    assert (result.added, result.updated) == (0, 1)
    (item,) = await database.read(list_items)
    assert (item.title, item.author) == ("After", "Ada")
    ((_, fields),) = await database.read(load_item_changes, item.id)
    assert fields == {"title": ["Before", "After"]}
    assert run_id is not None


async def test_texts_that_no_database_stores_are_not_a_change_at_every_fetch(
    site: Site, database: Database, worker: Open
) -> None:
    odd = "\\ud800 a \\u0000\\udfff b"
    texts = ",".join(f'"{name}":"{odd}"' for name in ("title", "summary", "content_html", "language", "id"))
    document = (
        f'{{"version":"https://jsonfeed.org/version/1.1","title":"{odd}","description":"{odd}","items":['
        f'{{{texts},"url":"{site.url("/articles/1")}","image":"{site.url("/")}{odd}","tags":["{odd}","\\u0000"],'
        f'"authors":[{{"name":"{odd}"}}]}},'
        f'{{"url":"{site.url("/articles/2")}","title":"nul \\u0000","author":"{odd}"}}]}}'
    )
    feed = await subscribe(database, site.feed("/feed.json", document, content_type="application/feed+json"))
    async with worker() as running:
        first, _ = await running.collecting.claim_and_collect()
        await database.write(request_feed, feed.id)
        second, _ = await running.collecting.claim_and_collect()
    assert (first.added, first.errors) == (2, {})
    assert (second.fetched, second.added, second.updated) == (1, 0, 0)
    stored = {item.title: item for item in await database.read(list_items)}
    assert set(stored) == {"? a ? b", "nul"}
    assert (stored["? a ? b"].author, stored["? a ? b"].tags) == ("? a ? b", ("? a ? b",))


@pytest.mark.parametrize(
    ("code", "outcome", "scheduled"),
    [
        (500, Outcome.TEMPORARY_ERROR, True),
        (404, Outcome.PERMANENT_ERROR, False),
        (410, Outcome.PERMANENT_ERROR, False),
        (401, Outcome.UNAUTHORIZED, False),
        (403, Outcome.UNAUTHORIZED, False),
    ],
)
async def test_a_status_becomes_an_outcome_a_sentence_and_a_schedule(
    site: Site, database: Database, worker: Open, code: int, outcome: Outcome, scheduled: bool
) -> None:
    feed = await subscribe(database, site.respond("/feed.xml", status(code)))
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is outcome
    assert str(code) in (after.last_error or "")
    assert (after.next_run_at is not None) is scheduled
    assert after.locked_until is None
    assert after.requested_at is None
    assert list(result.errors) == [feed.url]


async def test_a_page_instead_of_a_feed_is_a_lasting_error_that_names_the_feed(
    site: Site, database: Database, worker: Open
) -> None:
    page = '<html><head><link rel="alternate" type="application/rss+xml" href="/real.xml"></head><body>Hi</body></html>'
    feed = await subscribe(database, site.respond("/", html(page)))
    async with worker() as running:
        await running.collecting.claim_and_collect()
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.PERMANENT_ERROR
    assert site.url("/real.xml") in (after.last_error or "")


async def test_items_of_another_host_are_dropped_and_counted(
    site: Site, database: Database, worker: Open
) -> None:
    elsewhere = Entry(url="https://elsewhere.example/1", title="Elsewhere")
    feed = await subscribe(database, site.feed("/feed.xml", rss([entry(site, 1), elsewhere])))
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.added, result.dropped) == (1, 1)
    await database.write(update_feed, feed.id, {"enforce_feed_domain": False})
    site.feed("/feed.xml", rss([entry(site, 1), elsewhere, entry(site, 2)]))
    await database.write(request_feed, feed.id)
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.added, result.dropped) == (2, 0)


async def test_an_article_of_two_feeds_is_one_in_counts_and_reports(
    site: Site, database: Database, worker: Open
) -> None:
    stories = [entry(site, number) for number in (1, 2, 3)]
    for name in ("hub-1", "hub-2"):
        await subscribe(database, site.feed(f"/{name}.xml", rss(stories)), topic=name)
    async with worker() as running:
        result, run_id = await running.collecting.claim_and_collect()
    assert result.added == 3
    assert run_id is not None
    report = await database.read(load_report, run_id)
    assert report.added_count == 3
    assert sorted(report.added_articles) == sorted(story.url for story in stories)
    shown = await database.read(load_run_added, run_id, limit=10)
    assert sorted(one.url for one in shown) == sorted(story.url for story in stories)
    assert len(await database.read(list_items)) == 6, "each feed keeps its own"


HOSTILE = "<item " + " ".join(f"a{n}=''" for n in range(20_000)) + "></item>"


async def test_what_was_left_out_of_a_feed_is_said_until_it_is_complete_again(
    site: Site, database: Database, worker: Open
) -> None:
    good = rss([entry(site, 1)])
    with_loss = good.replace("</channel>", HOSTILE + "</channel>")
    feed = await subscribe(database, site.feed("/feed.xml", with_loss, etag='"1"'))
    said = "It has an element with more than 1,000 attributes; reading stopped there."
    async with worker() as running:
        with structlog.testing.capture_logs() as logs:
            result, _ = await running.collecting.claim_and_collect()
        assert result.warnings == {feed.url: [said]}
        assert [(log["log_level"], log["what"]) for log in logs if log["event"] == "feed.left_out"] == [
            ("warning", said)
        ]
        after = await database.read(load_feed, feed.id)
        assert after.warnings == (FeedWarning(text=said, is_loss=True),)
        assert after.last_fetch_status is Outcome.SUCCESS, "it is fetched as before"
        assert after.next_run_at is not None
        health = feed_health(after, datetime.now(UTC))
        assert (health.state, said in health.sentence) == (HealthState.INCOMPLETE, True)
        assert [one.id for one in (await database.read(list_feeds, state="incomplete")).feeds] == [feed.id]
        assert (await database.read(list_feeds, state="success")).feeds == ()
        wanted = FeedFilter(state="incomplete")
        assert [one.id for one in (await database.read(load_feed_page, wanted, limit=5)).feeds] == [feed.id]
        # A 304 says that the document is still the same.
        await database.write(request_feed, feed.id)
        await running.collecting.claim_and_collect()
        assert site.requests[-1].headers["if-none-match"] == '"1"'
        assert (await database.read(load_feed, feed.id)).loses_entries
        site.feed("/feed.xml", good, etag='"2"')
        await database.write(request_feed, feed.id)
        await running.collecting.claim_and_collect()
        assert (await database.read(load_feed, feed.id)).warnings == ()
    reports = [await database.read(load_report, run.run_id) for run in await database.read(load_runs)]
    assert {feed.url: [said]} in [report.details.warnings for report in reports]


async def test_what_limits_and_rules_leave_out_is_told_and_the_feed_is_healthy(
    site: Site, database: Database, worker: Open
) -> None:
    elsewhere = Entry(url="https://elsewhere.example/1", title="В другом месте")
    listed = [elsewhere, *(entry(site, number) for number in range(1, 5))]
    doubled = rss([*listed, listed[-1]])
    feed = await subscribe(database, site.feed("/feed.xml", doubled))
    async with worker(max_articles=3) as running:
        await running.collecting.claim_and_collect()
    after = await database.read(load_feed, feed.id)
    assert [(one.text.partition(":")[0], one.is_loss) for one in after.warnings] == [
        ("1 entry left out", False),
        ("1 entry left out", False),
        ("1 entry left out", False),
    ]
    words = " ".join(one.text for one in after.warnings)
    assert "the same as another entry" in words
    assert "on other hosts" in words
    assert "FETCHER_MAX_ARTICLES" in words
    assert feed_health(after, datetime.now(UTC)).state is HealthState.SUCCESS


async def test_an_entry_without_a_link_is_on_the_feeds_own_host(
    site: Site, database: Database, worker: Open
) -> None:
    document = rss([entry(site, 1)], link="https://elsewhere.example/").replace(
        "</channel>", "<item><title>Без ссылки 🙂</title><description>نص</description></item></channel>"
    )
    await subscribe(database, site.feed("/feed.xml", document))
    async with worker() as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.added, result.dropped) == (2, 0)


async def test_a_feed_whose_items_are_all_elsewhere_says_what_to_do(
    site: Site, database: Database, worker: Open
) -> None:
    entries = [Entry(url=f"https://www.example.com/{n}", title=str(n)) for n in range(3)]
    feed = await subscribe(database, site.feed("/feed.xml", rss(entries)))
    async with worker() as running:
        await running.collecting.claim_and_collect()
    after = await database.read(load_feed, feed.id)
    assert after.last_fetch_status is Outcome.TEMPORARY_ERROR
    assert after.last_error == "All 3 items are on www.example.com; allow that with `feed edit --any-host`."
    assert not after.validators


async def test_a_feed_that_moved_for_good_is_found_by_both_urls(
    site: Site, database: Database, worker: Open
) -> None:
    new = site.feed("/new.xml", rss([entry(site, 1)]))
    old = site.redirect("/old.xml", new, 308)
    feed = await subscribe(database, old)
    async with worker() as running:
        await running.collecting.claim_and_collect()
    after = await database.read(load_feed, feed.id)
    assert after.url == new
    found = await database.read(find_feed_by_url, old)
    assert found is not None
    assert found.id == feed.id


async def test_requests_to_one_host_keep_their_distance_and_the_rest_is_postponed(
    site: Site, database: Database, worker: Open
) -> None:
    for number in range(3):
        await subscribe(database, site.feed(f"/feed{number}.xml", rss([entry(site, number)])))
    async with worker(domain_delay=60) as running:
        result, _ = await running.collecting.claim_and_collect()
    assert (result.fetched, result.postponed) == (1, 2)
    assert result.next_turn_s is not None
    assert 55 < result.next_turn_s <= 60
    async with worker(domain_delay=60) as other_process:
        result, _ = await other_process.collecting.claim_and_collect()
    assert result.fetched == 0
    assert len(site.requests) == 1


async def test_a_crowded_host_is_asked_at_each_of_its_turns_and_not_only_at_the_next_interval(
    site: Site, database: Database, worker: Open
) -> None:
    for number in range(4):
        feed = await subscribe(database, site.feed(f"/feed{number}.xml", rss([entry(site, number)])))
        # Due by its schedule, not asked for: a request would wake the worker by itself.
        await set_schedule(database, feed, next_run_at=db_now(), requested_at=None)
    stop = asyncio.Event()
    async with worker(domain_delay=0.2, interval=300) as running:
        running.stages = frozenset({Stage.COLLECT})
        working = asyncio.create_task(running.run(stop))
        asked = await site.wait_for_requests(4)
        stop.set()
        await working
    times = sorted(request.at for request in asked)
    assert all(later - earlier >= 0.19 for earlier, later in pairwise(times))


async def test_the_turns_of_a_crowded_host_are_one_run(site: Site, database: Database, worker: Open) -> None:
    for number in range(5):
        feed = await subscribe(database, site.feed(f"/feed{number}.xml", rss([entry(site, number)])))
        await set_schedule(database, feed, next_run_at=db_now(), requested_at=None)
    stop = asyncio.Event()
    async with worker(domain_delay=0.2, interval=300) as running:
        running.stages = frozenset({Stage.COLLECT})
        working = asyncio.create_task(running.run(stop))
        await site.wait_for_requests(5)
        stop.set()
        await working
    (report,) = await database.read(load_runs)
    # The fifth is under way when the worker stops; the four before it were saved, or it would not have begun.
    assert report.finished_at is not None
    assert report.added_count == report.details.feeds >= 4


async def test_the_cycles_of_a_run_add_up_in_its_report(site: Site, database: Database, worker: Open) -> None:
    urls = [site.feed("/1.xml", rss([entry(site, 1)])), site.respond("/2.xml", status(404))]
    urls.append(site.feed("/3.xml", rss([entry(site, 3)])))
    run = CollectRun()
    finished = []
    async with worker() as running:
        for url in urls:
            await subscribe(database, url)
            _, run_id = await running.collecting.claim_and_collect(run=run)
            assert run_id == run.id is not None
            finished.append((await database.read(load_report, run_id)).finished_at)
    (report,) = await database.read(load_runs)
    assert (report.added_count, report.errors_count, report.interrupted) == (2, 1, False)
    assert (report.details.feeds, list(report.details.errors)) == (3, [urls[1]])
    assert finished == sorted(set(finished)), "its end moves on with each"
    assert report.finished_at == finished[-1]


async def test_a_run_that_was_deleted_between_two_cycles_is_followed_by_another(
    site: Site, database: Database, worker: Open
) -> None:
    run = CollectRun()
    async with worker() as running:
        first = await subscribe(database, site.feed("/1.xml", rss([entry(site, 1)])))
        _, gone = await running.collecting.claim_and_collect(run=run)
        await database.write(purge_feeds, [first.id])
        await subscribe(database, site.feed("/2.xml", rss([entry(site, 2)])))
        result, run_id = await running.collecting.claim_and_collect(run=run)
    assert (result.added, result.errors) == (1, {})
    assert [report.run_id for report in await database.read(load_runs)] == [run_id] != [gone]


async def test_a_429_silences_the_whole_host_for_as_long_as_it_asked(
    site: Site, database: Database, worker: Open
) -> None:
    first = await subscribe(database, site.respond("/a.xml", status(429, Retry_After="1800")))
    async with worker() as running:
        await running.collecting.claim_and_collect()
        await subscribe(database, site.feed("/b.xml", rss([entry(site, 1)])))
        result, _ = await running.collecting.claim_and_collect()
    assert (result.fetched, result.postponed) == (0, 1)
    assert [request.path for request in site.requests] == ["/a.xml"]
    after = await database.read(load_feed, first.id)
    assert after.next_run_at is not None
    assert 1700 < (after.next_run_at - datetime.now(UTC)).total_seconds() <= 1801


async def test_a_page_that_robots_txt_forbids_is_not_fetched(
    site: Site, database: Database, worker: Open
) -> None:
    site.respond("/robots.txt", html("User-agent: *\nDisallow: /articles/2\n"))
    site.feed("/feed.xml", rss([entry(site, 1), entry(site, 2)]))
    site.page("/articles/1", article_page(title="Story 1", paragraphs=[PARAGRAPH] * 4))
    await subscribe(database, site.url("/feed.xml"))
    async with worker() as running:
        report = await running.run_once()
    assert report.articles == {"success": 1, "FAIL_HTTP": 1}
    assert len(site.requests_for("/robots.txt")) == 1
    assert site.requests_for("/articles/2") == []
    refused = await database.read(load_article, uid(site.url("/articles/2")))
    assert refused is not None
    assert refused.failure is not None
    assert "robots.txt" in refused.failure.detail


async def test_a_page_that_leads_to_where_robots_txt_forbids_is_not_followed(
    site: Site, database: Database, worker: Open
) -> None:
    away = site.hosts[1]
    site.respond("/robots.txt", html("User-agent: *\nDisallow: /private/\n"))
    site.respond("/robots.txt", html("User-agent: *\nDisallow: /\n"), host=away)
    site.feed("/feed.xml", rss([entry(site, number) for number in (1, 2, 3)]))
    site.redirect("/articles/1", "/private/1", 302)
    site.redirect("/articles/2", site.url("/there/2", away), 301)
    site.redirect("/articles/3", "/moved/3", 301)
    for path in ("/private/1", "/there/2", "/moved/3"):
        site.page(path, article_page(title="Story", paragraphs=[PARAGRAPH] * 4))
    await subscribe(database, site.url("/feed.xml"))
    async with worker() as running:
        report = await running.run_once()
    assert report.articles == {"success": 1, "FAIL_HTTP": 2}
    assert [request.path for request in site.requests if request.host == away] == ["/robots.txt"]
    assert site.requests_for("/private/1") == []
    for number, host in ((1, site.hosts[0]), (2, away)):
        refused = await database.read(load_article, uid(site.url(f"/articles/{number}")))
        assert refused is not None
        assert refused.failure is not None
        assert refused.failure.detail == f"{host}: its robots.txt asks us to stay away"


async def test_the_robots_txt_of_where_a_page_leads_keeps_the_distance_too(
    site: Site, database: Database, worker: Open
) -> None:
    away = site.hosts[1]
    site.respond("/robots.txt", html("User-agent: *\nDisallow:\n"))
    site.feed("/feed.xml", rss([entry(site, 1)]))
    site.redirect("/articles/1", site.url("/there/1", away), 302)
    site.page("/there/1", article_page(title="Story", paragraphs=[PARAGRAPH] * 4), host=away)
    await subscribe(database, site.url("/feed.xml"))
    async with worker(domain_delay=0.3) as running:
        await running.collecting.claim_and_collect()
        assert running.canonicalizer is not None
        assert await running.canonicalizer.run_to_the_end() == {"success": 1}
    asked, followed = (request for request in site.requests if request.host == away)
    assert (asked.path, followed.path) == ("/robots.txt", "/there/1")
    assert followed.at - asked.at > 0.29


async def test_a_feed_is_followed_wherever_it_leads(site: Site, database: Database, worker: Open) -> None:
    away = site.hosts[1]
    site.respond("/robots.txt", html("User-agent: *\nDisallow: /\n"), host=away)
    feed = await subscribe(
        database, site.redirect("/a.xml", site.feed("/b.xml", rss([entry(site, 1)]), host=away), 302)
    )
    async with worker() as running:
        await running.collecting.claim_and_collect()
    assert [request.path for request in site.requests] == ["/a.xml", "/b.xml"]
    assert (await database.read(load_feed, feed.id)).last_fetch_status is Outcome.SUCCESS


async def test_a_crash_in_one_feed_is_recorded_on_it_and_stops_nothing_else(
    site: Site, database: Database, worker: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = await subscribe(database, site.feed("/bad.xml", rss([entry(site, 1)])))
    good = await subscribe(database, site.feed("/good.xml", rss([entry(site, 2)])))
    async with worker() as running:
        parse = running.collecting.collectors[FeedKind.FEED].parse

        async def crashing(body: bytes, url: str, content_type: str, zone: tzinfo) -> Any:
            if url.endswith("/bad.xml"):
                raise ZeroDivisionError("on purpose")
            return await parse(body, url, content_type, zone)

        object.__setattr__(running.collecting.collectors[FeedKind.FEED], "parse", crashing)
        await running.collecting.claim_and_collect()
    assert "ZeroDivisionError" in ((await database.read(load_feed, bad.id)).last_error or "")
    assert (await database.read(load_feed, good.id)).last_fetch_status is Outcome.SUCCESS


async def test_a_title_that_changed_is_analyzed_again(site: Site, database: Database, worker: Open) -> None:
    url = site.feed("/feed.xml", rss([entry(site, 1, title="You won't BELIEVE this")]))
    site.page("/articles/1", article_page(title="Story 1", paragraphs=[PARAGRAPH] * 4))
    feed = await subscribe(database, url)
    async with worker() as running:
        await running.run_once()
        (before,) = await database.read(list_items)
        site.feed("/feed.xml", rss([entry(site, 1, title="The council met on Tuesday")]))
        await database.write(request_feed, feed.id)
        report = await running.run_once()
    (after,) = await database.read(list_items)
    assert sum(report.analyses.values()) == 1
    assert report.articles == {}
    assert before.analyzed_at is not None
    assert after.analyzed_at is not None
    assert after.analyzed_at > before.analyzed_at


async def test_a_feed_that_moved_to_anothers_url_says_whose_duplicate_it_is(
    site: Site, database: Database, worker: Open
) -> None:
    new = site.feed("/new.xml", rss([entry(site, 1)]))
    owner = await subscribe(database, new)
    moved = await subscribe(database, site.redirect("/old.xml", new, 301))
    async with worker() as running:
        await running.collecting.claim_and_collect()
    after = await database.read(load_feed, moved.id)
    assert (after.url, after.duplicate_of) == (site.url("/old.xml"), owner.id)
    assert str(owner.id) in feed_health(after, datetime.now(UTC)).sentence
    assert (await database.read(load_feed, owner.id)).duplicate_of is None


async def test_credentials_are_sent_to_the_feeds_own_origin_only(
    site: Site, database: Database, worker: Open
) -> None:
    elsewhere = site.feed("/b.xml", rss([]), host="127.0.0.2")
    feed = await subscribe(database, site.redirect("/a.xml", elsewhere, 302))
    await database.write(save_credentials, feed.id, {"Authorization": basic_authorization("me", "secret")})
    async with worker() as running:
        await running.collecting.claim_and_collect()
    (first,), (second,) = site.requests_for("/a.xml"), site.requests_for("/b.xml")
    assert first.headers["authorization"] == "Basic bWU6c2VjcmV0"
    assert "authorization" not in second.headers


@pytest.mark.parametrize("permanent", [301, 308])
async def test_credentials_do_not_move_to_another_origin_with_their_feed(
    site: Site, database: Database, worker: Open, permanent: int
) -> None:
    elsewhere = site.feed("/b.xml", rss([entry(site, 1)]), host="127.0.0.2")
    feed = await subscribe(database, site.redirect("/a.xml", elsewhere, permanent))
    await database.write(save_credentials, feed.id, {"Authorization": basic_authorization("me", "secret")})
    async with worker() as running:
        for _ in range(2):
            await database.write(request_feed, feed.id)
            await running.collecting.claim_and_collect()
    assert [request.headers.get("authorization") for request in site.requests_for("/b.xml")] == [None, None]
    assert {request.headers["authorization"] for request in site.requests_for("/a.xml")} == {
        "Basic bWU6c2VjcmV0"
    }
    after = await database.read(load_feed, feed.id)
    assert (after.url, after.last_fetch_status) == (feed.url, Outcome.SUCCESS)


def test_a_run_forgets_the_error_of_a_feed_that_was_saved_after_all() -> None:
    run = CollectRun()
    run.add(
        CycleResult(errors={"https://a.example/": "The disk is full.", "https://b.example/": "404"}),
        interrupted=True,
    )
    run.add(CycleResult(fetched=1, succeeded={"https://a.example/"}), interrupted=False)
    assert (run.errors, run.interrupted) == ({"https://b.example/": "404"}, False)
