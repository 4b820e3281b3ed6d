"""What changed, over the wire: the API, the feed of changes, the page and its chip (V5, V6)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import aiohttp

from inforadar.pipeline.group.stage import GroupStage
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.revised import add_changed_article, change_article, extracted

PLAIN = {"Accept-Encoding": "identity"}


async def get(web: aiohttp.ClientSession, path: str) -> str:
    async with web.get(path, headers=PLAIN) as response:
        assert response.status == 200, await response.text()
        return await response.text()


async def test_a_change_is_in_the_api_the_feeds_the_page_and_the_story(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    item = await add_changed_article(newsroom)
    await GroupStage(database=newsroom.database, now=lambda: datetime.now(UTC), use_vectors=False).run_once()

    document = json.loads(await get(web, f"/api/items/{item}/revisions"))
    (revision,) = document["revisions"]
    assert {"number", "title"} <= set(revision["kinds"])
    assert (revision["significant"], revision["noted"]) == (True, False)
    assert revision["other_outlets"][0]["source"] == "Two"
    assert "40 people" in document["versions"][0]["text"]
    assert document["history"][0]["of"] == "text"

    rss = ET.fromstring(await get(web, "/feeds/changes"))
    (title,) = [one.text for one in rss.iter("title")][1:]
    assert title is not None
    assert title.startswith("One changed:")
    assert "number" in title
    atom = await get(web, "/feeds/changes.atom")
    assert "One changed:" in atom
    feed = json.loads(await get(web, "/feeds/changes.json"))
    assert "<del>" in feed["items"][0]["content_html"]
    assert "<injured>" not in feed["items"][0]["content_html"]
    assert json.loads(await get(web, "/feeds/changes.json?topic=none"))["items"] == []

    page = await get(web, f"/item/{item}")
    assert "Changed 1×" in page
    assert f'href="/item/{item}/history" data-sheet=' in page
    sheet = await get(web, f"/item/{item}/history")
    assert "40 people injured, </del>" in sheet
    assert "unchanged paragraph" in sheet
    assert "still says" in sheet
    assert "<injured>" not in sheet
    pasted = await get(web, f"/item/{item}/history?old=1&new=2&format=markdown")
    assert "SHA-256" in pasted

    (story,) = json.loads(await get(web, "/api/stories"))["stories"]
    shown = json.loads(await get(web, f"/api/stories/{story['id']}"))
    assert "text_changed" in [entry["kind"] for entry in shown["timeline"]]


async def test_an_article_without_a_change_has_no_chip_and_an_unknown_version_is_not_found(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    item = await add_changed_article(newsroom)
    other = await newsroom.add_item(
        await newsroom.add_feed("https://three.example/feed", source="Three"), "https://three.example/1"
    )
    assert "Changed" not in (await get(web, f"/item/{other.id}")).split('<div class="tabs">')[0]
    assert "No change of the text was seen" in await get(web, f"/item/{other.id}/history")
    async with web.get(f"/item/{item}/history", params={"old": "1", "new": "7"}) as response:
        assert response.status == 404
    await change_article(
        newsroom, extracted("Police closed the eastern pier for the night. " * 3, "Ferry aground off Halden")
    )
    assert "Changed 2×" in await get(web, f"/item/{item}")
