"""Every view in every theme: axe finds nothing, not even advice, and nothing is wider than a phone."""

from __future__ import annotations

import pytest
from playwright.async_api import ViewportSize

from inforadar.model.feed import FeedKind
from inforadar.model.http import Outcome
from inforadar.store.feeds.changes import update_feed
from tests.support.faces.browser import (
    PHONE,
    Site,
    no_axe_violations,
    no_axe_violations_in_any_theme,
    overflow,
    site,
)
from tests.support.faces.furnished import TITLES, furnish
from tests.support.faces.told import tell

__all__ = ["site"]

VIEWS = (
    "/",
    "/?q=minister",
    "/?q=nowhere",
    "/?show=starred",
    "/stories",
    "/brief",
    "/feeds",
    "/feeds/deleted",
    "/add",
    "/add?kind=pages",
    "/opml",
    "/fetch",
    "/runs",
    "/statistics",
    "/settings",
    "/account",
    "/people",
    "/rules",
    "/channels",
    "/alerts",
)
"""Those with an address of their own; the test adds an article, its history, a feed and a story."""

NARROW: ViewportSize = {"width": 1000, "height": 800}


@pytest.mark.asyncio(loop_scope="session")
async def test_axe_finds_nothing_in_any_view_and_theme(site: Site) -> None:
    items = await furnish(site.newsroom)
    told = await tell(site.newsroom)
    feed = await site.newsroom.add_feed(
        "https://long.example/" + "x" * 200, title="A long name of a feed " * 6, source="Очень" * 12
    )
    await site.newsroom.database.write(update_feed, feed.id, {"kind": FeedKind.PAGES})
    error = "long.example could not be reached."
    await site.newsroom.fetched(feed, Outcome.PERMANENT_ERROR, error=error, failures=1)
    await site.newsroom.add_item(feed, "https://long.example/1", title="x" * 200)
    item = f"/item/{items[TITLES['BBC'][0]].id}"
    own = (item, f"{item}#analysis", f"{item}#changes", f"{item}#source", f"{item}/history")
    paths = (*VIEWS, *own, f"/feeds/{feed.id}", f"/stories/{told.quake}")
    # Not so wide that the list stands beside the article: it is looked at alone.
    page = await site.open("/", admin=True)
    await page.set_viewport_size(NARROW)
    for path in paths:
        await page.goto(f"{site.base}{path}")
        # Of a tab, only what it shows; of the frame of all pages, the colours once.
        await no_axe_violations_in_any_theme(
            page, place=f"#{tab}" if (tab := path.partition("#")[2]) else None
        )
        if path == "/":
            await no_axe_violations_in_any_theme(page, place="body")
        await page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        assert await overflow(page) <= 0, path
        if path == "/statistics":
            # With tables that scroll there.
            await no_axe_violations(page)
        await page.set_viewport_size(NARROW)
    # Each pane scrolls alone: an address with a place in the article moves no other.
    await page.set_viewport_size({"width": 1280, "height": 800})
    await page.goto(f"{site.base}{item}#source")
    assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")
