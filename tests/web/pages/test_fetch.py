"""What scripts add to the pages that do something, in a real browser; and that nobody is kept out of them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from inforadar.config import Settings, load_settings
from inforadar.model.feed import FeedKind
from inforadar.model.feed_options import FeedOptions
from inforadar.store.feeds.queries import load_feeds
from tests.support.faces.browser import Site, no_axe_violations
from tests.support.faces.browser import site as visited
from tests.support.faces.serving import worker_apart
from tests.support.ports import free_port
from tests.support.site.answers import Exchange, Fault, html
from tests.support.site.documents import entries, link_to_feed, rss
from tests.support.site.paged import SELECTORS, PagedSite
from tests.support.site.server import Site as World
from tests.support.site.server import render

__all__ = ["visited"]
pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """A worker has to start first, or a process that reads pages; on a full machine that takes a while."""
    expect.set_options(timeout=30_000)
    yield
    expect.set_options(timeout=5_000)


@pytest.fixture
def site_settings(tmp_path: Path) -> Settings:
    """It may fetch from the worlds that tests make, and need not wait between two requests."""
    settings = load_settings(tmp_path, {"INFORADAR_PORT": str(free_port())})
    return settings.replaced(fetcher={"allowed_networks": ("127.0.0.0/8",), "domain_delay": 0})


async def add_paged(visited: Site, world: World, posts: int) -> PagedSite:
    paged = PagedSite(world, page_size=2)
    paged.publish(posts)
    options = FeedOptions(selectors=dict(SELECTORS), cutoff_date=date(2020, 1, 1))
    await visited.newsroom.add_feed(paged.url, kind=FeedKind.PAGES, options=options)
    return paged


async def start(visited: Site) -> Page:
    page = await visited.open("/fetch", admin=True)
    await page.clock.install()
    await page.get_by_role("button", name="Start").click()
    await expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    return page


async def test_a_fetch_is_watched_to_its_end_without_a_reload(visited: Site) -> None:
    async with World() as world:
        await add_paged(visited, world, 6)
        page = await start(visited)
        await page.evaluate("window.sameDocument = true")
        async with worker_apart(visited.settings):
            await expect(page.get_by_text("Done: 6 of 6 items")).to_be_visible()
    log = page.get_by_role("list", name="Log")
    await expect(log).to_contain_text("+ Post 5")
    await expect(log).to_contain_text("6 added, 0 updated, 0 errors")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.clock.fast_forward(60_000)
    # What a timer asks for is asked for before this.
    await page.evaluate("fetch('/health').then((answer) => answer.text())")
    assert asked == [f"{visited.base}/health"]
    assert await page.evaluate("window.sameDocument")
    await no_axe_violations(page)
    await page.get_by_role("link", name="The report").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("6 articles added, 0 updated, 0 errors")


async def test_stop_stops_a_run_of_another_process(visited: Site) -> None:
    async with World() as world:
        paged = await add_paged(visited, world, 6000)
        clicked = asyncio.Event()

        async def wait_for_click(exchange: Exchange) -> None:
            await clicked.wait()
            rows = paged.listing(3)
            older = "<a rel=next href='/latest?page=4'>older</a>"
            await exchange.send(render(html(f"<html><body><main>{rows}</main>{older}</body></html>")))

        world.respond("/latest?page=3", Fault(wait_for_click))
        page = await start(visited)
        async with worker_apart(visited.settings):
            await expect(page.get_by_text("Counting…")).to_be_visible()
            await page.get_by_role("button", name="Stop").click()
            clicked.set()
            await expect(page.get_by_text("Interrupted: 0 of")).to_be_visible()
        assert len(world.requests) < 3000
    await expect(page.get_by_role("button", name="Stop")).to_have_count(0)


async def test_without_scripts_a_fetch_is_watched_all_the_same(visited: Site) -> None:
    async with World() as world:
        await add_paged(visited, world, 4)
        page = await visited.open("/fetch", admin=True, javascript=False)
        await page.get_by_role("button", name="Start").click()
        async with worker_apart(visited.settings):
            await expect(page.get_by_text("Done: 4 of 4 items")).to_be_visible()
        await expect(page.get_by_text("+ Post 3")).to_be_visible()


async def test_a_site_is_added_after_a_look_at_its_items(visited: Site) -> None:
    async with World() as world:
        world.feed("/feed.xml", rss(entries(7)))
        world.page("/", f"<!doctype html><html><head>{link_to_feed('/feed.xml')}</head><body></body></html>")
        page = await visited.open("/add", admin=True)
        await page.get_by_label("Paste a site, a feed or a sitemap").fill(world.url("/"))
        await page.keyboard.press("Enter")
        await expect(page.locator(".preview li")).to_have_count(5)
        await no_axe_violations(page)
        await page.get_by_label("Topic").fill("мир")
        await page.get_by_role("button", name="Add").click()
    await expect(page.get_by_text("Added. It is fetched now")).to_be_visible()
    (feed,) = await visited.newsroom.database.read(load_feeds)
    assert feed.topic == "мир"


async def test_selectors_show_what_they_catch_while_they_are_written(visited: Site) -> None:
    async with World() as world:
        paged = PagedSite(world)
        paged.publish(8)
        page = await visited.open("/add?kind=pages", admin=True)
        await page.get_by_label("Address of the page").fill(paged.url)
        for name in ("item", "link", "title", "date"):
            await page.locator(f"[name={name}]").fill(SELECTORS[name])
        shown = page.get_by_role("region", name="Preview")
        await expect(shown.get_by_role("heading")).to_have_text("5 items would be taken")
        await no_axe_violations(page)
        await page.locator("[name=link]").fill("h2 [")
        await expect(shown.get_by_role("alert")).to_contain_text("`link` is not a valid CSS selector")
        # The browser reports the answer that was provoked.
        visited.faults.clear()
        await page.locator("[name=link]").fill("h2 a")
        await expect(shown).to_contain_text("Post 4")
        assert len([one for one in world.requests if one.path.startswith(paged.path)]) == 1
        await page.get_by_role("button", name="Add").click()
        await expect(page.get_by_text("Added.")).to_be_visible()
