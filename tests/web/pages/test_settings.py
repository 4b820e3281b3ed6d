"""Settings of the page, stored with the person; and what the page sends, compressed."""

from __future__ import annotations

import gzip
import re

import aiohttp
import pytest
from playwright.async_api import expect

from inforadar.actions.people.settings import save_settings
from inforadar.errors import UsageError
from inforadar.model.person import FIRST_PERSON
from inforadar.store.people.queries import load_person
from inforadar.views.settings import CHOICES, DEFAULTS, settings_of
from tests.support.faces.browser import PHONE, Site, no_axe_violations, overflow, site
from tests.support.faces.fixtures import Page as LoadPage
from tests.support.faces.furnished import TITLES, furnish
from tests.support.faces.newsroom import Newsroom

__all__ = ["site"]

MINISTER = TITLES["BBC"][0]


async def test_settings_are_merged_and_unknown_ones_refused(newsroom: Newsroom) -> None:
    await save_settings(newsroom.database, FIRST_PERSON, {"theme": "sepia", "zone": "Asia/Tokyo"})
    person = await save_settings(newsroom.database, FIRST_PERSON, {"theme": "dark"})
    assert (settings_of(person).theme, settings_of(person).zone) == ("dark", "Asia/Tokyo")
    assert settings_of(None) == DEFAULTS
    for wrong in ({"theme": "pink"}, {"role": "admin"}, {"zone": "Moon/Base"}):
        with pytest.raises(UsageError, match="nothing was changed"):
            await save_settings(newsroom.database, FIRST_PERSON, wrong)
    assert settings_of(await newsroom.database.read(load_person, FIRST_PERSON)).theme == "dark"


def test_the_first_choice_is_the_default() -> None:
    assert all(getattr(DEFAULTS, name) == choices[0] for name, choices in CHOICES.items())


async def test_a_stranger_has_a_language_and_a_theme_that_the_browser_keeps(
    page: LoadPage, web: aiohttp.ClientSession
) -> None:
    text = await page("/settings")
    assert 'name="language"' in text
    assert 'name="density"' not in text
    async with web.post("/language", data={"theme": "sepia"}, allow_redirects=False) as response:
        assert response.cookies["theme"].value == "sepia"
        assert "language" not in response.cookies, "only what was chosen is changed"
    for cookie, theme in (("sepia", "sepia"), ('"><script>', "system")):
        async with web.get("/settings", headers={"Cookie": f"theme={cookie}"}) as response:
            assert f'data-theme="{theme}"' in await response.text()
    async with web.post("/language", data={"theme": "pink"}, allow_redirects=False) as response:
        assert response.cookies["theme"]["max-age"] == "0"


async def test_pages_and_files_are_compressed_and_kept_by_their_version(
    newsroom: Newsroom, web: aiohttp.ClientSession
) -> None:
    await newsroom.add_items(await newsroom.add_feed(), 5)
    async with web.get("/", headers={"Accept-Encoding": "gzip"}) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in response.headers["Vary"]
        text = gzip.decompress(await response.read()).decode()
    script = re.findall(r'src="(/static/page\.js\?v=\w+)"', text)[0]
    async with web.get(script, headers={"Accept-Encoding": "gzip"}) as response:
        body = gzip.decompress(await response.read()).decode()
    # A script names the version of each module that it imports.
    for name, version in re.findall(r'from "\./(\w+\.js)\?v=(\w+)"', body):
        async with web.get(f"/static/{name}", params={"v": version}) as response:
            assert "immutable" in response.headers["Cache-Control"]
    manifest = re.findall(r'rel="manifest" href="([^"]+)"', text)[0]
    async with web.get(manifest) as response:
        assert response.headers["Content-Type"] == "application/manifest+json"
        assert "Content-Encoding" not in response.headers
        for icon in (await response.json(content_type=None))["icons"]:
            async with web.get(f"/static/{icon['src']}") as picture:
                assert picture.status == 200


@pytest.mark.asyncio(loop_scope="session")
async def test_settings_apply_at_once_and_stay(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open("/settings", admin=True)
    await no_axe_violations(page)
    await page.get_by_label("sepia").check()
    await expect(page.locator("html")).to_have_attribute("data-theme", "sepia")
    await expect(page.get_by_role("status")).to_have_text("Saved.")
    await page.get_by_label("in titles and texts").check()
    await expect(page.locator("html")).to_have_attribute("data-marks", "everywhere")
    await page.get_by_label("the neutral title").check()
    await page.get_by_label("unread ones").check()
    await expect(page.locator("html")).to_have_attribute("data-start", "unread")
    await no_axe_violations(page)
    await page.goto(site.base)
    assert page.url == f"{site.base}/?show=unread"
    await expect(page.locator("html")).to_have_attribute("data-theme", "sepia")
    await expect(page.locator(".entry h2", has_text="Minister answers critics")).to_be_visible()
    await expect(page.locator(".entry .deframed", has_text=MINISTER)).to_be_visible()
    await no_axe_violations(page)
    await page.goto(f"{site.base}/item/{items[MINISTER].id}")
    await expect(page.locator("#text mark")).to_have_text(["slams", "furious"])
    await no_axe_violations(page)


@pytest.mark.asyncio(loop_scope="session")
async def test_the_density_changes_without_javascript_and_the_tour_ends(site: Site) -> None:
    await site.newsroom.add_items(await site.newsroom.add_feed(source="Habr"), 30)
    page = await site.open("/?source=Habr", admin=True, javascript=False, size=(1000, 900))
    await page.get_by_role("button", name="Got it").click()
    await expect(page.get_by_role("button", name="Got it")).to_have_count(0)
    await page.locator(".densities summary").click()
    await page.get_by_role("button", name="Headlines only").click()
    await expect(page.locator("html")).to_have_attribute("data-density", "headlines")
    assert page.url == f"{site.base}/?source=Habr"
    last = await page.locator(".entry").nth(11).bounding_box()
    assert last is not None
    assert last["y"] + last["height"] <= 900
    # Beside an article the list is narrow: the headline keeps its line, and as many fit.
    panes = await site.open("/?source=Habr", admin=True, size=(1280, 900))
    last = await panes.locator(".entry").nth(11).bounding_box()
    heading = await panes.locator(".entry h2").nth(11).bounding_box()
    assert last is not None
    assert heading is not None
    assert last["y"] + last["height"] <= 900
    assert heading["width"] > 300
    phone = await site.open("/settings", admin=True, javascript=False, size=PHONE, dark=True)
    assert await overflow(phone) == 0
    await phone.get_by_label("very large").check()
    await phone.get_by_role("button", name="Save").click()
    await expect(phone.get_by_text("Saved.")).to_be_visible()
    await expect(phone.locator("html")).to_have_attribute("data-size", "huge")
