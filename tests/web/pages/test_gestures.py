"""Reading by hand in a real browser: swipes, scrolling, players, copying, and what a finger can hit."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, Page, expect

from inforadar.actions.people.settings import save_settings
from inforadar.model.item import Enclosure
from inforadar.model.person import FIRST_PERSON
from tests.support.faces.browser import PHONE, Site, site
from tests.support.faces.furnished import TITLES, furnish

__all__ = ["site"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

MIN_TARGET_PX = 24
SMALL_TARGETS = """(least) => {
  // A link inside of a sentence is as high as its line.
  const isInText = (one) => one.matches("p a") && !one.closest(".meta, .feeds")
    && one.parentElement.textContent.trim() !== one.textContent.trim();
  const isSmall = ({ width, height }) => width < least || height < least;
  return [...document.querySelectorAll("a:not(.skip), button, summary, select, label:has(input)")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !isInText(one))
    .filter((one) => isSmall(one.getBoundingClientRect()))
    .map((one) => one.outerHTML.slice(0, 160));
}"""


async def swipe(
    page: Page, entry: Locator, across: int, *, down: int = 0, start: int = 200, says: str = ""
) -> None:
    """Draw a finger over an entry, which says what lifting it would do."""
    box = await entry.bounding_box()
    assert box is not None
    touch = await page.context.new_cdp_session(page)
    y = box["y"] + box["height"] / 2
    for part in (0.0, 0.2, 0.6, 1.0):
        point = {"x": start + across * part, "y": y + down * part}
        kind = "touchMove" if part else "touchStart"
        await touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    if says:
        await expect(entry).to_have_attribute("data-swipe", says)
    await touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


async def test_a_short_swipe_reads_a_long_one_stars_and_nothing_happens_at_the_edge(site: Site) -> None:
    await furnish(site.newsroom)
    page = await site.open("/?topic=world", admin=True, size=PHONE, touch=True)
    # The script that follows a finger is there once the buttons that need it are.
    await expect(page.locator("[data-above]").first).to_be_visible()
    entry, other = page.locator(".entry").nth(0), page.locator(".entry").nth(1)
    # The browser's own gesture, a tap that slipped, and scrolling change nothing.
    await swipe(page, other, 170, start=10)
    await swipe(page, other, 30)
    await swipe(page, other, 70, down=90)
    await swipe(page, entry, -80, says="Mark as read")
    await expect(entry).to_have_class("entry read")
    await swipe(page, entry, 80, says="Mark as unread")
    await expect(entry).to_have_class("entry")
    await swipe(page, entry, -170, says="Star")
    await expect(entry).to_have_class("entry starred")
    await page.reload()
    classes = [await one.get_attribute("class") for one in await page.locator(".entry").all()]
    assert classes == ["entry starred", "entry", "entry"]


async def test_what_is_scrolled_past_is_read_and_numbers_are_hidden_where_that_is_set(site: Site) -> None:
    await site.newsroom.add_items(await site.newsroom.add_feed(), 30)
    await save_settings(site.newsroom.database, FIRST_PERSON, {"scroll": "read", "counts": "hide"})
    page = await site.open("/?show=all", admin=True, size=(1000, 800))
    await expect(page.locator(".side .count")).to_have_count(0)
    await expect(page.locator(".entry.read")).to_have_count(0)
    await page.locator(".entry").nth(12).evaluate("(one) => one.scrollIntoView({ block: 'start' })")
    await expect(page.locator(".entry.read").nth(5)).to_be_attached()
    await expect(page.locator(".entry").last).not_to_have_class("entry read")


async def test_files_have_players_and_the_link_is_copied(site: Site) -> None:
    feed = await site.newsroom.add_feed()
    item = await site.newsroom.add_item(
        feed,
        "https://news.example/7",
        title="第七集",
        enclosures=(
            Enclosure(url="https://cdn.example/7.mp3", type="audio/mpeg", length=12_300_000, duration=3661),
            Enclosure(url="https://cdn.example/7.mp4", type="video/mp4"),
            Enclosure(url="https://cdn.example/7.pdf", title='Конспект "><img src=x onerror=alert(1)>'),
            Enclosure(url="javascript:alert(1)", type="audio/mpeg"),
        ),
    )
    context = await site.visit()
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = await context.new_page()
    await page.goto(f"{site.base}/item/{item.id}")
    files = page.get_by_role("list", name="Files")
    await expect(files.get_by_role("listitem")).to_have_count(3)
    await expect(files.locator("audio")).to_have_attribute("src", "https://cdn.example/7.mp3")
    await expect(files.locator("video")).to_have_attribute("src", "https://cdn.example/7.mp4")
    await expect(files.get_by_role("link", name='Конспект "><img')).to_be_visible()
    assert site.outside == [], "nothing is loaded before somebody plays it"
    async with page.expect_request("https://cdn.example/7.mp3") as asked:
        await files.locator("audio").evaluate("(one) => one.play().catch(() => null)")
    assert "referer" not in await (await asked.value).all_headers()
    await page.keyboard.press("c")
    await expect(page.get_by_role("status")).to_have_text("The link is copied.")
    assert await page.evaluate("navigator.clipboard.readText()") == item.url


async def test_what_can_be_pressed_is_large_enough_for_a_finger(site: Site) -> None:
    items = await furnish(site.newsroom)
    page = await site.open("/", admin=True, size=PHONE, touch=True)
    for path in (
        "/?show=all",
        "/?show=all#side",
        "/feeds",
        "/settings",
        f"/item/{items[TITLES['BBC'][0]].id}",
    ):
        await page.goto(f"{site.base}{path}")
        assert await page.evaluate(SMALL_TARGETS, MIN_TARGET_PX) == [], path
