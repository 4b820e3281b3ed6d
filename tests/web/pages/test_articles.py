"""The list in a real browser, with and without JavaScript."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Page, expect

from inforadar.model.person import FIRST_PERSON
from inforadar.store.people.marks import load_marks
from inforadar.store.people.save_marks import save_marks
from tests.support.faces.browser import PHONE, Site, no_axe_violations, overflow, site
from tests.support.faces.furnished import LOADED, TITLES, furnish

__all__ = ["site"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

HABR, SEAGULLS = TITLES["Habr"]
MINISTER, FERRY, LIBRARY = TITLES["BBC"]


async def titles(page: Page) -> list[str]:
    return [title.strip("★ ") for title in await page.locator(".entry h2").all_inner_texts()]


async def test_an_empty_database_is_welcomed(site: Site) -> None:
    page = await site.open()
    ways = page.get_by_role("region", name="Welcome.").get_by_role("link")
    addresses = [await way.get_attribute("href") for way in await ways.all()]
    assert addresses == ["/add", "/opml", "/add?kind=pages"]
    await no_axe_violations(page)


async def test_the_sample_is_introduced_until_there_is_a_feed_of_ones_own(site: Site) -> None:
    feed = await site.newsroom.add_feed(origin="sample")
    await site.newsroom.add_item(feed, "https://news.example/1", title="Invented")
    page = await site.open()
    greeting = page.get_by_role("region", name="Welcome")
    ways = [await way.get_attribute("href") for way in await greeting.get_by_role("link").all()]
    assert ways == ["/add", "/opml", "/add?kind=pages"]
    assert await titles(page) == ["Invented"]
    await no_axe_violations(page)
    await page.goto(f"{site.base}/?show=unread")
    await expect(greeting).to_have_count(0)
    await site.newsroom.add_feed("https://own.example/feed")
    await page.goto(site.base)
    await expect(greeting).to_have_count(0)


async def test_the_list_is_for_everybody_in_light_and_dark_and_on_a_phone(site: Site) -> None:
    long = "Donaudampfschifffahrtsgesellschaft" * 12
    await site.newsroom.add_item(
        await site.newsroom.add_feed("https://x.example/", source=long), "https://x.example/1", title=long
    )
    await furnish(site.newsroom)
    page = await site.open(admin=True)
    await no_axe_violations(page)
    assert await overflow(page) == 0
    dark = await site.open(dark=True, size=PHONE)
    await no_axe_violations(dark)
    assert await overflow(dark) == 0


async def test_on_a_phone_filters_unfold_without_javascript(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open(size=PHONE, javascript=False)
    source = page.get_by_role("navigation", name="Filters").get_by_role("link", name="Habr")
    await expect(source).to_be_hidden()
    await page.get_by_role("checkbox", name="Filters").check()
    assert await overflow(page) == 0
    await source.click()
    assert await titles(page) == [HABR, SEAGULLS]


async def test_filters_and_search_work_without_javascript(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open(javascript=False)
    filters = page.get_by_role("navigation", name="Filters")
    await filters.get_by_role("link", name="BBC").click()
    assert await titles(page) == [MINISTER, FERRY, LIBRARY]
    await filters.get_by_role("link", name="loaded").click()
    assert await titles(page) == [MINISTER]
    await expect(page.get_by_role("heading", level=1)).to_contain_text("source: BBC")
    # Choosing the same once more clears it.
    await filters.get_by_role("link", name="BBC").click()
    await filters.get_by_role("link", name="loaded").click()
    assert len(await titles(page)) == 6
    await filters.get_by_role("link", name="python").click()
    find = page.get_by_label("Find articles")
    await find.fill("нейросеть")
    await find.press("Enter")
    assert await titles(page) == [SEAGULLS]
    assert "topic=python" in page.url
    await find.fill("渡轮")
    await find.press("Enter")
    await expect(page.get_by_text("Nothing here with these filters.")).to_be_visible()
    await page.get_by_role("link", name="Show all articles").click()
    assert len(await titles(page)) == 6


async def test_marks_are_filters(site: Site) -> None:
    items = await furnish(site.newsroom)
    now = datetime.now(UTC)
    for title, change in ((HABR, "read"), (FERRY, "starred"), (LIBRARY, "archived")):
        await site.newsroom.database.write(save_marks, FIRST_PERSON, items[title].url, {change: True}, now)
    page = await site.open(javascript=False, admin=True)
    assert len(await titles(page)) == 5
    marks = page.get_by_role("navigation", name="Marks")
    await marks.get_by_role("link", name="unread").click()
    assert HABR not in await titles(page)
    await marks.get_by_role("link", name="starred").click()
    assert await titles(page) == [FERRY]
    await expect(page.get_by_title("Starred")).to_be_visible()
    await marks.get_by_role("link", name="archived").click()
    assert await titles(page) == [LIBRARY]


async def test_keys_walk_open_and_find(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open()
    at = page.locator(".entry.at h2 a")
    await page.keyboard.press("j")
    await expect(at).to_have_text(HABR)
    await expect(at).to_be_focused()
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await expect(at).to_have_text(MINISTER)
    async with page.expect_popup() as popup:
        await page.keyboard.press("o")
    elsewhere = await popup.value
    await elsewhere.wait_for_url(LOADED)
    assert "referer" not in await site.outside[-1].all_headers()
    await page.keyboard.press("k")
    await expect(at).to_have_text(SEAGULLS)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/item/*")
    await page.keyboard.press("u")
    await expect(at).to_have_text(SEAGULLS)
    await page.keyboard.press("/")
    await expect(page.get_by_label("Find articles")).to_be_focused()
    # While somebody types, letters are letters.
    await page.keyboard.type("jk")
    await expect(page.get_by_label("Find articles")).to_have_value("jk")
    await expect(at).to_have_text(SEAGULLS)


async def test_the_help_names_every_key_and_closes(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open()
    await page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    keys = await dialog.locator("kbd").all_inner_texts()
    assert keys == ["j", "k", "Enter", "o", "m", "s", "a", "/", "u", "?"]
    await no_axe_violations(page)
    await page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await page.get_by_role("button", name="Keys").click()
    await dialog.get_by_role("button", name="Close").click()
    await expect(dialog).to_be_hidden()


async def test_keys_mark_in_the_list(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open(admin=True)
    await page.keyboard.press("j")
    first = page.locator(".entry").first
    await page.keyboard.press("m")
    await expect(first).to_have_class("entry at read")
    await page.keyboard.press("s")
    await expect(first.get_by_title("Starred")).to_be_visible()
    marks = (await site.newsroom.database.read(load_marks, FIRST_PERSON, [items[HABR].hash]))[
        items[HABR].hash
    ]
    assert marks.read_at
    assert marks.starred_at
    await page.keyboard.press("m")
    await expect(first).to_have_class("entry at")
    await page.keyboard.press("a")
    await expect(page.locator(".entry")).to_have_count(5)
    await expect(page.locator(".entry.at h2 a")).to_have_text(SEAGULLS)
    await page.reload()
    assert HABR not in await titles(page)


async def test_a_stranger_marks_nothing_and_reads_without_leaving_a_mark(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open()
    for key in "jmsa":
        await page.keyboard.press(key)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/item/*")
    await expect(page.get_by_role("button", name="Star")).to_have_count(0)
    assert not await site.newsroom.database.read(
        load_marks, FIRST_PERSON, [item.hash for item in items.values()]
    )


async def test_what_is_unread_is_counted_beside_its_source(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A page never waits long for its numbers, and a busy machine may be later.
    monkeypatch.setattr("inforadar.web.pages.unread.COUNT_TIMEOUT_S", 30.0)
    items = await furnish(site.newsroom)
    page = await site.open(admin=True)
    bbc = page.get_by_role("navigation", name="Filters").get_by_role("link", name="BBC")
    await expect(bbc.locator(".count")).to_have_text("3")
    await page.goto(f"{site.base}/item/{items[FERRY].id}")
    await page.goto(site.base)
    await expect(bbc.locator(".count")).to_have_text("2")


async def test_what_came_since_the_last_visit_is_bold(site: Site) -> None:
    await furnish(site.newsroom)
    context = await site.visit()
    first = await context.new_page()
    await first.goto(site.base)
    await expect(first.locator(".entry.new")).to_have_count(0)
    await first.close()
    feed = await site.newsroom.add_feed("https://late.example/", source="Late")
    await site.newsroom.add_item(feed, "https://late.example/1", title="Just in")
    second = await context.new_page()
    await second.goto(site.base)
    assert await second.locator(".entry.new h2").all_inner_texts() == ["Just in"]
    # Looking into the list again is the same visit.
    await second.reload()
    assert await second.locator(".entry.new h2").all_inner_texts() == ["Just in"]


async def test_times_are_those_of_the_reader(site: Site) -> None:
    feed = await site.newsroom.add_feed()
    at = datetime.now(UTC).replace(hour=20, minute=30) - timedelta(days=3)
    old = datetime(2021, 2, 3, 20, 30, tzinfo=UTC)
    await site.newsroom.add_item(feed, "https://news.example/1", title="Days ago", published_at=at)
    await site.newsroom.add_item(feed, "https://news.example/2", title="Years ago", published_at=old)
    page = await site.open(zone="Asia/Tokyo")
    times = page.locator(".entry time")
    await expect(times.nth(0)).to_contain_text("05:30")
    await expect(times.nth(1)).to_contain_text("4 Feb 2021")
    await expect(page.locator("footer")).to_contain_text("times in Asia/Tokyo")
    plain = await site.open(zone="Asia/Tokyo", javascript=False)
    await expect(plain.locator(".entry time").nth(1)).to_have_text("3 Feb 2021, 20:30 UTC")
    await expect(plain.locator("footer")).to_contain_text("times in UTC")


async def test_back_from_an_article_the_list_is_where_it_was(site: Site) -> None:
    await site.newsroom.add_items(await site.newsroom.add_feed(source="Habr"), 30)
    page = await site.open("/?source=Habr", admin=True)
    await page.get_by_role("link", name="Number 25", exact=True).click()
    await page.get_by_role("button", name="Star").click()
    await expect(page.get_by_role("button", name="Starred")).to_be_visible()
    back = page.get_by_role("link", name="← Articles")
    await expect(back).to_have_attribute("href", "/?source=Habr")
    await back.click()
    await expect(page.get_by_role("link", name="Number 25", exact=True)).to_be_in_viewport()
