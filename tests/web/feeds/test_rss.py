from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.model.feed import Feed
from inforadar.store.database import open_database
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.delete_feeds import delete_feed
from tests.support.faces.newsroom import BUILT_AT, Newsroom
from tests.support.faces.serving import running

URL = "https://news.example/feed?lang=uk&page=1"
DOCUMENT = '<?xml version="1.0"?><rss><channel><title>Новини 新闻 🗞</title></channel></rss>'


@pytest.fixture
async def feed(newsroom: Newsroom) -> Feed:
    feed = await newsroom.add_feed(URL)
    await newsroom.build(feed, DOCUMENT)
    return feed


@pytest.fixture
async def answer(web: aiohttp.ClientSession, feed: Feed) -> AsyncIterator[aiohttp.ClientResponse]:
    async with web.get("/rss", params={"url": URL}) as response:
        yield response


async def test_a_built_feed_is_served_as_it_was_built(answer: aiohttp.ClientResponse) -> None:
    assert answer.status == 200
    assert await answer.read() == DOCUMENT.encode()
    assert answer.headers["Content-Type"] == "application/rss+xml; charset=utf-8"
    assert answer.headers["Last-Modified"] == "Sun, 01 Mar 2026 12:00:05 GMT"
    assert answer.headers["ETag"].startswith('"')
    assert answer.headers["Cache-Control"] == "no-cache"


async def test_other_spellings_of_a_url_name_the_same_feed(web: aiohttp.ClientSession, feed: Feed) -> None:
    async with web.get("/rss", params={"url": f"  HTTPS://News.Example:443/a/../{URL[21:]}#top"}) as response:
        assert response.status == 200


async def test_a_feed_that_moved_is_found_by_its_former_url(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    await newsroom.fetched(feed, moved_to="https://new.example/feed")
    for url in (URL, "https://new.example/feed"):
        async with web.get("/rss", params={"url": url}) as response:
            assert response.status == 200
            assert await response.text() == DOCUMENT


async def test_a_disabled_feed_is_forbidden(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    await newsroom.database.write(update_feed, feed.id, {"enabled": False})
    async with web.get("/rss", params={"url": URL}) as response:
        assert response.status == 403
        assert "inforadar feed enable" in await response.text()


async def test_a_deleted_feed_is_not_found(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    await newsroom.database.write(delete_feed, feed.id, datetime.now(UTC))
    async with web.get("/rss", params={"url": URL}) as response:
        assert response.status == 404


async def test_a_feed_that_was_never_built_is_not_found(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    await newsroom.add_feed(URL)
    async with web.get("/rss", params={"url": URL}) as response:
        assert response.status == 404
        assert "not been built yet" in await response.text()


async def test_an_unknown_feed_is_not_found(web: aiohttp.ClientSession) -> None:
    async with web.get("/rss", params={"url": "https://nobody.example/"}) as response:
        assert response.status == 404
        assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert "inforadar feed add" in await response.text()


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?url=",
        "?url=%20",
        "?uri=https://news.example/",
        "?url=news.example",
        "?url=ftp://news.example/",
        "?url=javascript:alert(1)",
        "?url=https://",
        "?url=https://%00/",
        "?url=%FF%FE",
        "?url=https://news.example/" + "a" * 9000,
    ],
)
async def test_what_is_no_url_is_a_bad_request(web: aiohttp.ClientSession, query: str) -> None:
    async with web.get(f"/rss{query}") as response:
        assert response.status == 400
        assert len((await response.text()).splitlines()) == 1


@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
async def test_whoever_has_the_etag_gets_304(
    web: aiohttp.ClientSession, answer: aiohttp.ClientResponse, form: str
) -> None:
    headers = {"If-None-Match": form.format(answer.headers["ETag"])}
    async with web.get("/rss", params={"url": URL}, headers=headers) as response:
        assert response.status == 304
        assert await response.read() == b""
        assert response.headers["ETag"] == answer.headers["ETag"]
        assert response.headers["Last-Modified"] == answer.headers["Last-Modified"]


@pytest.mark.parametrize(("later_s", "status"), [(0, 304), (60, 304), (-1, 200)])
async def test_the_date_of_the_build_decides_where_there_is_no_etag(
    web: aiohttp.ClientSession, feed: Feed, later_s: int, status: int
) -> None:
    since = format_datetime(BUILT_AT + timedelta(seconds=later_s), usegmt=True)
    async with web.get("/rss", params={"url": URL}, headers={"If-Modified-Since": since}) as response:
        assert response.status == status


@pytest.mark.parametrize("since", ["yesterday", "", "Sun, 99 Mar 2026 12:00:05 GMT"])
async def test_a_date_that_is_none_asks_for_the_document(
    web: aiohttp.ClientSession, feed: Feed, since: str
) -> None:
    async with web.get("/rss", params={"url": URL}, headers={"If-Modified-Since": since}) as response:
        assert response.status == 200


async def test_an_etag_outweighs_a_date(web: aiohttp.ClientSession, feed: Feed) -> None:
    headers = {"If-None-Match": '"other"', "If-Modified-Since": format_datetime(BUILT_AT, usegmt=True)}
    async with web.get("/rss", params={"url": URL}, headers=headers) as response:
        assert response.status == 200


async def test_a_fraction_of_a_second_does_not_defeat_the_date(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed
) -> None:
    await newsroom.build(feed, DOCUMENT, BUILT_AT.replace(microsecond=999_999))
    async with web.get("/rss", params={"url": URL}) as first:
        since = first.headers["Last-Modified"]
    async with web.get("/rss", params={"url": URL}, headers={"If-Modified-Since": since}) as response:
        assert response.status == 304


async def test_a_new_build_has_another_etag(
    newsroom: Newsroom, web: aiohttp.ClientSession, feed: Feed, answer: aiohttp.ClientResponse
) -> None:
    await newsroom.build(feed, DOCUMENT.replace("新闻", "旧闻"), BUILT_AT + timedelta(seconds=1))
    headers = {"If-None-Match": answer.headers["ETag"]}
    async with web.get("/rss", params={"url": URL}, headers=headers) as response:
        assert response.status == 200


async def test_head_says_what_get_would_and_sends_nothing(
    web: aiohttp.ClientSession, answer: aiohttp.ClientResponse
) -> None:
    async with web.head("/rss", params={"url": URL}) as response:
        assert response.status == 200
        assert response.headers["Content-Length"] == str(len(DOCUMENT.encode()))
        assert response.headers["ETag"] == answer.headers["ETag"]
        assert await response.read() == b""


async def test_other_methods_are_refused(web: aiohttp.ClientSession, feed: Feed) -> None:
    async with web.post("/rss", params={"url": URL}) as response:
        assert response.status == 405
        assert response.headers["Allow"] == "GET, HEAD"


async def test_without_a_database_the_reader_is_asked_to_come_back(
    web_settings: Settings, tmp_path: Path
) -> None:
    async with (
        open_database(f"sqlite:///{tmp_path}/missing/inforadar.db") as database,
        running(database, web_settings) as web,
        web.get("/rss", params={"url": URL}) as response,
    ):
        assert response.status == 503
        assert response.headers["Retry-After"] == "60"
        assert str(tmp_path) not in await response.text()
