"""Stories in apps: one entry an event, other outlets as links inside it, all of it read at once."""

from __future__ import annotations

import aiohttp
import pytest

from inforadar.actions.people.accounts import hide_feed
from inforadar.actions.people.settings import save_settings
from inforadar.model.person import FIRST_PERSON
from inforadar.store.database import Database
from inforadar.store.items.queries import list_items
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.told import Told, tell
from tests.web.greader.client import ALL, READ, STATE, ReaderApp, admin_app

STORIES = f"{STATE}stories"


@pytest.fixture
def newsroom(database: Database) -> Newsroom:
    """On both databases."""
    return Newsroom(database=database)


@pytest.fixture
async def told(newsroom: Newsroom) -> Told:
    return await tell(newsroom)


@pytest.fixture
async def app(told: Told, newsroom: Newsroom, web: aiohttp.ClientSession) -> ReaderApp:
    return await admin_app(web, newsroom.database)


async def titles(app: ReaderApp, stream: str) -> list[str]:
    return [item["title"] for item in (await app.get(f"stream/contents/{stream}"))["items"]]


async def test_the_stream_has_one_entry_an_event_with_links_to_other_outlets(
    app: ReaderApp, newsroom: Newsroom
) -> None:
    assert len(await app.ids(s=ALL)) == 5
    assert len(await app.ids(s=STORIES)) == 2
    assert await app.ids(s="user/-/label/stories") == await app.ids(s=STORIES)
    budget, quake = (await app.get(f"stream/contents/{STORIES}"))["items"]
    assert quake["title"] == "Earthquake in Grandel: mayor &lt;b&gt;Torvald&lt;/b&gt; speaks", (
        "who told it first"
    )
    content = quake["summary"]["content"]
    assert (
        '<li>Two: <a href="https://two.example/1">Nine dead as quake hits Grandel in Bolvania</a></li>'
        in content
    )
    assert '<li>Three: <a href="https://three.example/1">SHOCK: Grandel quake horror</a></li>' in content
    assert "https://five.example/1" in budget["summary"]["content"]
    one = next(item for item in await newsroom.database.read(list_items) if "Torvald" in item.title)
    await hide_feed(newsroom.database, FIRST_PERSON, [one.feed_id])
    assert len(await app.ids(s=STORIES)) == 2, "another outlet stands for it"
    assert await titles(app, STORIES) == [budget["title"], "Nine dead as quake hits Grandel in Bolvania"]


async def test_a_person_makes_stories_the_default_and_reading_one_marks_all_that_tell_it(
    app: ReaderApp, newsroom: Newsroom
) -> None:
    first = await app.ids(s=ALL, r="o")
    await save_settings(newsroom.database, FIRST_PERSON, {"apps": "stories"})
    shown = await app.ids(s=ALL)
    assert len(shown) == 2
    assert set(shown) < set(first), "the numbers of the articles that stand for them"
    assert await app.ids(s="user/-/label/politics") == shown[:1]
    await app.post("edit-tag", [("i", str(shown[1])), ("a", READ)])
    assert await app.ids(s=ALL, xt=READ) == shown[:1]
    assert (await app.get("unread-count"))["max"] == 2, "both articles about the budget"
    await app.post("mark-all-as-read", [("s", "user/-/label/politics")])
    assert (await app.get("unread-count"))["max"] == 0
    await app.post("edit-tag", [("i", str(shown[0])), ("r", READ)])
    assert await app.ids(s=ALL, xt=READ) == shown[:1]


async def test_reading_an_article_marks_its_copies_and_starred_ones_are_never_folded(
    app: ReaderApp, newsroom: Newsroom
) -> None:
    numbers = await app.ids(s=ALL, r="o")
    two, three = numbers[1], numbers[2]
    await app.post("edit-tag", [("i", str(three)), ("a", READ), ("a", f"{STATE}starred")])
    assert set(await app.ids(s=ALL, it=READ)) == {two, three}, "the same text elsewhere"
    await save_settings(newsroom.database, FIRST_PERSON, {"apps": "stories"})
    assert await app.ids(s=f"{STATE}starred") == [three]
