"""A list that is made of the same is sent as it was; whatever it is made of shows as soon as it has changed."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest
from starlette.types import Message

from inforadar.actions.people.tokens import begin_session
from inforadar.config import Settings
from inforadar.model.article import Extracted
from inforadar.model.person import FIRST_PERSON, Role
from inforadar.store.database import open_database
from inforadar.store.items.queries import list_items
from inforadar.store.people.save_marks import save_marks_of
from inforadar.store.people.save_people import insert_person
from inforadar.store.schema.feeds import feeds
from inforadar.web.app import create_app
from inforadar.web.http.sessions import COOKIE
from inforadar.web.pages import articles
from tests.support.faces.newsroom import Newsroom
from tests.support.faces.person import Person
from tests.support.faces.told import tell

STAYS_S = 10**12
URL = "https://news.example/1"
LAST_WEEK = datetime.now(UTC) - timedelta(days=7)


@pytest.fixture
def kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(articles, "SEEN_S", STAYS_S)


@pytest.fixture
async def reader(web: aiohttp.ClientSession, web_settings: Settings, kept_for_long: None) -> Person:
    person = Person(web=web, settings=web_settings)
    await person.log_in()
    return person


@pytest.fixture
async def elsewhere(newsroom: Newsroom, web_settings: Settings) -> AsyncIterator[Newsroom]:
    """The same database, written by another process: this server hears of nothing."""
    async with open_database(web_settings.database_url) as database:
        yield Newsroom(database=database)


def seen(text: str) -> str:
    """The moment at which a page was made."""
    found = re.search('name="seen" value="([0-9]+)"', text)
    assert found
    return found[1]


async def shown(reader: Person) -> str:
    """The list beside the sidebar, without the moment at which it was made."""
    found = re.search("<main.*</main>", (await reader.get("/")).text, re.DOTALL)
    assert found
    return found[0].replace(seen(found[0]), "") if "data-mark-list" in found[0] else found[0]


async def test_a_list_of_the_same_articles_is_made_once(reader: Person, newsroom: Newsroom) -> None:
    await newsroom.add_item(await newsroom.add_feed(), URL, title="Первая <新闻>", published_at=LAST_WEEK)
    first = (await reader.get("/")).text
    assert "Первая &lt;新闻&gt;" in first
    assert (await reader.get("/")).text == first


async def mark(newsroom: Newsroom) -> None:
    await newsroom.database.write(save_marks_of, FIRST_PERSON, [URL], {"starred": True}, datetime.now(UTC))


async def add_another(newsroom: Newsroom) -> None:
    feed = await newsroom.add_feed("https://other.example/feed")
    await newsroom.add_item(feed, "https://other.example/1", title="Another")


async def retitle(newsroom: Newsroom) -> None:
    (item,) = await newsroom.database.read(list_items)
    await newsroom.change(item, title=("A title", "Another title"))


async def find_text(newsroom: Newsroom) -> None:
    text = "A sentence of the harbour council. " * 200
    await newsroom.finish_articles({URL: Extracted(clean_text=text, markdown=text)})


async def analyze(newsroom: Newsroom) -> None:
    await newsroom.analyze({URL: 0.9})


async def rename_source(newsroom: Newsroom) -> None:
    await newsroom.database.write(lambda c: c.execute(feeds.update().values(source="Renamed")))


async def disable(newsroom: Newsroom) -> None:
    await newsroom.database.write(lambda c: c.execute(feeds.update().values(enabled=False)))


@pytest.mark.parametrize("change", [mark, add_another, retitle, find_text, analyze, rename_source, disable])
async def test_what_another_process_changes_shows_at_the_next_load(
    reader: Person,
    newsroom: Newsroom,
    elsewhere: Newsroom,
    change: Callable[[Newsroom], Awaitable[None]],
) -> None:
    await newsroom.add_item(await newsroom.add_feed(source="News"), URL, published_at=LAST_WEEK)
    before = await shown(reader)
    await change(elsewhere)
    assert await shown(reader) != before


async def test_a_mark_on_an_event_shows_at_the_next_load(
    reader: Person, newsroom: Newsroom, elsewhere: Newsroom
) -> None:
    await tell(newsroom)
    first = (await reader.get("/")).text
    assert first.count("entry told") == 2
    assert (await reader.get("/")).text == first
    urls = [f"https://{name}.example/1" for name in ("four", "five")]
    await elsewhere.database.write(save_marks_of, FIRST_PERSON, urls, {"read": True}, datetime.now(UTC))
    assert (await reader.get("/")).text.count("entry told read") == 1


async def test_a_session_gets_its_own_token_and_a_person_their_own_marks(
    reader: Person, newsroom: Newsroom, web: aiohttp.ClientSession, web_settings: Settings
) -> None:
    await newsroom.add_item(await newsroom.add_feed(), URL, published_at=LAST_WEEK)
    await mark(newsroom)
    other = await newsroom.database.write(insert_person, "Ada", Role.READER)
    second = Person(web=web, settings=web_settings)
    await second.log_in()
    ada = Person(web=web, settings=web_settings)
    ada.headers["Cookie"] = f"{COOKIE}={await begin_session(newsroom.database, other.id, 'test')}"
    texts = [(await one.get("/")).text for one in (reader, second, ada, reader, second, ada)]
    assert texts[:3] == texts[3:]
    assert [text.count("entry starred") for text in texts[:3]] == [1, 1, 0]
    tokens = [set(re.findall('name="csrf" (?:content|value)="([0-9a-f]+)"', text)) for text in texts[:3]]
    assert tokens[:2] == [{reader.csrf}, {second.csrf}]
    assert len(set.union(*tokens)) == 3
    stranger = Person(web=web, settings=web_settings)
    assert 'name="csrf"' not in (await stranger.get("/")).text


async def test_what_a_browser_and_a_person_choose_is_kept_apart(reader: Person, newsroom: Newsroom) -> None:
    await newsroom.add_item(await newsroom.add_feed(), URL, published_at=LAST_WEEK)
    assert 'data-side="folded"' not in (await reader.get("/")).text
    cookie = reader.headers["Cookie"]
    reader.headers["Cookie"] = f"{cookie}; side=folded"
    assert 'data-side="folded"' in (await reader.get("/")).text
    reader.headers["Cookie"] = cookie
    await reader.post("/settings", theme="sepia", language="pl")
    changed = (await reader.get("/")).text
    assert 'data-theme="sepia"' in changed
    assert 'lang="pl"' in changed


class Clock:
    def __init__(self) -> None:
        self.at = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.at


async def load(app: Callable[..., Awaitable[None]], cookie: str, query: str = "") -> str:
    """The list of a person, from the application itself."""
    headers = [(b"host", b"127.0.0.1"), (b"cookie", f"{COOKIE}={cookie}".encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": query.encode(), "headers": headers}
    parts: list[bytes] = []

    async def send(message: Message) -> None:
        assert message.get("status", 200) == 200
        parts.append(message.get("body", b""))

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    await app({**scope, "scheme": "http", "client": ("127.0.0.1", 1), "server": None}, receive, send)
    return b"".join(parts).decode()


async def test_ages_go_on_while_nothing_else_changes(
    newsroom: Newsroom, web_settings: Settings, kept_for_long: None
) -> None:
    clock = Clock()
    app = create_app(newsroom.database, web_settings, "t" * 40, now=clock)
    await newsroom.add_item(await newsroom.add_feed(), URL, published_at=clock.at)
    cookie = await begin_session(newsroom.database, FIRST_PERSON, "test")
    try:
        first = await load(app.app, cookie)
        assert ">just now</time>" in first
        clock.at += timedelta(seconds=50)
        assert await load(app.app, cookie) == first
        clock.at += timedelta(seconds=20)
        assert ">1 minute ago</time>" in await load(app.app, cookie)
    finally:
        await app.close()


async def test_the_moment_until_which_articles_were_seen_is_at_most_a_minute_ago(
    newsroom: Newsroom, web_settings: Settings
) -> None:
    clock = Clock()
    clock.at = clock.at.replace(second=0, microsecond=0)
    app = create_app(newsroom.database, web_settings, "t" * 40, now=clock)
    await newsroom.add_item(await newsroom.add_feed(), URL, published_at=LAST_WEEK)
    cookie = await begin_session(newsroom.database, FIRST_PERSON, "test")
    try:
        first = await load(app.app, cookie)
        clock.at += timedelta(seconds=59)
        assert seen(await load(app.app, cookie)) == seen(first)
        clock.at += timedelta(seconds=1)
        assert int(seen(await load(app.app, cookie))) - int(seen(first)) == 60_000_000
    finally:
        await app.close()


async def test_a_list_of_what_is_unread_is_held_from_the_moment_it_is_asked_for(
    newsroom: Newsroom, web_settings: Settings, kept_for_long: None
) -> None:
    clock = Clock()
    app = create_app(newsroom.database, web_settings, "t" * 40, now=clock)
    await newsroom.add_item(await newsroom.add_feed(), URL, published_at=LAST_WEEK)
    cookie = await begin_session(newsroom.database, FIRST_PERSON, "test")
    try:
        held = []
        for _ in range(2):
            clock.at += timedelta(seconds=1)
            held.append(re.findall("at=([0-9]+)", await load(app.app, cookie, "show=unread"))[0])
        assert int(held[1]) - int(held[0]) == 1_000_000
    finally:
        await app.close()
