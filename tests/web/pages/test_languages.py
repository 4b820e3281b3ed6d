"""The page in other languages: chosen by the browser, by a cookie, by the person's settings."""

from __future__ import annotations

import re

import aiohttp
import pytest
from playwright.async_api import expect

from inforadar.actions.people.settings import save_settings
from inforadar.model.http import Outcome
from inforadar.model.person import FIRST_PERSON
from tests.support.faces.browser import PHONE, Site, no_axe_violations, overflow, site
from tests.support.faces.furnished import furnish
from tests.support.faces.newsroom import Newsroom

__all__ = ["site"]

POLISH = {"Accept-Language": "pl-PL,pl;q=0.9,en;q=0.5"}


async def load(web: aiohttp.ClientSession, path: str, **headers: str) -> str:
    async with web.get(path, headers=headers) as response:
        assert {"Accept-Language", "Cookie"} <= set(response.headers["Vary"].split(", "))
        return await response.text()


async def test_a_page_speaks_the_browsers_language_and_caches_tell_them_apart(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    await newsroom.add_items(await newsroom.add_feed(), 5)
    polish = await load(web, "/", **POLISH)
    assert '<html lang="pl"' in polish
    assert "5 artykułów" in polish
    # Faults are also outside of any route.
    missing = await load(web, "/nowhere", **POLISH)
    assert "Nie znaleziono" in missing
    assert "Nie ma takiej strony." in missing
    assert '<html lang="zh-Hans"' in await load(web, "/", **{"Accept-Language": "zh-CN"})
    english = await load(web, "/", **{"Accept-Language": "de"})
    assert '<html lang="en"' in english
    assert "5 articles" in english
    assert "texts-" not in english


async def test_faults_and_stored_errors_are_said_in_the_readers_language(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    feed = await newsroom.add_feed(title="Harbour")
    await newsroom.fetched(
        feed, Outcome.PERMANENT_ERROR, error="news.example could not be resolved.", failures=1
    )
    assert "Nie znaleziono adresu news.example." in await load(web, f"/feeds/{feed.id}", **POLISH)
    unknown = await load(web, "/?q=score:loud", **POLISH)
    assert "score: przyjmuje zakres" in unknown
    # What was searched for can be corrected there.
    assert 'name="q" value="score:loud"' in unknown
    assert "score: takes a range" in await load(web, "/?q=score:loud")
    async with web.get("/api/items", params={"q": "score:loud"}, headers=POLISH) as response:
        assert "score: takes a range" in await response.text()


async def test_programs_are_answered_in_english(web: aiohttp.ClientSession, newsroom: Newsroom) -> None:
    await newsroom.add_items(await newsroom.add_feed(), 1)
    async with web.get("/api/nowhere", headers=POLISH) as response:
        assert "no such page" in await response.text()
    async with web.get("/feeds/brief", headers=POLISH) as response:
        assert "Przegląd" not in await response.text()
    async with web.get("/brief", params={"format": "markdown"}, headers=POLISH) as response:
        assert (await response.text()).startswith("# Briefing")


async def test_a_reader_without_an_account_chooses_a_language_that_is_kept_in_a_cookie(
    web: aiohttp.ClientSession,
) -> None:
    form = {"language": "ru", "back": "https://evil.example/"}
    async with web.post("/language", data=form, allow_redirects=False) as response:
        assert response.headers["Location"] == "/settings"
        cookie = response.cookies["language"]
        assert (cookie.value, cookie["httponly"], cookie["samesite"]) == ("ru", True, "lax")
    assert "Настройки" in await load(web, "/settings", Cookie="language=ru", **POLISH)
    assert "Ustawienia" in await load(web, "/settings", Cookie="language=xx", **POLISH)
    async with web.post("/language", data={"language": "auto"}, allow_redirects=False) as response:
        assert response.cookies["language"]["max-age"] == "0"


async def test_the_texts_of_scripts_are_kept_by_their_version(web: aiohttp.ClientSession) -> None:
    (address,) = re.findall(r'src="(/static/texts-pl\.js\?v=\w+)"', await load(web, "/", **POLISH))
    async with web.get(address) as response:
        assert "immutable" in response.headers["Cache-Control"]
        assert '"Undo":"Cofnij"' in await response.text()


@pytest.mark.asyncio(loop_scope="session")
async def test_a_person_chooses_a_language_and_everything_follows(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open("/settings", admin=True)
    await page.get_by_label("Polski").check()
    await expect(page.locator("html")).to_have_attribute("lang", "pl")
    await expect(page.get_by_role("heading", name="Ustawienia")).to_be_visible()
    # The scripts of the page that was loaded again are ready.
    await expect(page.locator("[data-help]")).to_have_js_property("hidden", value=False)
    await page.keyboard.press("?")
    await expect(page.get_by_role("heading", name="Klawisze")).to_be_visible()
    await expect(page.get_by_text("Następny i poprzedni artykuł")).to_be_visible()
    await no_axe_violations(page)
    # Plural forms of scripts are those of the catalogue.
    say = "n => import('/static/texts.js').then((m) => m.ngettext('%(num)s article', '%(num)s articles', n))"
    said = [await page.evaluate(say, number) for number in (1, 2, 5, 22)]
    assert said == ["1 artykuł", "2 artykuły", "5 artykułów", "22 artykuły"]


@pytest.mark.asyncio(loop_scope="session")
async def test_nothing_is_wider_than_a_phone_in_any_language(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open("/", admin=True, size=PHONE)
    for code in ("pl", "ru", "zh"):
        await save_settings(site.newsroom.database, FIRST_PERSON, {"language": code})
        for path in ("/", "/feeds", "/settings", "/rules"):
            await page.goto(f"{site.base}{path}")
            assert await overflow(page) == 0, (code, path)
    await no_axe_violations(page)
