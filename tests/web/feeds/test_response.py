"""Feeds that are ready in memory go around the application, and nobody can tell the difference."""

from __future__ import annotations

import gc
import gzip
from typing import Any

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.store.feeds.changes import update_feed
from inforadar.web.feeds.response import Prepared
from inforadar.web.http.admin_token import load_admin_token
from inforadar.web.http.encodings import decode, encode
from tests.support.faces.fixtures import running
from tests.support.faces.newsroom import Newsroom
from tests.support.ports import free_port

DOCUMENT = "<rss>" + "новости " * 500 + "</rss>"
RSS = "/rss?url=https%3A%2F%2Fnews.example%2Ffeed"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was looked up is believed for long, so that the second request is always from memory."""
    monkeypatch.setattr("inforadar.web.feeds.rss.FEED_TTL_S", 60.0)


async def ask(web: aiohttp.ClientSession, **headers: str) -> tuple[int, dict[str, str], bytes, bool]:
    """Status, headers, body, and whether it went around the application."""
    async with web.get(RSS, headers={"Accept-Encoding": "identity"} | headers) as response:
        found = {name.lower(): value for name, value in response.headers.items()}
        id_ = found.pop("x-request-id")
        found.pop("date")
        return response.status, found, await response.read(), "-" in id_


@pytest.mark.parametrize("encoding", ["identity", "gzip", "br"])
async def test_an_answer_from_memory_is_the_same(
    newsroom: Newsroom, web: aiohttp.ClientSession, encoding: str
) -> None:
    await newsroom.build(await newsroom.add_feed(), DOCUMENT)
    first = await ask(web, **{"Accept-Encoding": encoding})
    second = await ask(web, **{"Accept-Encoding": encoding})
    assert (first[-1], second[-1]) == (False, True)
    assert first[:-1] == second[:-1]
    known = {"If-None-Match": first[1]["etag"], "Accept-Encoding": encoding}
    status, headers, body, from_memory = await ask(web, **known)
    assert (status, body, from_memory) == (304, b"", True)
    assert headers["etag"] == first[1]["etag"]
    async with web.get("/metrics") as response:
        assert 'inforadar_http_requests_total{status="304"} 1' in await response.text()


async def test_a_change_of_this_process_shows_at_once(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    feed = await newsroom.add_feed()
    await newsroom.build(feed, DOCUMENT)
    await ask(web)
    assert (await ask(web))[-1]
    await newsroom.database.write(update_feed, feed.id, {"enabled": False})
    status, *_, from_memory = await ask(web)
    assert (status, from_memory) == (403, False)


async def test_whoever_asks_another_host_or_needs_the_token_asks_the_application(
    newsroom: Newsroom, web_settings: Settings, web: aiohttp.ClientSession
) -> None:
    await newsroom.build(await newsroom.add_feed(), DOCUMENT)
    await ask(web)
    assert (await ask(web, Host="evil.example"))[::3] == (421, False)
    closed = web_settings.replaced(web={"reading": "token", "port": free_port()})
    async with running(newsroom.database, closed) as other:
        bearer = {"Authorization": f"Bearer {load_admin_token(web_settings.home)}"}
        for _ in range(2):
            assert (await ask(other, **bearer))[::3] == (200, False)
            assert (await ask(other))[0] == 401


async def sent(document: Prepared, encoding: str) -> bytes:
    bodies: list[bytes] = []

    async def send(message: Any) -> None:
        bodies.append(message.get("body", b""))

    headers = [(b"accept-encoding", encoding.encode())]
    await document.send({"type": "http", "method": "GET", "headers": headers}, send)
    return b"".join(bodies)


async def test_a_document_that_was_encoded_is_kept_only_so_and_is_there_for_everybody() -> None:
    body = DOCUMENT.encode()
    document = Prepared(body, "application/rss+xml", None)
    assert gzip.decompress(await sent(document, "gzip")) == body
    assert not any(one is body for one in gc.get_referents(document))
    for encoding in ("identity", "gzip", "br", "identity"):
        again = await sent(document, encoding)
        assert (again == body) == (encoding == "identity")
    assert document.ready("identity", None, None)[2] == body  # type: ignore[index]


@pytest.mark.parametrize("encoding", ["br", "gzip", ""])
def test_what_was_encoded_can_be_decoded(encoding: str) -> None:
    assert decode(encode(b"text " * 1000, encoding), encoding) == b"text " * 1000
