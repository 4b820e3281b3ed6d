"""Every face shows an item whose date is at the end of the calendar, in a zone where that date does not exist."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import aiohttp
import pytest
from sqlalchemy import Connection, update

from inforadar.config import Settings
from inforadar.store.database import Database
from inforadar.store.schema.items import items
from tests.cli.calling import Call, call
from tests.support.faces.serving import running
from tests.support.faces.terminal import FIRST, LOADED, opened

__all__ = ["call"]

LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
EARLIEST = datetime(1, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["Europe/Berlin", "America/New_York"])
def zone(in_utc: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setenv("TZ", request.param)
    time.tzset()


@pytest.fixture
def home(web_settings: Settings) -> object:
    """The home of the commands."""
    return web_settings.home


@pytest.fixture
async def far(filled: Database, zone: None) -> Database:
    def write(connection: Connection) -> None:
        for url, at in ((FIRST, LAST), (LOADED, EARLIEST)):
            changed = {"pub_date": at, "dated_at": at, "revised_at": LAST}
            connection.execute(update(items).where(items.c.url == url).values(**changed))

    await filled.write(write)
    return filled


async def test_the_terminal_app_lists_and_opens_it(far: Database, web_settings: Settings) -> None:
    async with opened(web_settings, far) as terminal:
        assert "9999-12" in terminal.current
        await terminal.press("enter")
        assert "Dec 9999" in terminal.text
        await terminal.press("escape", "r")
        assert "Minister" in terminal.current
        await terminal.press("enter")
        assert "Minister" in terminal.text


async def test_the_page_the_api_and_the_feeds_show_it(far: Database, web_settings: Settings) -> None:
    async with running(far, web_settings) as web:
        paths = ["/", "/?sort=date&order=asc", "/api/items", "/feeds", "/statistics"]
        paths += [f"/feeds/source/Habr{ending}" for ending in ("", ".atom", ".json")]
        document = await get(web, "/api/items?source=Habr")
        assert "9999-12-31T23:59:59" in document
        for path in paths:
            assert await get(web, path)


async def get(web: aiohttp.ClientSession, path: str) -> str:
    async with web.get(path, headers={"Accept-Encoding": "identity"}) as response:
        assert response.status == 200, path
        return await response.text()


def test_the_commands_list_and_show_it(far: Database, call: Call) -> None:
    listed = call("item", "list", "--limit", "100")
    assert (listed.code, listed.err) == (0, "1–45 of 45 · by date ↓\n")
    assert "9999-12-31" in listed.out
    for url in (FIRST, LOADED):
        assert call("item", "show", url).code == 0
