"""Discovery: the feeds of a site in at most three requests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from inforadar.actions.discover import Discovery, NothingFoundError
from inforadar.app.lookups import open_discovery
from inforadar.config import load_settings
from inforadar.errors import InfoRadarError, ParseError
from inforadar.model.feed import FeedKind
from inforadar.store.database import Database
from tests.support.site.answers import html, status
from tests.support.site.documents import entries, link_to_feed, rss, sitemap
from tests.support.site.server import Site


@pytest.fixture
async def discovery(site: Site, database: Database, tmp_path: Path) -> AsyncIterator[Discovery]:
    settings = load_settings(tmp_path, {}).replaced(
        fetcher={"allowed_networks": tuple(site.endpoints), "domain_delay": 0}
    )
    async with open_discovery(settings, database) as opened:
        yield opened


def page(head: str = "", body: str = "<p>Hello</p>") -> str:
    return f"<!doctype html><html><head><title>Site</title>{head}</head><body>{body}</body></html>"


async def test_an_address_that_is_a_feed_costs_one_request(site: Site, discovery: Discovery) -> None:
    url = site.feed("/feed.xml", rss(entries(3)))
    (found,) = await discovery.discover(url)
    assert (found.url, found.kind) == (url, FeedKind.FEED)
    assert found.listing is not None
    assert len(found.listing.items) == 3
    assert len(site.requests) == 1


async def test_feeds_that_the_page_names_are_found_in_its_order(site: Site, discovery: Discovery) -> None:
    head = link_to_feed("/all.xml") + link_to_feed("https://feeds.example/x", "application/atom+xml")
    site.page("/", page(head))
    found = await discovery.discover(site.url("/"))
    assert [feed.url for feed in found] == [site.url("/all.xml"), "https://feeds.example/x"]
    assert len(site.requests) == 1


async def test_a_sitemap_is_recognized(site: Site, discovery: Discovery) -> None:
    url = site.respond(
        "/sitemap.xml", html(sitemap([(site.url("/a"), None)]), Content_Type="application/xml")
    )
    (found,) = await discovery.discover(url)
    assert found.kind is FeedKind.SITEMAP


async def test_the_usual_place_and_robots_txt_are_the_last_resort(site: Site, discovery: Discovery) -> None:
    site.page("/", page('<meta name="generator" content="WordPress 6.5">'))
    site.feed("/feed/", rss(entries(2)))
    site.respond("/robots.txt", html(f"Sitemap: {site.url('/sitemap.xml')}\n"))
    found = await discovery.discover(site.url("/"))
    assert [(feed.url, feed.kind) for feed in found] == [
        (site.url("/feed/"), FeedKind.FEED),
        (site.url("/sitemap.xml"), FeedKind.SITEMAP),
    ]
    assert len(site.requests) == 3


async def test_a_site_without_any_feed_says_what_to_do_after_three_requests(
    site: Site, discovery: Discovery
) -> None:
    site.page("/", page())
    with pytest.raises(NothingFoundError, match="links to no feed"):
        await discovery.discover(site.url("/"))
    assert len(site.requests) == 3


async def test_a_site_that_is_not_there_is_a_sentence(site: Site, discovery: Discovery) -> None:
    url = site.respond("/", status(503))
    with pytest.raises(InfoRadarError, match="503"):
        await discovery.discover(url)


async def test_something_else_than_a_page_says_what_it_is(site: Site, discovery: Discovery) -> None:
    url = site.respond("/x.pdf", html("%PDF-1.7 …", Content_Type="application/pdf"))
    with pytest.raises(ParseError, match="PDF"):
        await discovery.discover(url)
