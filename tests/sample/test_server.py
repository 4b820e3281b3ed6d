"""The sample world over real HTTP on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
import pytest_asyncio

from inforadar.errors import UsageError
from inforadar.sample.feeds import SAMPLE_FEEDS
from inforadar.sample.server import HOST, serve_sample
from inforadar.sample.world import World
from tests.support.ports import free_port

pytestmark = pytest.mark.slow

EPOCH = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = EPOCH

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def port() -> int:
    return free_port()


@pytest_asyncio.fixture
async def site(clock: Clock, port: int) -> AsyncIterator[aiohttp.ClientSession]:
    base = f"http://{HOST}:{port}"
    ready = asyncio.Event()
    runner = await serve_sample(World(EPOCH, base), port, ready, now=clock)
    assert ready.is_set()
    async with aiohttp.ClientSession(base) as session:
        yield session
    await runner.cleanup()


async def test_every_feed_answers_as_the_world_says(site: aiohttp.ClientSession, port: int) -> None:
    world = World(EPOCH, f"http://{HOST}:{port}")
    for feed in SAMPLE_FEEDS:
        async with site.get(feed.path) as answer:
            expected = world.respond(feed.path, EPOCH, {})
            assert answer.status == 200
            assert await answer.read() == expected.body
            assert answer.headers["Content-Type"] == expected.headers["Content-Type"]
            assert "Cache-Control" not in answer.headers


async def test_the_second_page_of_the_listing_is_another_page(site: aiohttp.ClientSession) -> None:
    bodies = [await (await site.get(target)).text() for target in ("/agora/latest", "/agora/latest?page=2")]
    assert "Page 1 of 2" in bodies[0]
    assert "Page 2 of 2" in bodies[1]


async def test_a_conditional_request_ends_in_304_until_something_happens(
    site: aiohttp.ClientSession, clock: Clock
) -> None:
    async with site.get("/lumen/feed.json") as first:
        validators = {
            "If-None-Match": first.headers["ETag"],
            "If-Modified-Since": first.headers["Last-Modified"],
        }
    async with site.get("/lumen/feed.json", headers=validators) as second:
        assert second.status == 304
        assert await second.read() == b""
    clock.now = EPOCH + timedelta(minutes=5)
    async with site.get("/lumen/feed.json", headers=validators) as third:
        assert third.status == 200
        assert "mochila" in await third.text()


async def test_it_only_answers_get_and_head(site: aiohttp.ClientSession) -> None:
    async with site.head("/lumen/feed.json") as head:
        assert head.status == 200
        assert int(head.headers["Content-Length"]) > 1000
    async with site.post("/lumen/feed.json", data=b"x") as post:
        assert post.status == 405


async def test_hostile_paths_end_in_404(site: aiohttp.ClientSession) -> None:
    for target in (
        "/%2e%2e/%2e%2e/etc/passwd",
        "/lumen/%00",
        "/lumen/%ff",
        "/images/..%2fworld.py",
        "/agora/latest?page=%",
    ):
        async with site.get(target) as answer:
            assert answer.status == 404, target


async def test_a_busy_port_is_a_sentence_that_says_what_to_do(port: int) -> None:
    with socket.socket() as other:
        other.bind((HOST, port))
        other.listen()
        with pytest.raises(UsageError, match=rf"Port {port} .* taken .* --no-sample"):
            await serve_sample(World(EPOCH), port)


async def test_after_cleanup_the_port_is_free_again(port: int) -> None:
    for _ in range(2):
        runner = await serve_sample(World(EPOCH), port)
        await runner.cleanup()
        with socket.socket() as other:
            assert other.connect_ex((HOST, port)) != 0
