"""The documents of the sample world: valid feeds, a sitemap, a listing, and pages with their text."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import pytest
from lxml import etree, html

from inforadar.model.feed import FeedKind
from inforadar.sample.feeds import SAMPLE_FEEDS, past_run_times
from inforadar.sample.outlets import OUTLETS
from inforadar.sample.pages import short_count
from inforadar.sample.stories import parse_story
from inforadar.sample.world import PAGE_ITEMS, World
from tests.sample.sample_reading import (
    BASE,
    EPOCH,
    LATER,
    NAMESPACES,
    WORLD,
    get,
    listed_paths,
    listing_pages,
    rss,
)


def test_the_rss_is_valid() -> None:
    document = rss()
    assert document.tag == "rss"
    assert document.get("version") == "2.0"
    for name in ("title", "link", "description", "language", "lastBuildDate"):
        assert document.findtext(f"channel/{name}")
    items = document.findall("channel/item")
    assert 10 <= len(items) <= 30
    guids = [item.findtext("guid") for item in items]
    assert len(set(guids)) == len(guids)
    dates = [parsedate_to_datetime(item.findtext("pubDate") or "") for item in items]
    assert dates == sorted(dates, reverse=True)
    assert all(date.utcoffset() == timedelta(hours=1) for date in dates)
    for item in items:
        assert item.findtext("title")
        assert item.findtext("description")
        assert item.findtext("dc:creator", namespaces=NAMESPACES)
        assert (item.findtext("slash:comments", namespaces=NAMESPACES) or "").isdigit()


def test_the_atom_feed_is_valid() -> None:
    document = etree.fromstring(get("/northern-wire/atom.xml").body)
    assert document.tag == "{http://www.w3.org/2005/Atom}feed"
    entries = document.findall("atom:entry", NAMESPACES)
    assert len(entries) >= 9
    for element in (document, *entries):
        for name in ("id", "title", "updated"):
            assert element.findtext(f"atom:{name}", namespaces=NAMESPACES)
    for entry in entries:
        assert entry.findtext("atom:author/atom:name", namespaces=NAMESPACES)
        published, updated = (
            datetime.fromisoformat(entry.findtext(f"atom:{name}", namespaces=NAMESPACES) or "")
            for name in ("published", "updated")
        )
        assert published <= updated <= LATER
    ids = [entry.findtext("atom:id", namespaces=NAMESPACES) for entry in entries]
    assert len(set(ids)) == len(ids)


def test_the_json_feed_is_valid() -> None:
    feed = json.loads(get("/lumen/feed.json").body)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["title"]
    assert feed["feed_url"] == f"{BASE}/lumen/feed.json"
    assert len({item["id"] for item in feed["items"]}) == len(feed["items"]) >= 8
    for item in feed["items"]:
        assert item["content_html"]
        assert datetime.fromisoformat(item["date_published"]).tzinfo
        assert item["authors"][0]["name"]


def test_the_sitemap_is_valid_and_some_entries_carry_news() -> None:
    document = etree.fromstring(get("/orchard/sitemap.xml").body)
    urls = document.findall("s:url", NAMESPACES)
    titled = [url for url in urls if url.findtext("news:news/news:title", namespaces=NAMESPACES)]
    assert 0 < len(titled) < len(urls)
    for url in urls:
        assert datetime.fromisoformat(url.findtext("s:lastmod", namespaces=NAMESPACES) or "") <= LATER
    assert f"Sitemap: {BASE}/orchard/sitemap.xml" in get("/robots.txt").body.decode().splitlines()


@pytest.mark.parametrize("now", [*past_run_times(EPOCH), EPOCH, LATER, EPOCH + timedelta(days=3)])
def test_paging_covers_every_story_once_newest_first(now: datetime) -> None:
    pages = listing_pages(now)
    links = [link.get("href") for page in pages for link in page.cssselect("article.post h2 a")]
    assert links == [edition.path for edition in WORLD.editions("agora", now)]
    assert len(set(links)) == len(links)
    assert all(len(page.cssselect("article.post")) == PAGE_ITEMS for page in pages[:-1])


@pytest.mark.parametrize("page", ["0", "-1", "99", "two", "", "٢", "9" * 5000])
def test_a_page_that_the_listing_does_not_have_is_not_found(page: str) -> None:
    assert get(f"/agora/latest?page={page}&x=1").status == (200 if page == "" else 404)


def test_the_selectors_find_every_field_of_every_post() -> None:
    (feed,) = (feed for feed in SAMPLE_FEEDS if feed.kind is FeedKind.PAGES)
    fields = dict(feed.selectors)
    item, following = fields.pop("item"), fields.pop("next")
    posts = [post for page in listing_pages(LATER) for post in page.cssselect(item)]
    assert len(posts) == len(WORLD.editions("agora", LATER))
    for post in posts:
        for name, selector in fields.items():
            matches = post.cssselect(selector)
            assert matches, name
            assert len(matches) == 1 or name == "tags", name
            assert matches[0].text_content().strip(), name
        assert datetime.fromisoformat(post.cssselect(fields["date"])[0].get("datetime")).tzinfo
    assert listing_pages(LATER)[0].cssselect(following)


def test_every_listed_story_has_a_page_with_its_text() -> None:
    texts = {edition.path: edition for key in OUTLETS for edition in WORLD.editions(key, LATER)}
    paths = listed_paths(LATER)
    assert sorted(paths) == sorted(texts)
    for path in paths:
        answer = get(path)
        assert answer.status == 200
        page, edition = html.fromstring(answer.body.decode()), texts[path]
        (article,) = page.cssselect("article")
        assert article.cssselect("h1")[0].text_content() == edition.title
        shown = article.cssselect(".text")[0].text_content()
        assert edition.body.split()[-1].strip("*") in shown
        assert page.get("lang") == edition.language
        assert page.get("dir") == ("rtl" if edition.language == "ar" else "ltr")
        (data,) = page.xpath("//script[@type='application/ld+json']/text()")
        assert json.loads(data)["headline"] == edition.title
        assert datetime.fromisoformat(json.loads(data)["datePublished"]) == edition.published_at
        (picture,) = article.xpath(".//img/@src")
        drawn = get(urlsplit(picture).path)
        assert drawn.headers["Content-Type"] == "image/svg+xml"
        assert etree.fromstring(drawn.body).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_front_pages_announce_the_feeds() -> None:
    def alternates(target: str) -> list[str]:
        return html.fromstring(get(target).body.decode()).xpath("//link[@rel='alternate']/@href")

    feeds = [BASE + feed.path for feed in SAMPLE_FEEDS if feed.kind is FeedKind.FEED]
    assert alternates("/") == feeds
    assert alternates("/harbour-post/") == feeds[:1]
    assert alternates("/orchard/") == []


def test_an_outlet_without_its_slash_redirects() -> None:
    answer = get("/lumen")
    assert (answer.status, answer.headers["Location"]) == (301, f"{BASE}/lumen/")


@pytest.mark.parametrize(
    "target",
    [
        "/nowhere",
        "/lumen/nothing",
        "/lumen/feed.xml",
        "//",
        "//[",
        "lumen/feed.json",
        "/images/x.svg",
        "/a/b/c",
        "*",
    ],
)
def test_unknown_addresses_are_not_found(target: str) -> None:
    assert get(target).status == 404


def test_the_text_of_a_story_is_escaped_everywhere() -> None:
    hostile = '</script><script>alert("x")</script>&amp;'
    quoted = json.dumps(hostile)
    story = parse_story(
        f"+++\ntitle = {quoted}\nsnippet = {quoted}\nauthor = {quoted}\n"
        f'language = "en"\npublished = "-1h"\ntags = [{quoted}]\n+++\n'
        f"{hostile}\n\n## {hostile}\n\n> {hostile}\n\n- {hostile}\n\n| {hostile} |\n|---|\n| {hostile} |\n",
        "harbour-post",
        "hostile",
    )
    world = World(EPOCH, BASE, (story,))
    for target in ("/", "/harbour-post/", "/harbour-post/hostile"):
        body = world.respond(target, EPOCH, {}).body.decode()
        assert "alert(" in body
        assert "<script>" not in body
        assert "</script><" not in body
    item = etree.fromstring(world.respond("/harbour-post/feed.xml", EPOCH, {}).body).find("channel/item")
    assert item is not None
    assert item.findtext("title") == hostile


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (999, "999"), (1000, "1K"), (2130, "2.1K"), (34567, "34.5K")]
)
def test_counters_are_abbreviated_as_sites_do(value: int, text: str) -> None:
    assert short_count(value) == text
