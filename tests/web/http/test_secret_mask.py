"""Secrets in feeds' URLs: people see them, strangers do not, wherever a feed is shown."""

from __future__ import annotations

import gzip
from urllib.parse import quote

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.web.http.secret_mask import Mask, _MaskedSender
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person

TOKEN = "s3cr3t/token+of=mine"
URL = f"https://news.example/feed?name=tech&token={quote(TOKEN, safe='')}&n=5"
LINK = "https://news.example/story?token=public-share-of-the-story"


@pytest.fixture
async def feed_id(newsroom: Newsroom) -> str:
    feed = await newsroom.add_feed(URL, source="Technik")
    await newsroom.add_item(feed, LINK)
    return str(feed.id)


def has_secret(text: str) -> bool:
    return any(form in text for form in (TOKEN, quote(TOKEN, safe=""), quote(quote(TOKEN, safe=""), safe="")))


async def test_a_token_in_a_feeds_url_is_shown_to_people_only(
    newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings, feed_id: str
) -> None:
    person = Person(web, web_settings)
    await person.log_in()
    paths = [f"/feeds/{feed_id}", f"/api/feeds/{feed_id}", "/api/feeds", "/api/opml"]
    for path in paths:
        async with web.get(path, headers=person.headers) as response:
            assert response.status == 200, path
            assert has_secret(await response.text()), f"{path} shows people no URL: nothing is tested"
    web.cookie_jar.clear()
    for path in [
        *paths,
        "/feeds",
        "/",
        "/api/items",
        "/api/runs",
        "/runs",
        "/statistics",
        "/metrics",
        "/alerts",
    ]:
        async with web.get(path) as response:
            text = await response.text()
            assert not has_secret(text), path
            assert int(response.headers["Content-Length"]) == len(text.encode())


async def test_the_token_of_a_feed_that_was_just_added_is_masked_at_once(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    async with web.get("/api/feeds") as response:
        assert (await response.json())["feeds"] == []
    await newsroom.add_feed(URL)
    async with web.get("/api/feeds") as response:
        text = await response.text()
    assert "name=tech" in text
    assert not has_secret(text)


async def test_an_articles_own_url_is_left_alone(web: aiohttp.ClientSession, feed_id: str) -> None:
    async with web.get("/api/items") as response:
        assert (await response.json())["items"][0]["url"] == LINK


async def test_a_compressed_page_is_masked_too(web: aiohttp.ClientSession, feed_id: str) -> None:
    async with web.get(f"/feeds/{feed_id}", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        text = gzip.decompress(await response.read()).decode()
    assert "token=***" in text
    assert not has_secret(text)
    async with web.head("/api/opml") as response:
        assert response.status == 200


def test_a_secret_is_known_in_every_form() -> None:
    mask = Mask([URL, "https://me:hunter2hunter2@b.example/", "https://c.example/?key=a1&x=hello"])
    for written in (
        f"token={TOKEN}",
        "token=" + quote(TOKEN, safe=""),
        "token%3D" + quote(quote(TOKEN, safe=""), safe=""),
        '"me:hunter2hunter2"',
        "hunter2hunter2",
        "?key=a1",
        "%3Fkey%3Da1",
    ):
        assert b"***" in mask.apply(written.encode()), written
    assert mask.apply(b"a1 of hello, x=hello") == b"a1 of hello, x=hello"
    assert not Mask(["https://c.example/?x=hello"])


async def test_a_secret_across_two_parts_of_a_stream_is_masked() -> None:
    sent: list[bytes] = []

    async def send(message: object) -> None:
        assert isinstance(message, dict)
        sent.append(message.get("body", b""))

    sender = _MaskedSender(Mask(["https://a.example/?token=0123456789"]), b"", send, is_head=False)
    await sender.send({"type": "http.response.start", "headers": [(b"content-type", b"text/csv")]})
    for part in (b"one,01234", b"56789,two", b",three"):
        await sender.send({"type": "http.response.body", "body": part, "more_body": True})
    await sender.send({"type": "http.response.body", "body": b"", "more_body": False})
    assert b"".join(sent) == b"one,***,two,three"
