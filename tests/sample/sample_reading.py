"""Reading the sample world in tests: one world, and what its documents contain."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from lxml import etree, html

from inforadar.sample.world import SampleResponse, World

EPOCH = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
BASE = "http://127.0.0.1:4711"
WORLD = World(EPOCH, BASE)
LATER = EPOCH + timedelta(hours=3)
NAMESPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "dc": "http://purl.org/dc/elements/1.1/",
    "slash": "http://purl.org/rss/1.0/modules/slash/",
    "s": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
}


def get(target: str, now: datetime = LATER, **headers: str) -> SampleResponse:
    return WORLD.respond(target, now, {name.replace("_", "-"): value for name, value in headers.items()})


def rss(now: datetime = LATER) -> etree._Element:
    return etree.fromstring(get("/harbour-post/feed.xml", now).body)


def listing_pages(now: datetime) -> list[html.HtmlElement]:
    """The pages of the listing, found by following the link to the next page."""
    pages, target = [], "/agora/latest"
    while target:
        answer = get(target, now)
        assert answer.status == 200
        pages.append(html.fromstring(answer.body.decode()))
        onward = pages[-1].cssselect("a[rel=next]")
        target = onward[0].get("href") if onward else ""
    return pages


def listed_paths(now: datetime) -> list[str]:
    """The path of every story that any document of the world links to."""
    atom = etree.fromstring(get("/northern-wire/atom.xml", now).body)
    sitemap = etree.fromstring(get("/orchard/sitemap.xml", now).body)
    urls = [
        *rss(now).xpath("//item/link/text()"),
        *atom.xpath("//atom:entry/atom:link/@href", namespaces=NAMESPACES),
        *(item["url"] for item in json.loads(get("/lumen/feed.json", now).body)["items"]),
        *sitemap.xpath("//s:url/s:loc/text()", namespaces=NAMESPACES),
        *(
            BASE + link.get("href")
            for page in listing_pages(now)
            for link in page.cssselect("article.post h2 a")
        ),
    ]
    assert all(url.startswith(f"{BASE}/") for url in urls)
    return [urlsplit(url).path for url in urls]
