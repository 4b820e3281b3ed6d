"""`PUT /api/marks`: labels and notes."""

from __future__ import annotations

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.web.http.admin_token import load_admin_token
from tests.support.faces.newsroom import Newsroom

URL = "https://one.example/1"


@pytest.fixture
def bearer(web: aiohttp.ClientSession, web_settings: Settings) -> dict[str, str]:
    return {"Authorization": f"Bearer {load_admin_token(web_settings.home)}"}


async def test_labels_and_a_note_are_set_and_removed(
    newsroom: Newsroom, web: aiohttp.ClientSession, bearer: dict[str, str]
) -> None:
    feed = await newsroom.add_feed("https://one.example/feed")
    item = await newsroom.add_item(feed, URL)

    async def put(**given: object) -> dict[str, object]:
        async with web.put("/api/marks", json={"urls": [URL], **given}, headers=bearer) as response:
            assert response.status == 200, await response.text()
            (marked,) = (await response.json())["items"]
            return dict(marked)

    both = await put(add_labels=["later", "важное"], note="Ask Ida <b>")
    assert (both["labels"], both["note"], both["read"]) == (["later", "важное"], "Ask Ida <b>", False)
    assert (await put(remove_labels=["later"], read=True))["labels"] == ["важное"]
    async with web.get(f"/api/items/{item.id}", headers=bearer) as response:
        shown = await response.json()
    assert (shown["labels"], shown["note"], shown["read"]) == (["важное"], "Ask Ida <b>", True)
    assert (await put(note=""))["note"] == ""


async def test_many_items_are_marked_at_once_and_unknown_urls_are_not(
    newsroom: Newsroom, web: aiohttp.ClientSession, bearer: dict[str, str]
) -> None:
    feed = await newsroom.add_feed("https://one.example/feed")
    await newsroom.add_items(feed, 499)
    known = [f"https://news.example/{feed.id}/{number}" for number in range(1, 500)]
    asked = {"urls": [*known, "https://unknown.example/"], "read": True}
    async with web.put("/api/marks", json=asked, headers=bearer) as response:
        answer = await response.json()
    assert ({item["read"] for item in answer["items"]}, len(answer["items"])) == ({True}, 499)
    assert answer["unknown"] == ["https://unknown.example/"]
    async with web.get("/api/items?unread=1&total=1", headers=bearer) as response:
        assert (await response.json())["total"] == 0


@pytest.mark.parametrize(
    "given",
    [
        {"add_labels": []},
        {"add_labels": [" "]},
        {"add_labels": ["x" * 201]},
        {"note": None},
        {"note": "x" * 20_001},
    ],
)
async def test_what_is_no_label_and_no_note_is_refused(
    web: aiohttp.ClientSession, bearer: dict[str, str], given: dict[str, object]
) -> None:
    async with web.put("/api/marks", json={"urls": [URL], **given}, headers=bearer) as response:
        assert response.status == 400
