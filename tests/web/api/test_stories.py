"""`/api/stories`, the feeds of stories and the briefing, asked over the wire."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET

import aiohttp
import pytest

from inforadar.actions.story import merge
from inforadar.model.ids import StoryId
from inforadar.pipeline.group.stage import GroupStage
from tests.support.faces.newsroom import Newsroom

PLAIN = {"Accept-Encoding": "identity"}
QUAKE = (
    "A magnitude 6.1 earthquake struck Bolvania near the town of Grandel on Tuesday, killing 7 people, "
    "the Seismic Institute in Karhold said. Mayor Ilena Torvald said rescuers were searching 40 houses."
)
QUAKE_2 = (
    "The quake of magnitude 6.1 left 9 dead in Grandel, Bolvania, on Tuesday. Rescue teams searched the ruins of "
    "40 houses, mayor Ilena Torvald told reporters; the Seismic Institute in Karhold measured it."
)
BUDGET = (
    "The parliament of Sorrenia approved next year's budget of 310 billion crowns on Tuesday after a debate of nine "
    "hours. Finance minister Marek Dolan called the vote a victory, while the Green Alliance abstained."
)


@pytest.fixture
async def world(newsroom: Newsroom) -> Newsroom:
    for source, title, content in (
        ("One", "Earthquake in Grandel: mayor <b>Torvald</b> speaks", QUAKE),
        ("Two", "Nine dead as quake hits Grandel in Bolvania", QUAKE_2),
        ("Three", "Sorrenia passes budget of 310 billion crowns", BUDGET),
    ):
        feed = await newsroom.add_feed(f"https://{source}.example/feed", source=source, topic="world")
        await newsroom.add_item(feed, f"https://{source.lower()}.example/1", title=title, content=content)
    stage = GroupStage(database=newsroom.database, now=lambda: datetime.now(UTC), use_vectors=False)
    await stage.run_once()
    return newsroom


async def ask(web: aiohttp.ClientSession, path: str, **query: str) -> Any:
    async with web.get(path, params=query, headers=PLAIN) as response:
        assert response.status == 200, await response.text()
        return await response.json(content_type=None)


async def test_stories_have_an_order_a_time_range_and_a_total(
    world: Newsroom, web: aiohttp.ClientSession
) -> None:
    page = await ask(web, "/api/stories", min_sources="1", order="-sources", limit="1", total="1")
    assert (page["stories"][0]["source_count"], page["total"]) == (2, 2)
    page = await ask(web, "/api/stories", min_sources="1", order="-sources", cursor=page["next"])
    assert [story["source_count"] for story in page["stories"]] == [1]
    for outside in ({"since": "2100-01-01"}, {"until": "2000-01-01"}):
        assert await ask(web, "/api/stories", **outside, total="1") == {
            "stories": [],
            "next": None,
            "total": 0,
        }


async def test_stories_are_listed_and_shown_with_items_and_facts(
    world: Newsroom, web: aiohttp.ClientSession
) -> None:
    listed = await ask(web, "/api/stories")
    (story,) = listed["stories"]
    assert listed["next"] is None
    assert sorted(story["sources"]) == ["One", "Two"]
    shown = await ask(web, f"/api/stories/{story['id']}")
    assert {item["url"] for item in shown["items"]} == {"https://one.example/1", "https://two.example/1"}
    assert any("Grandel" in item["joined_because"] for item in shown["items"])
    (dead,) = (fact for fact in shown["facts"] if fact["label"] == "dead")
    assert dead["conflict"]
    items = (await ask(web, "/api/items"))["items"]
    assert {item["story_id"] for item in items if "budget" not in item["title"]} == {story["id"]}


async def test_every_story_is_reached_page_by_page(world: Newsroom, web: aiohttp.ClientSession) -> None:
    first = await ask(web, "/api/stories", min_sources="1", limit="1")
    second = await ask(web, "/api/stories", min_sources="1", limit="1", cursor=first["next"])
    assert first["stories"][0]["id"] != second["stories"][0]["id"]
    assert len((await ask(web, "/api/stories", min_sources="1"))["stories"]) == 2
    assert (await ask(web, "/api/stories", topic="nowhere"))["stories"] == []
    assert len((await ask(web, "/feeds/stories.json", topic="world"))["items"]) == 1
    assert (await ask(web, "/feeds/stories.json", topic="nowhere"))["items"] == []


async def test_the_address_of_a_merged_story_leads_to_the_other(
    world: Newsroom, web: aiohttp.ClientSession
) -> None:
    listed = (await ask(web, "/api/stories", min_sources="1"))["stories"]
    kept, gone = (StoryId(UUID(story["id"])) for story in listed)
    await merge(world.database, kept, gone)
    async with web.get(f"/api/stories/{gone}", allow_redirects=False) as response:
        assert response.status == 308
        assert response.headers["Location"] == f"/api/stories/{kept}"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/stories/019a8f5e-0000-7000-8000-000000000000", 404),
        ("/api/stories?cursor=nonsense", 400),
        ("/api/stories?min_sources=0", 400),
        ("/feeds/stories?format=pdf", 400),
        ("/feeds/stories/topic/nothing", 404),
        ("/brief?top=0", 400),
        ("/brief?since=yesterday", 400),
        ("/brief?since=99999999999999999999d", 400),
    ],
)
async def test_wrong_requests_are_refused(web: aiohttp.ClientSession, path: str, status: int) -> None:
    async with web.get(path) as response:
        assert response.status == status


@pytest.mark.parametrize("path", ["/feeds/stories", "/feeds/stories/topic/world", "/feeds/brief"])
async def test_a_feed_has_one_entry_for_a_story_with_a_stable_id(
    world: Newsroom, web: aiohttp.ClientSession, path: str
) -> None:
    async with web.get(path, headers=PLAIN) as response:
        assert response.status == 200
        (item,) = ET.fromstring(await response.text()).iter("item")
    document = await ask(web, path, format="json")
    (entry,) = document["items"]
    (story,) = (await ask(web, "/api/stories"))["stories"]
    assert entry["url"].endswith(f"/stories/{story['id']}")
    assert item.findtext("guid")
    assert "<b>Torvald" not in json.dumps(entry["content_html"])


async def test_the_briefing_is_a_page_markdown_and_json(world: Newsroom, web: aiohttp.ClientSession) -> None:
    async with web.get("/brief") as response:
        page = await response.text()
        assert response.status == 200
    assert "2 sources: One, Two" in page
    assert "<b>Torvald" not in page
    (story,) = (await ask(web, "/brief", format="json"))["stories"]
    assert story["facts"]
    assert (await ask(web, "/brief", format="json", since="7d"))["stories"][0]["id"] == story["id"]
    assert f'href="/stories/{story["id"]}"' in page
    async with web.get("/brief", params={"format": "markdown"}) as response:
        assert (await response.text()).startswith("# Briefing")
