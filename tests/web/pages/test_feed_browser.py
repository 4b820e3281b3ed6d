"""Feeds in a real browser: a menu, Undo, a page that fills itself, a preview while writing; and what goes wrong."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from functools import partial

import pytest
from playwright.async_api import Route, expect

from inforadar.store.feeds.changes import request_feeds
from tests.support.faces.browser import PHONE, Site, site

__all__ = ["site"]
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_feed_is_deleted_from_its_menu_and_comes_back_by_undo(site: Site) -> None:
    feed = await site.newsroom.add_feed(title="Harbour")
    await site.newsroom.add_feed("https://other.example/", title="Other")
    page = await site.open("/feeds", admin=True)
    menu = page.locator("tr", has_text="Harbour").locator("details.menu")
    await menu.locator("summary").click()
    await expect(menu.get_by_role("link", name="Edit")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(menu.get_by_role("link", name="Edit")).to_be_hidden()
    await menu.locator("summary").click()
    await menu.get_by_role("button", name="Delete: Harbour").click()
    await expect(page.get_by_role("status")).to_contain_text("Harbour was deleted.")
    await page.get_by_role("button", name="Undo").click()
    await expect(page).to_have_url(f"{site.base}/feeds/{feed.id}?says=restored")


async def test_a_feeds_page_fills_itself_when_its_fetch_ends(site: Site) -> None:
    feed = await site.newsroom.add_feed()
    await site.newsroom.database.write(request_feeds, [feed.id])
    page = await site.open(f"/feeds/{feed.id}?says=added", admin=True)
    await expect(page.get_by_role("status")).to_contain_text("this page fills itself")
    # What is being written stays.
    await page.get_by_role("textbox", name="Title").fill("Mine")
    await site.newsroom.fetched(feed, after_s=60)
    await site.newsroom.add_item(feed, "https://news.example/1", title="Ferry returns")
    await expect(page.get_by_role("link", name="Ferry returns")).to_be_visible()
    await expect(page.locator("[data-awaited]")).to_have_count(0)
    await expect(page.get_by_role("textbox", name="Title")).to_have_value("Mine")
    assert page.url == f"{site.base}/feeds/{feed.id}"


async def test_what_selectors_catch_is_asked_for_as_soon_as_each_item_is_written(site: Site) -> None:
    page = await site.open("/add?kind=pages", admin=True)
    await page.get_by_label("Address of the page").fill("http://127.0.0.1:1/")
    await page.get_by_label("Each item").fill("article")
    await expect(page.locator("[data-preview] .fault")).to_be_visible()
    # The address is refused, which the browser reports.
    site.faults.clear()


async def test_the_header_has_room_for_the_login_on_a_phone(site: Site) -> None:
    await site.newsroom.add_item(await site.newsroom.add_feed(), "https://news.example/1")
    for path in ("/", "/feeds"):
        page = await site.open(path, size=PHONE)
        link = page.get_by_role("link", name="Log in").first
        boxes = [
            await one.bounding_box() for one in await page.locator(".top > nav a, .top > .aside > *").all()
        ]
        shown = sorted((box for box in boxes if box and box["width"]), key=lambda box: box["x"])
        assert all(one["x"] + one["width"] <= other["x"] for one, other in itertools.pairwise(shown))
        box = await link.bounding_box()
        assert box
        assert box["height"] < 30, "on one line"


async def test_a_broken_picture_leaves_no_hole_and_too_much_at_once_says_when_to_try_again(
    site: Site,
) -> None:
    feed = await site.newsroom.add_feed()
    at = datetime.now(UTC)
    await site.newsroom.add_item(
        feed, "https://news.example/1", image="https://x.example/a.png", published_at=at
    )
    context = await site.visit(admin=True)
    page = await context.new_page()
    await page.route("https://x.example/*", lambda route: route.fulfill(status=404))
    await page.goto(site.base)
    await expect(page.locator(".entry")).to_have_count(1)
    await expect(page.locator(".entry .thumb")).to_have_count(0)
    for wait, sentence in (("1", "1 second"), ("120", "2 minutes"), ("x", "10 seconds")):
        await page.route("**/api/marks", partial(refuse, wait))
        await page.locator(".entry").hover()
        await page.get_by_role("button", name="Star", exact=True).click()
        await expect(page.locator("p.status")).to_have_text(f"Too much at once. Try again in {sentence}.")
        await page.unroute("**/api/marks")
    site.faults.clear()


async def refuse(wait: str, route: Route) -> None:
    await route.fulfill(status=429, headers={"Retry-After": wait}, json={"error": "no"})


async def test_what_stands_above_an_article_is_marked_with_undo_and_a_timeline_keeps_its_place(
    site: Site,
) -> None:
    feed = await site.newsroom.add_feed()
    await site.newsroom.add_items(feed, 60)
    page = await site.open("/?show=all", admin=True)
    third = page.locator(".entry").nth(2)
    await third.hover()
    await third.get_by_role("button", name="Mark all above as read").click()
    await expect(page.locator("p.status")).to_contain_text("Marked 2 articles as read.")
    await expect(page.locator(".entry.read")).to_have_count(2)
    await page.keyboard.press("z")
    await expect(page.locator(".entry.read")).to_have_count(0)
    # As a timeline, the list opens where it was left, on its second page.
    await page.goto(f"{site.base}/settings")
    await page.get_by_label("where you left them: a timeline").check()
    await expect(page.locator("p.status")).to_have_text("Saved.")
    await page.goto(f"{site.base}/?show=all")
    await page.wait_for_function(
        """() => {
          document.querySelector(".pager").scrollIntoView();
          return document.querySelectorAll(".entry").length > 50;
        }"""
    )
    await page.locator(".entry").nth(50).evaluate("(one) => one.scrollIntoView({ block: 'start' })")
    await page.wait_for_function(
        """() => {
          const place = localStorage.getItem("place:/?show=all");
          return [...document.querySelectorAll(".entry")].findIndex((one) => one.dataset.id === place) > 45;
        }"""
    )
    await page.goto(f"{site.base}/feeds")
    await page.goto(f"{site.base}/?show=all")
    await expect(page.locator(".entry").nth(50)).to_be_in_viewport()
