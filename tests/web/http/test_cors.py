"""What a page of another site may read."""

from __future__ import annotations

import aiohttp
import pytest

FOREIGN = {"Origin": "https://evil.example"}
ALLOWED = "Access-Control-Allow-Origin"


@pytest.mark.parametrize("path", ["/", "/api/items", "/api/feeds", "/api/runs", "/api/labels", "/api/opml"])
async def test_a_foreign_page_reads_neither_lists_nor_subscriptions(
    web: aiohttp.ClientSession, path: str
) -> None:
    async with web.get(path, headers=FOREIGN) as answer:
        assert answer.status == 200
        assert ALLOWED not in answer.headers
    asked = {**FOREIGN, "Access-Control-Request-Method": "GET"}
    async with web.options(path, headers=asked) as answer:
        assert ALLOWED not in answer.headers


@pytest.mark.parametrize("path", ["/api/item", "/api/site", "/rss"])
async def test_a_foreign_page_may_look_up_an_article_and_read_a_feed(
    web: aiohttp.ClientSession, path: str
) -> None:
    async with web.get(path, params={"url": "https://news.example/a"}, headers=FOREIGN) as answer:
        assert answer.headers[ALLOWED] == "*"
