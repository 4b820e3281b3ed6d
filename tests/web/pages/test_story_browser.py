"""A story in a real browser: without JavaScript, on a phone, in the dark."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.support.faces.browser import Site, overflow, site
from tests.support.faces.told import tell

__all__ = ["site"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL_PHONE = (360, 740)


async def test_a_cell_opens_its_sentence_without_javascript_on_a_phone(site: Site) -> None:
    told = await tell(site.newsroom)
    page = await site.open(f"/stories/{told.quake}", javascript=False, size=SMALL_PHONE, dark=True)
    cell = page.get_by_role("button", name="Two: 9, in conflict").first
    sentence = page.locator(f"[id='{await cell.get_attribute('popovertarget')}']")
    await expect(sentence).to_be_hidden()
    await cell.click()
    await expect(sentence).to_be_visible()
    await expect(sentence).to_contain_text("left 9 dead")
    await expect(sentence.get_by_role("link")).to_have_attribute("href", f"/item/{await _item_of(site)}")


async def _item_of(site: Site) -> str:
    page = await site.open("/?source=Two")
    link = page.get_by_role("link", name="Nine dead as quake")
    return str(await link.first.get_attribute("href")).removeprefix("/item/").partition("?")[0]


async def test_a_story_opens_beside_an_article_with_its_own_styles(site: Site) -> None:
    await tell(site.newsroom)
    # The list of articles has no need of them.
    page = await site.open("/?source=Two")
    styles = page.locator('link[href*="stories.css"]')
    await expect(styles).to_have_count(0)
    await page.get_by_role("link", name="Nine dead as quake").first.click()
    await page.locator("article a.chip", has_text="outlets").click()
    sheet = page.get_by_role("dialog", name="The same event, as others tell it")
    await expect(sheet.get_by_role("heading", name="Who says what")).to_be_visible()
    await expect(styles).to_have_count(1)


async def test_both_pages_fit_a_small_phone_and_a_wide_screen(site: Site) -> None:
    told = await tell(site.newsroom)
    for path in ("/stories", f"/stories/{told.quake}"):
        page = await site.open(path, size=SMALL_PHONE, dark=True)
        assert await overflow(page) == 0
        page = await site.open(path, admin=True, size=(1440, 900))
        assert await overflow(page) == 0
