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

NARROW = (1000, 800)
"""Two panes: an article is a page of its own."""
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


async def test_on_a_phone_the_sidebar_is_a_drawer_without_javascript(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open(size=PHONE, javascript=False)
    side = page.get_by_role("navigation", name="Feeds and lists")
    await expect(side).to_be_hidden()
    await page.get_by_role("link", name="Feeds and lists").click()
    await expect(side).to_be_visible()
    assert await overflow(page) == 0
    await side.get_by_role("link", name="Habr").click()
    assert await titles(page) == [HABR, SEAGULLS]
    await expect(side).to_be_hidden()


async def test_the_sidebar_is_folded_and_that_is_remembered(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open(size=NARROW)
    side = page.get_by_role("navigation", name="Feeds and lists")
    await expect(side).to_be_visible()
    await page.get_by_role("link", name="Feeds and lists").click()
    await expect(side).to_be_hidden()
    await page.reload()
    await expect(side).to_be_hidden()
    await page.keyboard.press("[")
    await expect(side).to_be_visible()


async def test_feeds_topics_scores_and_search_work_without_javascript(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However busy the machine is, the page waits for the number of matches.
    monkeypatch.setattr("inforadar.web.pages.articles.MATCHES_TIMEOUT_S", 30.0)
    await furnish(site.newsroom)
    page = await site.open(javascript=False)
    side = page.get_by_role("navigation", name="Feeds and lists")
    await side.get_by_role("link", name="BBC").click()
    assert await titles(page) == [MINISTER, FERRY, LIBRARY]
    await page.get_by_role("link", name="loaded").click()
    assert await titles(page) == [MINISTER]
    heading = page.get_by_role("heading", level=1)
    await expect(heading).to_have_text("BBC 1 found")
    # Choosing the same once more clears it.
    await page.get_by_role("link", name="loaded").click()
    assert len(await titles(page)) == 3
    await side.get_by_role("link", name="python").click()
    assert len(await titles(page)) == 3
    find = page.get_by_label("Find articles")
    await find.fill("нейросеть")
    await find.press("Enter")
    assert await titles(page) == [SEAGULLS]
    await find.fill("渡")
    await find.press("Enter")
    assert await titles(page) == [LIBRARY]
    await find.fill("nothing of that kind")
    await find.press("Enter")
    await expect(page.get_by_text("Nothing here with these filters.")).to_be_visible()
    await page.get_by_role("link", name="Show all articles").click()
    assert len(await titles(page)) == 6


async def test_marks_are_lists(site: Site) -> None:
    items = await furnish(site.newsroom)
    now = datetime.now(UTC)
    for title, change in ((HABR, "read"), (FERRY, "starred"), (LIBRARY, "archived")):
        await site.newsroom.database.write(save_marks, FIRST_PERSON, items[title].url, {change: True}, now)
    page = await site.open(javascript=False, admin=True)
    assert len(await titles(page)) == 5
    side = page.get_by_role("navigation", name="Feeds and lists")
    await side.get_by_role("link", name="Unread").click()
    assert HABR not in await titles(page)
    await side.get_by_role("link", name="Starred").click()
    assert await titles(page) == [FERRY]
    await expect(page.get_by_role("button", name="Remove the star")).to_be_visible()
    await side.get_by_role("link", name="Archived").click()
    assert await titles(page) == [LIBRARY]


@pytest.mark.parametrize("javascript", [True, False])
async def test_entries_are_marked_where_they_stand(site: Site, javascript: bool) -> None:
    items = await furnish(site.newsroom)
    page = await site.open(admin=True, javascript=javascript, size=NARROW)
    entry = page.locator(".entry", has_text=FERRY)
    await entry.get_by_role("button", name="Star").click()
    await expect(entry.get_by_role("button", name="Remove the star")).to_be_visible()
    await entry.get_by_role("button", name="Mark as read").click()
    await expect(entry.get_by_role("button", name="Mark as unread")).to_be_visible()
    hash_ = items[FERRY].hash
    marks = (await site.newsroom.database.read(load_marks, FIRST_PERSON, [hash_]))[hash_]
    assert marks.starred_at
    assert marks.read_at
    await entry.get_by_role("button", name="Archive").click()
    if javascript:
        await page.get_by_role("status").get_by_role("button", name="Undo").click()
        await expect(entry.get_by_role("button", name="Archive")).to_be_visible()
    else:
        await expect(entry).to_have_count(0)


@pytest.mark.parametrize("javascript", [True, False])
async def test_all_is_marked_as_read_and_taken_back(site: Site, javascript: bool) -> None:
    await furnish(site.newsroom)
    page = await site.open("/?topic=world", admin=True, javascript=javascript)
    await expect(page.locator(".entry.read")).to_have_count(0)
    if javascript:
        await page.keyboard.press("Shift+A")
    else:
        await page.get_by_role("button", name="Mark all as read").click()
    await expect(page.get_by_text("Marked 3 articles as read.")).to_be_visible()
    await expect(page.locator(".entry.read")).to_have_count(3)
    if javascript:
        await expect(page.locator("[data-help]:not([hidden])")).to_be_attached()
        await page.keyboard.press("z")
    else:
        await page.get_by_role("button", name="Undo").click()
    await expect(page.locator(".entry.read")).to_have_count(0)


async def test_offline_a_mark_says_so_in_words(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open(admin=True, size=NARROW)
    await page.context.set_offline(True)
    await page.locator(".entry").first.get_by_role("button", name="Star").click()
    await expect(page.get_by_role("status")).to_have_text("You are offline. Nothing was changed.")
    await page.context.set_offline(False)
    site.faults.clear()


async def test_on_a_wide_screen_the_article_stands_beside_the_list(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open("/?topic=world", admin=True)
    heading = page.get_by_role("heading", level=1)
    await page.get_by_role("link", name=MINISTER).click()
    article = page.get_by_role("region", name="Article")
    await expect(article.get_by_role("heading", level=1)).to_have_text(MINISTER)
    assert page.url == f"{site.base}/item/{items[MINISTER].id}?topic=world"
    await expect(page.locator(".entry.at.read h2")).to_have_text(MINISTER)
    await page.keyboard.press("j")
    await expect(article.get_by_role("heading", level=1)).to_have_text(FERRY)
    await expect(page.locator(".entry.at h2")).to_have_text(FERRY)
    await page.keyboard.press("s")
    await expect(article.get_by_role("button", name="Remove the star")).to_be_visible()
    await expect(page.locator(".entry.at.starred h2")).to_have_text(FERRY)
    await no_axe_violations(page)
    # The address names what is shown, and leads there.
    await page.go_back()
    await expect(article.get_by_role("heading", level=1)).to_have_text(MINISTER)
    await page.go_back()
    await expect(article).to_have_text("Choose an article.")
    await page.goto(f"{site.base}/item/{items[FERRY].id}?topic=world")
    await expect(heading).to_have_text(FERRY)
    await expect(page.locator(".entry.at h2")).to_have_text(FERRY)
    await expect(page.locator(".entry")).to_have_count(3)
    await page.keyboard.press("k")
    await expect(heading).to_have_text(MINISTER)
    await no_axe_violations(page)


async def test_more_is_loaded_while_scrolling_and_news_are_told(site: Site) -> None:
    feed = await site.newsroom.add_feed(source="Habr")
    await site.newsroom.add_items(feed, 60)
    page = await site.open(size=NARROW)
    await expect(page.locator(".entry")).to_have_count(40)
    await page.locator(".pager").scroll_into_view_if_needed()
    await expect(page.locator(".entry")).to_have_count(60)
    await site.newsroom.add_item(feed, "https://late.example/1", title="Just in")
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.get_by_role("link", name="1 new article").click()
    await expect(page.locator(".entry h2").first).to_have_text("Just in")


async def test_keys_walk_open_and_find(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open(size=NARROW)
    at = page.locator(".entry.at h2 a")
    await page.keyboard.press("j")
    await expect(at).to_have_text(HABR)
    await expect(at).to_be_focused()
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await expect(at).to_have_text(MINISTER)
    async with page.expect_popup() as popup:
        await page.keyboard.press("v")
    elsewhere = await popup.value
    await elsewhere.wait_for_url(LOADED)
    assert "referer" not in await site.outside[-1].all_headers()
    await page.keyboard.press("k")
    await expect(at).to_have_text(SEAGULLS)
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/item/*")
    await page.keyboard.press("j")
    await expect(page.get_by_role("heading", level=1)).to_have_text(MINISTER)
    await page.keyboard.press("p")
    await expect(page.get_by_role("heading", level=1)).to_have_text(SEAGULLS)
    await page.keyboard.press("u")
    await expect(at).to_have_text(SEAGULLS)
    for key, address in (("u", "/?show=unread"), ("s", "/?show=starred"), ("a", "/?show=all")):
        await page.keyboard.press("g")
        await page.keyboard.press(key)
        await page.wait_for_url(f"{site.base}{address}")
    await page.keyboard.press("j")
    await page.keyboard.press("j")
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
    assert set("jkomsa/?rAz") | {"Enter"} <= set(keys)
    await no_axe_violations(page)
    await page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await page.locator(".menu summary").click()
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
    await expect(first).to_have_class("entry at read starred")
    marks = (await site.newsroom.database.read(load_marks, FIRST_PERSON, [items[HABR].hash]))[
        items[HABR].hash
    ]
    assert marks.read_at
    assert marks.starred_at
    await page.keyboard.press("m")
    await expect(first).to_have_class("entry at starred")
    await page.keyboard.press("a")
    await expect(first).to_have_class("entry at starred archived")
    await page.reload()
    assert HABR not in await titles(page)


async def test_a_stranger_marks_nothing_and_reads_without_leaving_a_mark(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open(size=NARROW)
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
    bbc = page.get_by_role("navigation", name="Feeds and lists").get_by_role("link", name="BBC")
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
    await expect(page.locator("[data-zone]")).to_contain_text("times in Asia/Tokyo")
    plain = await site.open(zone="Asia/Tokyo", javascript=False)
    await expect(plain.locator(".entry time").nth(1)).to_have_text("3 Feb 2021, 20:30 UTC")
    await expect(plain.locator("[data-zone]")).to_contain_text("times in UTC")


async def test_back_from_an_article_the_list_is_where_it_was(site: Site) -> None:
    await site.newsroom.add_items(await site.newsroom.add_feed(source="Habr"), 30)
    page = await site.open("/?source=Habr", admin=True, size=NARROW)
    await page.get_by_role("link", name="Number 25", exact=True).click()
    await page.get_by_role("button", name="Star").click()
    await expect(page.get_by_role("button", name="Remove the star")).to_be_visible()
    back = page.get_by_role("link", name="Back to the list")
    await expect(back).to_have_attribute("href", "/?source=Habr")
    await back.click()
    await expect(page.get_by_role("link", name="Number 25", exact=True)).to_be_in_viewport()
