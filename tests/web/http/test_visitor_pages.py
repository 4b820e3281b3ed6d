"""Pages are made once for all visitors, and each time for whoever is logged in."""

from __future__ import annotations

import aiohttp
import pytest

from inforadar.config import Settings
from inforadar.store.database import open_database
from inforadar.web.http import visitor_pages
from inforadar.web.http.admin_token import load_admin_token
from tests.support.faces.newsroom import Newsroom

STAYS_S = 3600.0


@pytest.fixture(autouse=True)
def kept_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor_pages, "LEAST_TTL_S", STAYS_S)
    monkeypatch.setattr(visitor_pages, "AGES_S", 10**12)


async def load(web: aiohttp.ClientSession, path: str = "/", **headers: str) -> str:
    async with web.get(path, headers=headers) as response:
        assert response.status == 200
        return await response.text()


async def test_a_visitor_sees_what_the_last_one_saw_until_this_server_changes_something(
    web: aiohttp.ClientSession, newsroom: Newsroom, web_settings: Settings
) -> None:
    feed = await newsroom.add_feed()
    await newsroom.add_item(feed, "https://news.example/1", title="Первая 新闻")
    first = await load(web)
    assert "Первая 新闻" in first
    async with open_database(web_settings.database_url) as unseen:
        await Newsroom(database=unseen).add_item(feed, "https://news.example/2", title="A later one")
    assert await load(web) == first
    await newsroom.add_item(feed, "https://news.example/3", title="A third one")
    changed = await load(web)
    assert "A later one" in changed
    assert "A third one" in changed


async def test_whoever_is_logged_in_sees_everything_at_once(
    web: aiohttp.ClientSession, newsroom: Newsroom, web_settings: Settings
) -> None:
    feed = await newsroom.add_feed()
    token = {"Authorization": f"Bearer {load_admin_token(web_settings.home)}"}
    assert "A later one" not in await load(web, **token)
    async with open_database(web_settings.database_url) as unseen:
        await Newsroom(database=unseen).add_item(feed, "https://news.example/2", title="A later one")
    assert "A later one" in await load(web, **token)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Accept-Language": "pl"}, 'lang="pl"'),
        ({"Cookie": "theme=sepia"}, 'data-theme="sepia"'),
        ({"Cookie": "language=ru"}, 'lang="ru"'),
    ],
)
async def test_languages_and_themes_are_kept_apart(
    web: aiohttp.ClientSession, headers: dict[str, str], expected: str
) -> None:
    assert expected not in await load(web)
    assert expected in await load(web, **headers)
    assert expected not in await load(web)


async def test_a_failure_is_not_kept(
    web: aiohttp.ClientSession, newsroom: Newsroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr("inforadar.store.database.Database.read", fail)
        async with web.get("/") as response:
            assert response.status == 500
    await load(web)
