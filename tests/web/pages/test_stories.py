"""The pages of stories: listed, read, compared, split and merged by plain links and forms."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from urllib.parse import unquote
from uuid import UUID

import aiohttp
import pytest
from sqlalchemy import Connection, Uuid, insert, literal, select

from inforadar.actions.story import merge
from inforadar.config import Settings
from inforadar.model.ids import ItemId, StoryId, new_uuid
from inforadar.store.feeds.changes import update_feed
from inforadar.store.feeds.queries import load_feeds
from inforadar.store.items.queries import list_items
from inforadar.store.schema.items import items
from inforadar.store.schema.stories import stories, story_items
from inforadar.store.stories.queries import MAX_SHOWN_ITEMS, load_story_ids
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person
from tests.support.faces.told import Told, tell

PROXIED = {"X-Forwarded-For": "192.0.2.1"}
"""A request that came through a proxy: the reader may not be on this machine."""


@pytest.fixture
async def told(newsroom: Newsroom) -> Told:
    return await tell(newsroom)


@pytest.fixture
async def reader(web: aiohttp.ClientSession, web_settings: Settings) -> Person:
    return Person(web, web_settings)


@pytest.fixture
async def admin(web: aiohttp.ClientSession, web_settings: Settings) -> Person:
    person = Person(web, web_settings)
    await person.log_in()
    return person


def entries(text: str) -> list[str]:
    """Where the entries of the article list lead to, without the ids of articles."""
    found = re.findall(r'<h2 dir="auto"><a href="([^"?]+)', text)
    return ["/item" if href.startswith("/item/") else href for href in found]


def order(text: str) -> list[str]:
    return re.findall(r'<h2 dir="auto"><a href="/stories/([0-9a-f-]+)"', text)


async def test_the_list_is_by_time_or_by_size_and_of_a_topic(told: Told, reader: Person) -> None:
    newest = await reader.get("/stories")
    assert order(newest.text) == [str(told.budget), str(told.quake)]
    assert "3 outlets" in newest.words
    assert "Scores 0.20 to 0.90" in newest.words
    assert order((await reader.get("/stories?order=size")).text) == [str(told.quake), str(told.budget)]
    assert order((await reader.get("/stories?topic=World")).text) == [str(told.quake)]
    none = await reader.get("/stories?topic=nowhere")
    assert none.status == 200
    assert "No story of this topic" in none.words


async def test_every_page_of_either_order_is_reached(
    told: Told, reader: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inforadar.web.pages.stories.PAGE_STORIES", 1)
    for way in ("newest", "size"):
        seen: list[str] = []
        path = f"/stories?order={way}"
        for _ in range(2):
            page = await reader.get(path)
            seen += order(page.text)
            path = re.findall(r'rel="next" href="([^"]+)"', page.text)[0].replace("&amp;", "&")
        assert set(seen) == {str(told.quake), str(told.budget)}, way


async def test_a_story_sets_its_tellings_side_by_side(told: Told, reader: Person) -> None:
    page = await reader.get(f"/stories/{told.quake}")
    words = page.words
    assert "in conflict" in words
    assert "said it first" in words
    assert "0.90 loaded" in words
    assert "1 copy" in words
    assert "repeats the text" in words
    assert "Joined because" in words
    sentences = re.findall(
        r'<div popover id="(number[^"]+)".*?<blockquote dir="auto">(.*?)</blockquote>', page.text, re.S
    )
    assert any("searched the ruins of 40 houses" in sentence for _, sentence in sentences)
    for id_, _ in sentences:
        assert f'popovertarget="{id_}"' in page.text
    assert "<b>Torvald" not in page.text
    assert "&lt;b&gt;said" in page.text
    assert "Not the same event" not in words


async def test_a_dot_at_either_end_of_the_scores_is_whole(told: Told, reader: Person) -> None:
    page = (await reader.get("/stories")).text
    plots = re.findall(r'<svg class="dots" viewBox="0 0 (\d+) ', page)
    places = [float(place) for place in re.findall(r'<circle class="\w*" cx="([\d.]+)"', page)]
    assert plots
    assert len(places) == 5
    assert min(places) >= 4
    assert max(places) <= int(plots[0]) - 4


async def test_texts_stay_with_those_who_may_read_them(told: Told, reader: Person) -> None:
    reader.headers |= PROXIED
    page = await reader.get(f"/stories/{told.quake}")
    assert page.status == 200
    assert "in conflict" in page.words
    assert "tents and clean water" not in page.text
    assert "left 9 dead" not in page.text
    items = re.findall(r'<option value="([0-9a-f-]+)"', page.text)
    compared = await reader.get(f"/stories/{told.quake}?one={items[0]}&other={items[1]}")
    assert "Rescue teams" not in compared.text


async def test_two_tellings_are_compared_word_by_word(told: Told, reader: Person) -> None:
    page = await reader.get(f"/stories/{told.quake}")
    one, other = re.findall(r'<select name="one">.*?</select>', page.text, re.S)[0].count("<option"), 0
    assert one == 2, "the copy is folded"
    first, second = dict.fromkeys(re.findall(r'<option value="([0-9a-f-]+)"', page.text))
    page = await reader.get(f"/stories/{told.quake}?one={first}&other={second}")
    assert "% of the words are in both" in page.words
    assert re.search("<ins>[^<]*killing 7 people", page.text)
    other = (await reader.get(f"/stories/{told.budget}?one={first}&other={second}")).status
    assert other == 400


async def test_an_article_leads_to_its_story(told: Told, newsroom: Newsroom, reader: Person) -> None:
    items = await newsroom.database.read(list_items, limit=10)
    quake = next(item for item in items if "Nine dead" in item.title)
    link = f'href="/stories/{told.quake}" title="The same event, as others tell it">3 outlets</a>'
    assert (await reader.get("/?source=Two")).text.count(link) == 1
    page = (await reader.get(f"/item/{quake.id}")).text
    assert re.search(rf'href="/stories/{told.quake}" data-sheet="[^"]+">3 outlets</a>', page)


async def test_the_list_shows_each_event_once_until_single_articles_are_chosen(
    told: Told, newsroom: Newsroom, reader: Person
) -> None:
    feed = await newsroom.add_feed("https://six.example/feed", source="Six", topic="world")
    await newsroom.add_item(feed, "https://six.example/1", title="Nothing to do with it")
    page = await reader.get("/")
    assert entries(page.text) == ["/item", f"/stories/{told.budget}", f"/stories/{told.quake}"]
    assert "3 outlets" in page.words
    assert "Scores 0.20 to 0.90" in page.words
    assert "Nine dead as quake" in page.words, "it unfolds to its articles"
    assert entries((await reader.get("/?topic=politics")).text) == [f"/stories/{told.budget}"]
    assert entries((await reader.get("/?source=Two")).text) == ["/item"], "all articles of a source"
    answer = await reader.get("/?view=articles&topic=politics")
    assert answer.location == "/?topic=politics"
    reader.headers["Cookie"] = "view=articles"
    assert entries((await reader.get("/")).text) == ["/item"] * 6
    reader.headers["Cookie"] = "view=%00nonsense"
    assert len(entries((await reader.get("/")).text)) == 3


async def test_the_view_and_what_is_read_along_are_settings_of_a_person(
    told: Told, newsroom: Newsroom, admin: Person
) -> None:
    answer = await admin.post("/settings", view="articles", back="show=unread")
    assert answer.location == "/?show=unread"
    unread = await admin.get("/?show=unread")
    assert entries(unread.text) == ["/item"] * 5
    loud = next(item for item in await newsroom.database.read(list_items) if "SHOCK" in item.title)
    await admin.get(f"/item/{loud.id}")
    assert len(entries((await admin.get("/?show=unread")).text)) == 3, "it and its copy are read"
    await admin.post("/settings", view="stories")
    assert len(entries((await admin.get("/?show=unread")).text)) == 2, "one outlet told it in other words"
    await admin.get(f"/stories/{told.budget}")
    assert len(entries((await admin.get("/?show=unread")).text)) == 2
    await admin.post("/settings", along="story")
    await admin.get(f"/stories/{told.budget}")
    assert entries((await admin.get("/?show=unread")).text) == [f"/stories/{told.quake}"]


async def test_an_entry_is_marked_with_all_that_tell_of_its_event(
    told: Told, newsroom: Newsroom, admin: Person
) -> None:
    page = await admin.get("/")
    (newest,) = re.findall(rf'data-id="([0-9a-f-]+)"[^>]+data-story="{told.quake}"', page.text)
    await admin.post("/marks", **{"read-on": newest, "list": ""})
    assert entries((await admin.get("/?show=unread")).text) == [f"/stories/{told.budget}"]
    body = {"urls": ["https://two.example/1"], "read": False, "story": True}
    headers = {**admin.headers, "X-CSRF-Token": admin.csrf}
    async with admin.web.put("/api/marks", json=body, headers=headers) as answer:
        assert answer.status == 200, await answer.text()
    assert len(entries((await admin.get("/?show=unread")).text)) == 2


async def test_a_list_is_marked_with_what_others_tell_of_its_events_and_undo_gives_that_back(
    told: Told, newsroom: Newsroom, admin: Person
) -> None:
    # Another topic tells of the earthquake too.
    feed = next(one for one in await newsroom.database.read(load_feeds) if one.source == "Three")
    await newsroom.database.write(update_feed, feed.id, {"topic": "odd"})
    page = await admin.get("/?topic=odd")
    (first,), (seen,) = (
        re.findall(f'name="{name}" value="([^"]+)"', page.text) for name in ("first", "seen")
    )
    marked = await admin.post("/marks/list", list="topic=odd", first=first, seen=unescape(seen))
    assert "marked=1" in marked.location
    assert entries((await admin.get("/?show=unread")).text) == [f"/stories/{told.budget}"]
    (at,) = re.findall("marked_at=([^&]+)", marked.location)
    await admin.post("/marks/undo", list="topic=odd", at=unquote(at))
    assert len(entries((await admin.get("/?show=unread")).text)) == 2


async def test_a_reader_hides_a_feed_and_shows_it_again(
    told: Told, newsroom: Newsroom, admin: Person
) -> None:
    (item,) = [one for one in await newsroom.database.read(list_items) if "Nine dead" in one.title]
    path = f"/?feed={item.feed_id}"
    assert "Hide this feed" in (await admin.get(path)).words
    answer = await admin.post("/account", do="hide-feed", id=str(item.feed_id))
    assert answer.location == path
    assert "Nine dead" not in (await admin.get("/")).words
    page = await admin.get(path)
    assert "Nine dead" in page.words
    assert "You hide this feed" in page.words
    await admin.post("/account", do="show-feed", id=str(item.feed_id), back="list")
    assert "Nine dead" in (await admin.get("/")).words


async def test_an_admin_splits_and_merges(told: Told, newsroom: Newsroom, admin: Person) -> None:
    page = await admin.get(f"/stories/{told.quake}")
    forms = re.findall(rf'action="/stories/{told.quake}/split">(.*?)</form>', page.text)
    (with_copy,) = (form for form in forms if form.count('name="item"') == 2)
    items = re.findall('name="item" value="([0-9a-f-]+)"', with_copy)
    said = await admin.follow(await admin.post(f"/stories/{told.quake}/split", item=items))
    assert "Split off" in said.words
    where = await newsroom.database.read(load_story_ids, [ItemId(UUID(item)) for item in items])
    (own,) = set(where.values())
    assert own not in {told.quake, told.budget}
    assert f'href="/stories/{own}"' in said.text, "the timeline leads to the other story"
    assert f'<option value="{own}"' in said.text
    said = await admin.follow(await admin.post(f"/stories/{told.quake}/merge", other=str(own)))
    assert "Merged" in said.words
    gone = await admin.get(f"/stories/{own}")
    assert (gone.status, gone.location) == (308, f"/stories/{told.quake}")


async def test_only_an_admin_changes_stories(told: Told, reader: Person) -> None:
    for path, fields in (("split", {"item": "x"}), ("merge", {"other": str(told.budget)})):
        assert (await reader.post(f"/stories/{told.quake}/{path}", **fields)).status == 401


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/stories/019a8f5e-0000-7000-8000-000000000000", 404),
        ("/stories?order=colour", 400),
        ("/stories?cursor=1~2~3~4", 400),
        ("/stories", 200),
    ],
)
async def test_an_empty_database_and_wrong_addresses(reader: Person, path: str, status: int) -> None:
    assert (await reader.get(path)).status == status


async def test_a_wrong_form_is_refused(told: Told, newsroom: Newsroom, admin: Person) -> None:
    assert (await admin.post(f"/stories/{told.quake}/merge", other="nonsense")).status == 400
    assert (await admin.post(f"/stories/{told.quake}/merge", other=str(told.quake))).status == 400
    assert (await admin.post(f"/stories/{told.quake}/split")).status == 400
    await merge(newsroom.database, told.quake, told.budget)
    assert (await admin.get(f"/stories/{told.budget}")).status == 308


async def test_a_story_of_thousands_is_shown_by_its_first_and_last_items(
    newsroom: Newsroom, reader: Person
) -> None:
    feed = await newsroom.add_feed()
    await newsroom.add_items(feed, 5000)
    story, at = StoryId(new_uuid()), datetime.now(UTC)

    def tell_all(connection: Connection) -> None:
        values = {"id": story, "began_at": at, "last_at": at, "item_count": 5000, "source_count": 2}
        connection.execute(insert(stories).values(values))
        of_all = select(items.c.id, literal(story, Uuid), items.c.pub_date, literal(1))
        connection.execute(insert(story_items).from_select(["item_id", "story_id", "at", "version"], of_all))

    await newsroom.database.write(tell_all)
    page = await reader.get(f"/stories/{story}")
    assert page.status == 200
    assert "5000 articles in all" in page.words
    assert page.text.count('class="telling"') == MAX_SHOWN_ITEMS
    assert len(page.text) < 1_000_000
