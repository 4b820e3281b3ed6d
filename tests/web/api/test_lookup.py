"""`/api/item` and `/api/site` (C8)."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import aiohttp
import pytest

from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.delete_feeds import delete_feed
from inforadar.store.items import lookup
from tests.support.faces.newsroom import Newsroom, analysis

URL = "https://news.example/статья?id=1"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


async def ask(web: aiohttp.ClientSession, path: str, **query: str) -> tuple[int, Any]:
    async with web.get(path, params=query, headers={"Accept-Encoding": "identity"}) as response:
        kind = "application/json" if response.status == 200 else "application/problem+json"
        assert response.headers["Content-Type"] == kind
        assert response.headers["Access-Control-Allow-Origin"] == "*"
        return response.status, await response.json()


async def test_an_item_is_found_by_any_spelling_of_its_url(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    normal = "https://news.example/%D1%81?id=1"
    await newsroom.add_item(await newsroom.add_feed(), normal, title="Заголовок 标题 🗞")
    for url in (normal, "HTTPS://News.example/с?id=1&utm_source=x#top"):
        status, found = await ask(web, "/api/item", url=url)
        assert status == 200
        assert (found["url"], found["title"]) == (normal, "Заголовок 标题 🗞")
        assert (found["score"], found["analyzed_at"], found["analyzer_result"]) == (None, None, {})


async def test_of_several_feeds_the_newest_analysis_is_given(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    url = "https://news.example/1"
    for number, score in enumerate((0.9, 0.0)):
        feed = await newsroom.add_feed(f"https://news.example/feed{number}")
        await newsroom.add_item(feed, url)
        if not number:
            await newsroom.analyze({url: score})
        else:
            await newsroom.finish_analyses({url: analysis(score, title="The newer one")})
    await newsroom.add_item(await newsroom.add_feed("https://news.example/feed9"), url)
    _, found = await ask(web, "/api/item", url=url)
    assert (found["score"], found["analyzer_result"]["title"]) == (0.0, "The newer one")


@pytest.mark.parametrize(
    ("max_score", "status"), [("0.5", 200), ("0.49", 404), ("1", 200), ("0", 404), ("1.1", 400), ("x", 400)]
)
async def test_max_score_hides_an_item_that_scores_more(
    newsroom: Newsroom, web: aiohttp.ClientSession, max_score: str, status: int
) -> None:
    url = "https://news.example/1"
    await newsroom.add_item(await newsroom.add_feed(), url)
    await newsroom.analyze({url: 0.5})
    assert (await ask(web, "/api/item", url=url, max_score=max_score))[0] == status


async def test_an_item_without_an_analysis_has_no_score_to_compare(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    url = "https://news.example/1"
    await newsroom.add_item(await newsroom.add_feed(), url)
    assert (await ask(web, "/api/item", url=url, max_score="1"))[0] == 404


async def test_a_score_of_zero_is_a_score(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    url = "https://news.example/1"
    await newsroom.add_item(await newsroom.add_feed(), url)
    await newsroom.analyze({url: 0.0})
    assert (await ask(web, "/api/item", url=url, max_score="0"))[0] == 200


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"url": "https://nobody.example/"}, 404),
        ({}, 400),
        ({"url": " "}, 400),
        ({"url": "javascript:alert(1)"}, 400),
        ({"url": "https://news.example/\0"}, 404),
    ],
)
async def test_what_is_not_there_is_said_in_json(
    web: aiohttp.ClientSession, query: dict[str, str], status: int
) -> None:
    found, body = await ask(web, "/api/item", **query)
    assert found == status
    assert body["error"].endswith((".", "article"))


async def test_items_of_disabled_and_deleted_feeds_are_never_served(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    feed = await newsroom.add_feed()
    await newsroom.add_item(feed, "https://news.example/1")
    asked = (("/api/item", {"url": "https://news.example/1"}), ("/api/site", {"root": "news.example"}))
    for path, query in asked:
        assert (await ask(web, path, **query))[0] == 200
    await newsroom.database.write(update_feed, feed.id, {"enabled": False})
    for path, query in asked:
        assert (await ask(web, path, **query))[0] == 404
    await newsroom.database.write(update_feed, feed.id, {"enabled": True})
    await newsroom.database.write(delete_feed, feed.id, NOW)
    for path, query in asked:
        assert (await ask(web, path, **query))[0] == 404


async def test_a_site_is_mixed_fairly_from_its_feeds(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    busy = await newsroom.add_feed("https://www.news.example/busy")
    quiet = await newsroom.add_feed("https://blog.news.example/quiet")
    other = await newsroom.add_feed("https://other.example/feed")
    for number in range(8):
        at = NOW - timedelta(minutes=number)
        await newsroom.add_item(busy, f"https://www.news.example/{number}", published_at=at)
    for number in range(2):
        at = NOW - timedelta(days=1 + number)
        await newsroom.add_item(quiet, f"https://blog.news.example/{number}", published_at=at)
    # Listed by both: it appears once.
    await newsroom.add_item(
        quiet, "https://www.news.example/0", published_at=NOW - timedelta(days=1, hours=1)
    )
    await newsroom.add_item(other, "https://other.example/0", published_at=NOW)
    status, body = await ask(web, "/api/site", root="NEWS.example", limit="6")
    assert status == 200
    urls = [item["url"].removeprefix("https://") for item in body["items"]]
    assert urls == [
        "www.news.example/0",
        "blog.news.example/0",
        "www.news.example/1",
        "blog.news.example/1",
        "www.news.example/2",
        "www.news.example/3",
    ]
    assert body["count"] == 6


@pytest.mark.parametrize("few", [0, 10_000])
async def test_max_score_is_applied_before_the_limit_of_a_site(
    newsroom: Newsroom, web: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    """The same whether few items have such scores or many."""
    monkeypatch.setattr(lookup, "FEW_SCORED", few)
    feed, other = await newsroom.add_feed(), await newsroom.add_feed("https://other.example/feed")
    for number in range(6):
        at = NOW - timedelta(minutes=number)
        await newsroom.add_item(feed, f"https://news.example/{number}", published_at=at)
    await newsroom.add_item(other, "https://other.example/1", published_at=NOW)
    scores = {0: 0.8, 3: 0.2, 4: 0.1, 5: 0.0}
    given = {f"https://news.example/{number}": score for number, score in scores.items()}
    await newsroom.analyze(given | {"https://other.example/1": 0.1})
    _, body = await ask(web, "/api/site", root="news.example", limit="2", max_score="0.2")
    assert [item["url"] for item in body["items"]] == ["https://news.example/3", "https://news.example/4"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"root": "nobody.example"}, 404),
        ({}, 400),
        ({"root": "news.example", "limit": "0"}, 400),
        ({"root": "news.example", "limit": "501"}, 400),
        ({"root": "news.example", "limit": "1e2"}, 400),
        ({"root": "%00 ' OR 1=1 --"}, 404),
    ],
)
async def test_a_site_that_is_not_there_or_a_wrong_limit(
    newsroom: Newsroom, web: aiohttp.ClientSession, query: dict[str, str], status: int
) -> None:
    await newsroom.add_feed()
    assert (await ask(web, "/api/site", **query))[0] == status


async def test_a_site_whose_feeds_have_nothing_yet_is_known(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    await newsroom.add_feed("https://новини.example/feed")
    for root in ("новини.example", "xn--b1amarcd.example"):
        status, body = await ask(web, "/api/site", root=root)
        assert (status, body["items"]) == (200, [])


async def test_a_site_is_found_by_any_of_its_hosts(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    await newsroom.add_feed("https://news.example.co.uk/feed")
    own = await newsroom.add_feed("https://blog.own.example/feed")
    await newsroom.database.write(update_feed, own.id, {"root_domain": "blog.own.example"})
    for root, status in (
        ("www.example.co.uk", 200),
        ("blog.own.example", 200),
        ("other.blog.own.example", 404),
        ("co.uk", 404),
        ("[", 404),
    ):
        assert (await ask(web, "/api/site", root=root))[0] == status, root


async def test_a_site_that_did_not_change_is_a_304_and_one_that_did_is_sent_compressed(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    feed = await newsroom.add_feed("https://news.example/feed")
    await newsroom.add_items(feed, 20)
    async with web.get("/api/site?root=news.example", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert len(json.loads(gzip.decompress(await response.read()))["items"]) == 20
        known = {"If-None-Match": response.headers["ETag"]}
    async with web.get("/api/site?root=news.example", headers=known) as response:
        assert response.status == 304
    await newsroom.add_item(feed, "https://news.example/new")
    async with web.get("/api/site?root=news.example", headers=known) as response:
        assert response.status == 200


async def test_many_pages_are_found_at_once_by_the_forms_of_their_urls(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    feed = await newsroom.add_feed()
    for url in ("https://www.news.example/a", "https://news.example/b/", "https://news.example/c.html?id=1"):
        await newsroom.add_item(feed, url, title=url[-6:])
    asked = {
        "http://news.example/a": "/a",
        "https://www.news.example/a/": "/a",
        "https://amp.news.example/a/amp": "/a",
        "https://news.example/b": "/b/",
        "http://www.news.example/b/amp/": "/b/",
        "https://news.example/c.amp.html?amp=1&id=1&utm_source=x": "/c.html?id=1",
    }
    others = ["https://news.example/", "https://news.example/d", "https://other.example/a", "no url", ""]
    async with web.post("/api/items/lookup", json={"urls": [*asked, *others]}) as response:
        assert response.status == 200
        assert "Access-Control-Allow-Origin" not in response.headers
        found = (await response.json())["items"]
    assert {url: item["url"].split(".example")[1] for url, item in found.items()} == asked
    assert {item["story"] for item in found.values()} == {None}
    async with web.post("/api/items/lookup", json={"urls": ["https://x.example/"] * 201}) as response:
        assert response.status == 400
