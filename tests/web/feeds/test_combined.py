"""Combined feeds: by topic, by source, by search, in every format."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import aiohttp
import pytest
from yarl import URL

from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.queries import load_feeds
from tests.support.faces.newsroom import Newsroom
from tests.support.feed_rules import atom_problems, json_feed_problems, rss_problems

NOW = datetime.now(UTC).replace(microsecond=0)
RULES = {"rss": rss_problems, "atom": atom_problems, "json": json_feed_problems}


@pytest.fixture
async def world(newsroom: Newsroom) -> Newsroom:
    """Two sources, two topics; the article `both` is in two feeds."""
    habr = await newsroom.add_feed("https://habr.example/feed", source="Habr", topic="python.dev")
    bbc = await newsroom.add_feed("https://bbc.example/feed", source="BBC & <Co>", topic="мир")
    third = await newsroom.add_feed("https://third.example/feed", source="Habr", topic="мир")
    for number, (feed, name) in enumerate(
        [(habr, "both"), (bbc, "both"), (habr, "python"), (bbc, "world"), (third, "мир")]
    ):
        await newsroom.add_item(
            feed,
            f"https://site.example/{name}" if name != "мир" else "https://site.example/%D0%BC",
            title=f"Summit {name} 峰会",
            snippet="A <snippet> & more",
            published_at=NOW - timedelta(hours=number),
        )
    await SearchIndexer(database=newsroom.database).run_once()
    return newsroom


async def urls(web: aiohttp.ClientSession, path: str, **query: str) -> list[str]:
    async with web.get(path, params=query, headers={"Accept-Encoding": "identity"}) as response:
        assert response.status == 200, await response.text()
        return [item["url"].rpartition("/")[2] for item in json.loads(await response.text())["items"]]


@pytest.mark.parametrize("name", list(RULES))
@pytest.mark.parametrize(
    "path",
    ["/feeds/topic/мир", "/feeds/source/BBC%20%26%20%3CCo%3E", "/feeds/search", "/feeds/topic/python.dev"],
)
async def test_every_combined_feed_is_valid_in_every_format(
    world: Newsroom, web: aiohttp.ClientSession, path: str, name: str
) -> None:
    query = {"q": "summit 峰会"} if path.endswith("search") else {}
    answers = []
    for address, asked in ((path, {**query, "format": name}), (f"{path}.{name}", query)):
        async with web.get(address, params=asked, headers={"Accept-Encoding": "identity"}) as response:
            assert response.status == 200, await response.text()
            document = await response.text()
        assert RULES[name](document, datetime.now(UTC)) == []
        answers.append(document.count("Summit"))
    assert answers[0] == answers[1] > 0


async def test_each_has_its_items_newest_first_and_once(world: Newsroom, web: aiohttp.ClientSession) -> None:
    assert await urls(web, "/feeds/topic/%D0%9C%D0%98%D0%A0.json") == ["both", "world", "%D0%BC"]
    assert await urls(web, "/feeds/source/habr", format="json") == ["both", "python", "%D0%BC"]
    assert await urls(web, "/feeds/search.json", q="SUMMIT") == ["both", "python", "world", "%D0%BC"]
    assert await urls(web, "/feeds/search.json", q="峰会 python") == ["python"]


async def test_a_combined_feed_is_not_sent_twice(world: Newsroom, web: aiohttp.ClientSession) -> None:
    async with web.get("/feeds/topic/мир.atom") as first:
        headers = {"If-None-Match": first.headers["ETag"]}
    async with web.get("/feeds/topic/мир.atom", headers=headers) as again:
        assert again.status == 304
        assert again.headers.getall("X-Content-Type-Options") == ["nosniff"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/feeds/topic/nothing", 404),
        ("/feeds/source/nobody.json", 404),
        ("/feeds/search", 400),
        ("/feeds/search?q=%20", 400),
        ("/feeds/search?q=x&format=pdf", 400),
        ("/feeds/topic/мир?max_score=3", 400),
        ("/feeds/search?q=%22%27%00", 200),
        ("/feeds/search.pdf?q=x", 404),
    ],
)
async def test_what_is_not_there_or_not_meant(
    world: Newsroom, web: aiohttp.ClientSession, path: str, status: int
) -> None:
    async with web.get(path) as response:
        assert response.status == status


async def test_disabled_feeds_are_left_out_and_scores_filter(
    world: Newsroom, web: aiohttp.ClientSession
) -> None:
    await world.analyze({"https://site.example/world": 0.0, "https://site.example/both": 0.9})
    assert await urls(web, "/feeds/topic/мир.json", max_score="0.5") == ["world"]
    for feed in await world.database.read(load_feeds):
        if feed.topic == "мир":
            await world.database.write(update_feed, feed.id, {"enabled": False})
    async with web.get("/feeds/topic/мир") as response:
        assert response.status == 404
    assert await urls(web, "/feeds/search.json", q="summit") == ["both", "python"]


async def test_names_with_signs_of_urls_have_their_own_feed_and_link(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    names = ["C#", "C%23", "C", "What?", "What%3F", "a/b", "100%", "новости #1"]
    for number, name in enumerate(names):
        feed = await newsroom.add_feed(f"https://n{number}.example/feed", source=f"S{number}", topic=name)
        await newsroom.add_item(feed, f"https://n{number}.example/1", title=f"About {name}")
    for name in names:
        address = f"/feeds/topic/{quote(name)}"
        url = URL(f"{address}?format=json", encoded=True)
        async with web.get(url, headers={"Accept-Encoding": "identity"}) as response:
            assert response.status == 200, name
            document = json.loads(await response.text())
        assert [item["title"] for item in document["items"]] == [f"About {name}"]
        assert document["feed_url"].endswith(f"{address}?format=json")
