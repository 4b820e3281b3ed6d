"""Searching on the page: what was found is marked, kept, and taken along."""

from __future__ import annotations

import csv
import io
import json

import aiohttp
import pytest
from playwright.async_api import expect

from inforadar.model.person import FIRST_PERSON
from inforadar.store.people.queries import load_searches
from tests.support.faces.browser import Site, no_axe_violations, site
from tests.support.faces.furnished import TITLES, furnish
from tests.support.faces.newsroom import Newsroom

__all__ = ["site"]
FERRY, LIBRARY = TITLES["BBC"][1:]


async def test_a_list_is_exported_with_its_filters(newsroom: Newsroom, web: aiohttp.ClientSession) -> None:
    for topic, title in (("сеть", "=HYPERLINK(1) [渡轮](x)"), ("world", "Other")):
        feed = await newsroom.add_feed(f"https://{title[:1]}.example/", source="BBC", topic=topic)
        await newsroom.add_item(feed, f"https://news.example/{topic}", title=title)
    texts = {}
    for kind in ("csv", "md", "json"):
        async with web.get(f"/export.{kind}", params={"topic": "сеть"}) as response:
            assert response.status == 200
            texts[kind] = await response.text()
    header, row = csv.reader(io.StringIO(texts["csv"]))
    assert header[0] == "title"
    # A spreadsheet shows it, and does not run it.
    assert row[:4] == ["'=HYPERLINK(1) [渡轮](x)", "", "BBC", "сеть"]
    assert r"\[渡轮\]\(x\)](<https://news.example/" in texts["md"]
    assert [item["title"] for item in json.loads(texts["json"])["items"]] == ["=HYPERLINK(1) [渡轮](x)"]
    assert all("Other" not in text for text in texts.values())
    async with web.get("/export.exe") as response:
        assert response.status == 404


@pytest.mark.asyncio(loop_scope="session")
async def test_a_search_is_marked_kept_and_dropped_without_javascript(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open("/?q=ferr*", admin=True, javascript=False)
    await expect(page.locator(".entry h2 mark.hit")).to_have_text(["Ferry"])
    await page.locator(".entry h2 a").click()
    await expect(page.locator("h1 mark.hit")).to_have_text(["Ferry"])
    await page.get_by_role("link", name="Back to the list").click()
    await page.get_by_label("Save as").fill("Boats 渡")
    await page.get_by_role("button", name="Save", exact=True).click()
    side = page.get_by_role("navigation", name="Feeds and lists")
    await side.get_by_role("link", name="Boats 渡").click()
    assert await page.locator(".entry h2").all_inner_texts() == [FERRY]
    assert await site.newsroom.database.read(load_searches, FIRST_PERSON) == {"Boats 渡": "ferr*"}
    await expect(page.get_by_role("link", name="As a feed")).to_have_attribute(
        "href", "/feeds/search?q=ferr%2A"
    )
    # The palette finds it on every page, also where there is no sidebar.
    runs = await page.context.new_page()
    await runs.goto(f"{site.base}/palette")
    assert {"kind": "saved", "name": "Boats 渡", "href": "/?q=ferr%2A"} in json.loads(
        await runs.locator("body").inner_text()
    )["choices"]
    await runs.close()
    await page.get_by_role("button", name="Delete this search").click()
    await expect(side.get_by_role("link", name="Boats 渡")).to_have_count(0)


@pytest.mark.asyncio(loop_scope="session")
async def test_the_palette_finds_feeds_and_commands(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open(admin=True)
    await expect(page.locator("[data-help]:not([hidden])")).to_be_attached()
    await page.keyboard.press("Control+k")
    palette = page.get_by_role("dialog", name="Go to")
    await no_axe_violations(page)
    await page.keyboard.type("bb")
    await expect(palette.get_by_role("option").first).to_contain_text("BBC")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/?feed=*")
    await expect(page.locator("[data-help]:not([hidden])")).to_be_attached()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("渡")
    await expect(palette.get_by_role("option")).to_have_text(["Find “渡”search"])
    await page.keyboard.press("Enter")
    await expect(page.locator(".entry h2")).to_have_text(LIBRARY)
    # Where there is no sidebar, it finds the same.
    await page.goto(f"{site.base}/runs")
    await expect(page.locator("[data-help]:not([hidden])")).to_be_attached()
    await page.keyboard.press("Control+k")
    await page.keyboard.type("worl")
    await expect(palette.get_by_role("option").first).to_have_text("worldtopic")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/?topic=world")
