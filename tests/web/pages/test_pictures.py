"""Pictures through the server: only those that it signed, only pictures, each fetched once."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from html import unescape
from urllib.parse import quote

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.model.person import Role
from inforadar.store.people.save_people import insert_person
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.sessions import Sessions
from inforadar.web.pages.pictures import MAX_PICTURE_BYTES, picture_type
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.serving import running
from tests.support.site.answers import Answer
from tests.support.site.server import Site

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


class Signing:
    """Signs as the server does."""

    def __init__(self, settings: Settings) -> None:
        self._sessions = Sessions(token=load_admin_token(settings.home))

    def signature(self, url: str) -> str:
        return self._sessions.picture_signature(url)

    def __call__(self, url: str) -> str:
        return f"/picture/{self.signature(url)}?url={quote(url, safe='')}"


@pytest.fixture
def address(web_settings: Settings) -> Signing:
    return Signing(web_settings)


@pytest.fixture
async def web(site: Site, newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[aiohttp.ClientSession]:
    settings = web_settings.replaced(fetcher={"allowed_networks": tuple(site.endpoints)})
    async with running(newsroom.database, settings) as session:
        yield session


async def test_a_signed_picture_is_fetched_once_and_served_as_what_it_is(
    site: Site, web: aiohttp.ClientSession, address: Signing
) -> None:
    url = site.respond("/%D1%81.jpg?a=1&b=2", Answer(body=PNG, headers={"Content-Type": "text/html"}))
    for _ in range(2):
        async with web.get(address(url)) as response:
            assert (response.status, response.content_type) == (200, "image/png")
            assert await response.read() == PNG
            assert "sandbox" in response.headers["Content-Security-Policy"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"
            etag = response.headers["ETag"]
    async with web.get(address(url), headers={"If-None-Match": etag}) as response:
        assert response.status == 304
    assert len(site.requests) == 1
    assert "referer" not in site.requests[0].headers
    assert "cookie" not in site.requests[0].headers


async def test_an_address_that_was_not_signed_is_not_fetched(
    site: Site, web: aiohttp.ClientSession, address: Signing
) -> None:
    url = site.respond("/a.png", Answer(body=PNG))
    other = site.respond("/b.png", Answer(body=PNG))
    signature = address.signature(other)
    for path in (f"/picture/{signature}?url={quote(url)}", f"/picture/0?url={quote(url)}", "/picture/é"):
        async with web.get(path) as response:
            assert response.status == 404
    assert site.requests == []


@pytest.mark.parametrize(
    "answer",
    [
        Answer(body=SVG, headers={"Content-Type": "image/svg+xml"}),
        Answer(body=b"<html><script>alert(1)</script>", headers={"Content-Type": "image/png"}),
        Answer(status=404, body=PNG),
        Answer(body=PNG + bytes(MAX_PICTURE_BYTES)),
    ],
    ids=["svg", "page", "missing", "huge"],
)
async def test_what_is_no_picture_is_refused_and_not_asked_for_again(
    site: Site, web: aiohttp.ClientSession, address: Signing, answer: Answer
) -> None:
    url = site.respond("/x.png", answer)
    for _ in range(2):
        async with web.get(address(url)) as response:
            assert response.status == 502
            assert b"alert" not in await response.read()
    assert len(site.requests) == 1


async def test_the_guard_holds_for_pictures_too(
    newsroom: Newsroom, web_settings: Settings, site: Site, address: Signing
) -> None:
    url = site.respond("/a.png", Answer(body=PNG))
    async with running(newsroom.database, web_settings) as web, web.get(address(url)) as response:
        assert response.status == 502
    assert site.requests == []


def test_pictures_are_told_by_their_first_bytes() -> None:
    assert [
        picture_type(body)
        for body in (
            PNG,
            b"\xff\xd8\xff\xe0",
            b"GIF89a",
            b"RIFF\0\0\0\0WEBPVP8 ",
            b"\0\0\0\x1cftypavif",
            SVG,
            b"",
            b"RIFF\0\0\0\0AVI ",
        )
    ] == ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", None, None, None]


async def test_a_page_behind_a_proxy_loads_pictures_from_this_server_alone(
    newsroom: Newsroom, web_settings: Settings, site: Site
) -> None:
    url = site.respond("/1.png", Answer(body=PNG))
    feed = await newsroom.add_feed("https://news.example/feed")
    content = f'<p>Текст</p><img src="{url}" alt="图">'
    await newsroom.add_item(feed, "https://news.example/1", content=content, image=url)
    settings = web_settings.replaced(
        web={"images": "proxy"}, fetcher={"allowed_networks": tuple(site.endpoints)}
    )
    async with running(newsroom.database, settings) as web:
        async with web.get("/") as response:
            assert "img-src 'self' data:;" in response.headers["Content-Security-Policy"]
            listed = (await response.read()).decode()
        shown = re.findall(r'<img src="(/picture/[^"]+)"', listed)
        assert len(shown) == 1
        async with web.get(unescape(shown[0])) as response:
            assert await response.read() == PNG


async def test_with_a_second_person_pictures_come_by_proxy(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    feed = await newsroom.add_feed("https://news.example/feed")
    await newsroom.add_item(feed, "https://news.example/1", image="https://img.example/1.png")
    async with running(newsroom.database, web_settings) as web, web.get("/") as response:
        assert 'src="https://img.example/1.png"' in await response.text()
    await newsroom.database.write(insert_person, "Ilse", Role.READER)
    async with running(newsroom.database, web_settings) as web, web.get("/") as response:
        text = await response.text()
    assert 'src="/picture/' in text
    assert 'src="https://img.example' not in text
