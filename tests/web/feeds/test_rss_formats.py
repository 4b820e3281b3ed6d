"""`/rss` in every format and encoding, and that a rebuild elsewhere is noticed (C7)."""

from __future__ import annotations

import asyncio
import gzip
import json
from datetime import UTC, datetime, timedelta

import aiohttp
import brotli
import pytest

from inforadar.config import Settings
from inforadar.model.feed import Feed
from inforadar.pipeline.build import Builder
from inforadar.stages.publish.formats import FORMATS
from inforadar.store.database import open_database
from inforadar.store.feeds.changes import update_feed
from tests.support.faces.newsroom import BUILT_AT, Newsroom
from tests.support.feed_rules import atom_problems, json_feed_problems, rss_problems

URL = "https://news.example/feed"
LONG = "<rss>" + "Новини 新闻 🗞 " * 500 + "</rss>"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def article(number: int) -> str:
    return f"https://news.example/{number}"


@pytest.fixture
async def feed(newsroom: Newsroom) -> Feed:
    """Five items, 1 being the newest; 2, 3 and 5 are analyzed, 3 with a score of 0."""
    feed = await newsroom.add_feed(URL, title="Новини")
    for number in range(1, 6):
        await newsroom.add_item(
            feed,
            article(number),
            title=f"标题 {number} <b>&",
            snippet=f"مقتطف {number}",
            published_at=NOW - timedelta(hours=number),
        )
    await newsroom.analyze({article(2): 0.9, article(3): 0.0, article(5): 0.3})
    await build(newsroom)
    return feed


async def build(newsroom: Newsroom, at: datetime = BUILT_AT) -> None:
    builder = Builder(
        database=newsroom.database, last_n=50, public_url="https://radar.example", now=lambda: at
    )
    await builder.run_once()


async def load(web: aiohttp.ClientSession, **query: str) -> str:
    headers = {"Accept-Encoding": "identity"}
    async with web.get("/rss", params={"url": URL, **query}, headers=headers) as response:
        assert response.status == 200, await response.text()
        return await response.text()


@pytest.mark.parametrize("embedded", ["", "1"])
@pytest.mark.parametrize(
    ("name", "media_type", "problems"),
    [
        ("rss", "application/rss+xml", rss_problems),
        ("atom", "application/atom+xml", atom_problems),
        ("json", "application/feed+json", json_feed_problems),
    ],
)
async def test_each_format_is_valid_and_has_the_items(
    web: aiohttp.ClientSession, feed: Feed, name: str, media_type: str, problems: object, embedded: str
) -> None:
    query = {"url": URL, "format": name, "embedded": embedded}
    async with web.get("/rss", params=query, headers={"Accept-Encoding": "identity"}) as response:
        assert response.status == 200
        assert response.headers["Content-Type"] == f"{media_type}; charset=utf-8"
        assert response.headers["Last-Modified"] == "Sun, 01 Mar 2026 12:00:05 GMT"
        document = await response.text()
    assert callable(problems)
    assert problems(document, BUILT_AT) == []
    assert [document.count(article(number)) > 0 for number in range(1, 6)] == [True] * 5
    assert ("loaded 0.90" in document) == bool(embedded)


@pytest.mark.parametrize("name", FORMATS)
async def test_a_registered_format_is_served_everywhere_and_described(
    web: aiohttp.ClientSession, feed: Feed, name: str
) -> None:
    addresses = (
        f"/rss?url={URL}&format={name}",
        f"/feeds/topic/{feed.topic}.{name}",
        f"/feeds/search.{name}?q=x",
    )
    for address in addresses:
        async with web.get(address) as response:
            assert response.status == 200, address
            assert response.headers["Content-Type"] == FORMATS[name].content_type
    async with web.get("/openapi.json") as response:
        operation = (await response.json())["paths"]["/rss"]["get"]
    assert FORMATS[name].content_type in operation["responses"]["200"]["content"]
    described = next(one["schema"] for one in operation["parameters"] if one["name"] == "format")
    assert name in described["enum"]


async def test_a_document_names_the_address_it_is_served_at(
    web: aiohttp.ClientSession, web_settings: Settings, feed: Feed
) -> None:
    document = json.loads(await load(web, format="json", max_score="0.50", embedded="true"))
    query = "url=https%3A%2F%2Fnews.example%2Ffeed&format=json&embedded=1&max_score=0.5"
    address = f"{web_settings.web.base_url}/rss?{query}"
    assert document["feed_url"] == address


@pytest.mark.parametrize(
    ("max_score", "numbers"), [("0", [3]), ("0.3", [3, 5]), ("1", [2, 3, 5]), ("0.29", [3])]
)
async def test_max_score_leaves_only_analyzed_items_of_at_most_that(
    web: aiohttp.ClientSession, feed: Feed, max_score: str, numbers: list[int]
) -> None:
    document = json.loads(await load(web, format="json", max_score=max_score))
    assert [item["url"] for item in document["items"]] == [article(number) for number in numbers]


async def test_max_score_is_applied_before_the_limit(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feed = await newsroom.add_feed(URL)
    await newsroom.add_items(feed, 60)
    oldest = f"https://news.example/{feed.id}/60"
    await newsroom.analyze({oldest: 0.1})
    await build(newsroom)
    assert oldest not in await load(web)
    assert oldest in await load(web, max_score="0.1")


@pytest.mark.parametrize(
    "query",
    ["format=html", "max_score=x", "max_score=nan", "max_score=-0.1", "max_score=2", "embedded=maybe"],
)
async def test_a_parameter_that_means_nothing_is_a_bad_request(
    web: aiohttp.ClientSession, feed: Feed, query: str
) -> None:
    async with web.get(f"/rss?url={URL}&{query}") as response:
        assert response.status == 400
        assert query.partition("=")[0] in await response.text()


@pytest.mark.parametrize("name", ["atom", "json"])
async def test_a_disabled_feed_is_forbidden_in_every_format(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed, name: str
) -> None:
    await load(web, format=name)
    await newsroom.database.write(update_feed, feed.id, {"enabled": False})
    for query in ({"format": name}, {"format": name, "max_score": "1"}):
        async with web.get("/rss", params={"url": URL, **query}) as response:
            assert response.status == 403


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip", "gzip"),
        ("gzip;q=1.0, br;q=0.5", "gzip"),
        ("br;q=0, *", "gzip"),
        ("identity", None),
        ("gzip;q=0", None),
        ("deflate", None),
    ],
)
async def test_the_encoding_is_the_best_that_is_accepted(
    newsroom: Newsroom, web: aiohttp.ClientSession, accepted: str, encoding: str | None
) -> None:
    await newsroom.build(await newsroom.add_feed(URL), LONG)
    async with web.get("/rss", params={"url": URL}, headers={"Accept-Encoding": accepted}) as response:
        assert response.headers.get("Content-Encoding") == encoding
        assert response.headers["Vary"] == "Accept-Encoding"
        body = await response.read()
        assert int(response.headers["Content-Length"]) == len(body)
    decode = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}[encoding]
    assert decode(body) == LONG.encode()
    assert encoding is None or len(body) < len(LONG.encode()) / 10


async def test_each_encoding_has_its_own_etag_and_any_of_them_gets_304(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    await newsroom.build(await newsroom.add_feed(URL), LONG)
    tags = []
    for accepted in ("identity", "gzip", "br"):
        async with web.get("/rss", params={"url": URL}, headers={"Accept-Encoding": accepted}) as response:
            tags.append(response.headers["ETag"])
    assert len(set(tags)) == 3
    for tag in tags:
        headers = {"If-None-Match": tag, "Accept-Encoding": "br"}
        async with web.get("/rss", params={"url": URL}, headers=headers) as response:
            assert response.status == 304


async def test_a_date_beyond_all_time_asks_for_nothing(web: aiohttp.ClientSession, feed: Feed) -> None:
    headers = {"If-Modified-Since": "Fri, 31 Dec 9999 23:59:59 -0500"}
    async with web.get("/rss", params={"url": URL}, headers=headers) as response:
        assert response.status == 200


async def test_a_build_by_another_process_is_noticed(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings
) -> None:
    feed = await newsroom.add_feed(URL)
    await newsroom.build(feed, LONG)
    assert await load(web) == LONG
    async with open_database(web_settings.database_url) as other:
        await Newsroom(database=other).build(feed, "<new/>", BUILT_AT + timedelta(seconds=1))
    async with asyncio.timeout(30):
        while await load(web) != "<new/>":
            await asyncio.sleep(0.005)


async def test_two_builds_in_one_second_have_two_dates(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    await load(web)
    item = await newsroom.add_item(feed, article(9), title="One more", published_at=NOW)
    await newsroom.analyze({article(9): 0.5})
    await build(newsroom)
    async with web.get("/rss", params={"url": URL}, headers={"Accept-Encoding": "identity"}) as response:
        assert response.headers["Last-Modified"] == "Sun, 01 Mar 2026 12:00:06 GMT"
        assert item.url in await response.text()


async def test_any_page_may_read_and_none_may_write(web: aiohttp.ClientSession, feed: Feed) -> None:
    async with web.get("/rss", params={"url": URL}) as response:
        assert response.headers["Access-Control-Allow-Origin"] == "*"
    asking = {"Origin": "https://portal.example", "Access-Control-Request-Method": "GET"}
    async with web.options("/rss", headers=asking) as response:
        assert response.status == 204
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        assert response.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
        assert "If-None-Match" in response.headers["Access-Control-Allow-Headers"]
