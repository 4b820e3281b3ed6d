"""What apps get to see: saved searches as labels, neutral titles, enclosures, imported subscriptions."""

from __future__ import annotations

import aiohttp
import pytest
from sqlalchemy import text

from inforadar.actions.people.accounts import edit_person, keep_search
from inforadar.model.feed import Feed
from inforadar.model.item import Enclosure
from inforadar.model.person import FIRST_PERSON
from inforadar.pipeline.search_index import SearchIndexer
from inforadar.store.database import Database
from tests.support.faces.newsroom import ANALYSIS, Newsroom
from tests.web.greader.client import STARRED, ReaderApp, admin_app, reader_app

SHIP, CAT = "https://one.example/ship", "https://one.example/cat"
EPISODE = "https://one.example/a.mp3?x=1&y=2"
OPML = """<?xml version="1.0"?><opml version="2.0"><body><outline text="Мир">
<outline text="A &amp; co" type="rss" xmlUrl="https://a.example/feed"/>
<outline text="B" type="rss" xmlUrl="https://b.example/feed"/></outline></body></opml>"""


@pytest.fixture
def newsroom(database: Database) -> Newsroom:
    """On both databases."""
    return Newsroom(database=database)


@pytest.fixture
async def feed(newsroom: Newsroom) -> Feed:
    feed = await newsroom.add_feed("https://one.example/feed", topic="world", title="One")
    files = (
        Enclosure(url=EPISODE, type="audio/mpeg", length=7),
        Enclosure(url="javascript:alert(1)", type="audio/mpeg"),
    )
    await newsroom.add_item(feed, SHIP, title="Ship BLASTS harbour", enclosures=files, snippet="At sea.")
    await newsroom.add_item(feed, CAT, title="Кот спит", snippet="Дома.")
    return feed


@pytest.fixture
async def app(feed: Feed, newsroom: Newsroom, web: aiohttp.ClientSession) -> ReaderApp:
    return await admin_app(web, newsroom.database)


async def test_a_stream_has_the_title_that_people_know(
    app: ReaderApp, feed: Feed, newsroom: Newsroom
) -> None:
    await keep_search(newsroom.database, FIRST_PERSON, "Котики", "кот")
    titles = {
        f"feed/{feed.id}": "One",
        "feed/https://one.example/feed": "One",
        "user/-/label/world": "world",
        "user/-/label/Котики": "Котики",
        "user/-/state/com.google/starred": "starred",
    }
    for stream, title in titles.items():
        found = await app.get(f"stream/contents/{stream}")
        assert (found["id"], found["title"]) == (stream, title)


async def test_a_list_of_ids_that_cannot_be_loaded_is_an_error_not_a_broken_answer(
    app: ReaderApp, newsroom: Newsroom
) -> None:
    async def rename(table: str, name: str) -> None:
        await newsroom.database.write(lambda c: c.execute(text(f"ALTER TABLE {table} RENAME TO {name}")))

    await rename("marks", "missing")
    try:
        await app.get("stream/items/ids", [("s", STARRED), ("output", "json")])
    finally:
        await rename("missing", "marks")
    assert app.status >= 500
    assert await app.ids(s=STARRED) == []


async def test_a_saved_search_is_a_label_that_can_be_read_renamed_and_deleted(
    app: ReaderApp, newsroom: Newsroom
) -> None:
    await SearchIndexer(database=newsroom.database).run_once()
    await keep_search(newsroom.database, FIRST_PERSON, "Котики", "кот")
    tags = (await app.get("tag/list"))["tags"]
    assert {"id": "user/-/label/Котики", "type": "tag"} in tags
    cat, ship = await app.ids()
    assert await app.ids(s="user/-/label/Котики") == [cat]
    assert (await app.get("stream/contents/user/-/label/Котики"))["items"][0]["title"] == "Кот спит"
    await app.post("rename-tag", [("s", "user/-/label/Котики"), ("dest", "user/-/label/Cats")])
    assert await app.ids(s="user/-/label/Cats") == [cat]
    await app.post("mark-all-as-read", [("s", "user/-/label/Cats")])
    assert await app.ids(xt="user/-/state/com.google/read") == [ship]
    await app.post("disable-tag", [("s", "user/-/label/Cats")])
    await app.get("stream/items/ids", [("s", "user/-/label/Cats")])
    assert app.status == 404


async def test_a_person_who_chose_neutral_titles_gets_them_first_and_the_original_inside(
    app: ReaderApp, newsroom: Newsroom
) -> None:
    await newsroom.analyze({SHIP: 0.5})
    ship = (await app.ids())[1]
    shown = await app.post("stream/items/contents", [("i", str(ship))])
    assert shown["items"][0]["title"] == "Ship BLASTS harbour"
    await edit_person(newsroom.database, FIRST_PERSON, titles="neutral")
    (item,) = (await app.post("stream/items/contents", [("i", str(ship))]))["items"]
    assert item["title"] == ANALYSIS.title
    assert item["summary"]["content"].startswith("<p><em>Ship BLASTS harbour</em></p>")


async def test_enclosures_are_listed_and_those_that_are_no_web_addresses_left_out(app: ReaderApp) -> None:
    (item,) = (await app.post("stream/items/contents", [("i", str((await app.ids())[1]))]))["items"]
    assert item["enclosure"] == [{"href": EPISODE, "type": "audio/mpeg", "length": 7}]
    async with app.web.get("/reader/atom/user/-/label/world", headers=app.headers) as response:
        atom = await response.text()
    assert '<link rel="enclosure" href="https://one.example/a.mp3?x=1&amp;y=2" type="audio/mpeg"/>' in atom
    assert "javascript" not in atom


async def test_an_admin_imports_subscriptions_and_a_reader_does_not(
    app: ReaderApp, newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    where = "/api/greader.php/reader/api/0/subscription/import"
    async with web.post(where, data=OPML.encode(), headers=app.headers) as response:
        assert (response.status, await response.text()) == (200, "OK: 2")
    listed = (await app.get("subscription/list"))["subscriptions"]
    assert {(one["title"], one["categories"][0]["label"]) for one in listed} >= {
        ("A & co", "Мир"),
        ("B", "Мир"),
    }
    async with web.post(where, data=b"no list", headers=app.headers) as response:
        assert response.status == 400
    ida = await reader_app(web, newsroom.database)
    async with web.post(where, data=OPML.encode(), headers=ida.headers) as response:
        assert response.status == 403
