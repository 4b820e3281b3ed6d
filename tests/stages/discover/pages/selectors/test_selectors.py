"""Listing pages of any site, read with selectors from a file."""

from __future__ import annotations

import pickle
import time
from datetime import UTC, datetime, timedelta, timezone
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.errors import ParseError
from inforadar.model.feed import FeedKind
from inforadar.model.item import Listed
from inforadar.sample.feeds import SAMPLE_FEEDS
from inforadar.sample.pages import short_count
from inforadar.sample.world import World
from inforadar.stages.discover.pages.listing import PageListing
from inforadar.stages.discover.pages.selectors.definition import (
    Selectors,
    SelectorsError,
    parse_selectors,
    parse_selectors_toml,
    split_selector,
)
from inforadar.stages.discover.pages.selectors.preview import FieldPreview, Preview, preview
from inforadar.stages.discover.pages.selectors.reader import parse_page, read_page

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
MOSCOW = timezone(timedelta(hours=3))
URL = "https://news.example/latest"
MINIMAL = {"item": ".post", "link": "h2 a", "title": "h2 a", "date": "time"}

PAGE = """<!doctype html><meta charset="utf-8"><title>Новости</title>
<div class="post" data-id="1"><h2><a href="/a?utm_source=x#top">Первая  &amp; <em>лучшая</em></a></h2>
 <time datetime="2026-03-14T09:30:00+03:00">сегодня в 9:30</time> <a class="by" href="/u/1">Аня 🦊</a>
 <p class="lead">Начало.<br>Продолжение <b>здесь</b>.<script>alert(1)</script></p>
 <span class="views" title="2134">2.1K</span> <i class="votes">−3</i> <u class="saved">0</u>
 <a class="talk">Обсудить</a>
 <a class="tag">#наука</a><a class="tag">космос</a><a class="tag">космос</a></div>
<div class="post"><h2><a href="https://news.example/b">第二篇文章</a></h2><time>昨天 10:01</time>
 <span class="views">12 345</span><i class="votes">+12</i><u class="saved">7</u><a class="talk">8 комментариев</a>
 <a class="tag">one, two</a></div>
<div class="post"><h2><a href="c">مقال ثالث</a></h2><time>soon</time></div>
<div class="post"><h2><a href="javascript:alert(1)">No</a></h2><time>вчера в 10:01</time></div>
<div class="post"><h2><a href="/a">The same once more</a></h2><time>вчера в 10:01</time></div>
<a rel="next" href="?page=2&amp;utm_medium=keep">Older</a>"""

FULL = """
item = ".post"
link = "h2 a"
title = "h2 a"
date = "time"
author = ".by"
snippet = ".lead"
tags = ".tag"
views = ".views"
comments = ".talk"
rating = ".votes"
bookmarks = ".saved"
next = "a[rel=next]"
"""


def read(html: str, *, url: str = URL, **changes: object) -> PageListing:
    return read_page(html, url, parse_selectors({**MINIMAL, **changes}), NOW, MOSCOW)


def one(inside: str, **changes: object) -> Listed:
    html = f'<div class="post"><h2><a href="/a">T</a></h2>{inside}</div>'
    (item,) = read(html, **changes).items
    return item


# Reading


def test_a_page_is_read_with_all_its_fields() -> None:
    listing = read_page(PAGE, URL, parse_selectors_toml(FULL), NOW, MOSCOW)
    first, second, third = listing.items
    assert first == Listed(
        url="https://news.example/a",
        title="Первая & лучшая",
        published_at=datetime(2026, 3, 14, 6, 30, tzinfo=UTC),
        author="Аня 🦊",
        snippet="Начало. Продолжение здесь.",
        tags=("наука", "космос"),
        views=2100,
        comments=None,
        rating=-3.0,
        bookmarks=0,
    )
    assert second == Listed(
        url="https://news.example/b",
        title="第二篇文章",
        published_at=datetime(2026, 3, 13, 7, 1, tzinfo=UTC),
        tags=("one", "two"),
        views=12345,
        comments=8,
        rating=12.0,
        bookmarks=7,
    )
    assert third == Listed(url="https://news.example/c", title="مقال ثالث")
    assert listing.next_url == "https://news.example/latest?page=2&utm_medium=keep"
    assert not listing.is_next_guessed
    assert listing.warnings == ()


def test_every_story_of_the_samples_listing_is_found_by_its_own_selectors() -> None:
    world = World(epoch=datetime(2026, 3, 14, 8, 0, tzinfo=UTC))
    now = world.epoch + timedelta(hours=1)
    (feed,) = [feed for feed in SAMPLE_FEEDS if feed.kind is FeedKind.PAGES]
    selectors = parse_selectors(feed.selectors)
    url: str | None = world.base_url + feed.path + "?page=1"
    found: list[Listed] = []
    while url is not None:
        response = world.respond(url.removeprefix(world.base_url), now, {})
        listing = parse_page(response.body, url, response.headers["Content-Type"], now, selectors=selectors)
        assert listing.warnings == ()
        found += listing.items
        url = listing.next_url
    editions = world.editions("agora", now)
    assert len(editions) > 10
    assert [item.url for item in found] == [world.base_url + edition.path for edition in editions]
    for item, edition in zip(found, editions, strict=True):
        counters = edition.counters
        assert (item.title, item.author, item.snippet) == (edition.title, edition.author, edition.snippet)
        assert (item.tags, item.published_at) == (edition.tags, edition.published_at)
        assert (item.comments, item.bookmarks, item.rating) == (
            counters.comments,
            counters.bookmarks,
            counters.rating,
        )
        assert item.views is not None
        assert counters.views is not None
        assert short_count(item.views) == short_count(counters.views)


@pytest.mark.parametrize(
    ("inside", "selector"),
    [
        ('<time datetime="2026-03-05T10:01:00Z">3 years ago</time>', "time"),
        ('<p class=d>shown <time datetime="2026-03-05T10:01:00Z">yesterday</time></p>', ".d"),
        ('<meta itemprop=date content="2026-03-05T10:01:00Z">', "meta"),
        ('<span class=d title="2026-03-05T10:01:00Z">a while ago</span>', ".d"),
        ('<span class=d data-time="1772704860">a while ago</span>', ".d@data-time"),
        ('<time datetime="soon">2026-03-05 13:01</time>', "time"),
        ("<time>5 марта в 13:01</time>", "time"),
        ("<time></time><time>05.03.2026, 13:01</time>", "time"),
    ],
)
def test_the_date_that_is_meant_for_machines_comes_first(inside: str, selector: str) -> None:
    assert one(inside, date=selector).published_at == datetime(2026, 3, 5, 10, 1, tzinfo=UTC)


def test_a_date_format_settles_what_is_ambiguous() -> None:
    american = one("<time>03/05/2026 13:01</time>", date_format="%m/%d/%Y %H:%M")
    assert american.published_at == datetime(2026, 3, 5, 10, 1, tzinfo=UTC)


def test_an_item_without_a_readable_date_is_listed_without_one() -> None:
    assert one("<time>soon</time>").published_at is None


@pytest.mark.parametrize(
    ("html", "selector"),
    [
        ('<div class="post"><h2>T</h2><a href="/a">go</a><time>now</time></div>', "a@href"),
        ('<div class="post"><h2>T</h2><p class=l><a href="/a">go</a></p></div>', ".l"),
        ('<div class="post" data-url="/a"><h2>T</h2></div>', "@data-url"),
        ('<a class="post" href="/a"><h2>T</h2></a>', "@href"),
        ('<a class="post" href="/a"><h2>T</h2></a>', ".post"),
        ('<div class="post"><h2>T</h2><a name=x></a><a href="/a">go</a></div>', "a"),
    ],
)
def test_a_link_is_found_where_the_selector_says(html: str, selector: str) -> None:
    (item,) = read(html, link=selector, title="h2").items
    assert (item.url, item.title) == ("https://news.example/a", "T")


def test_links_are_relative_to_the_pages_base() -> None:
    html = '<base href="https://news.example/deep/"><div class="post"><h2><a href="a">T</a></h2></div>'
    assert read(html).items[0].url == "https://news.example/deep/a"


def test_markup_in_a_title_is_text_and_hostile_text_stays_text() -> None:
    item = one("", title="h2 a@title")
    assert item.title is None
    html = '<div class="post"><h2><a href="/a">&lt;img onerror=x&gt; &amp;lt;b&amp;gt;\u200b</a></h2></div>'
    assert read(html).items[0].title == "<img onerror=x> &lt;b&gt;"


def test_a_page_in_another_encoding_is_read() -> None:
    body = '<div class="post"><h2><a href="/a">Проверка связи</a></h2></div>'.encode("cp1251")
    reader = partial(parse_page, selectors=parse_selectors(MINIMAL))
    assert reader(body, URL, "text/html; charset=windows-1251", NOW).items[0].title == "Проверка связи"


def test_the_reader_can_be_sent_to_another_process() -> None:
    reader = partial(parse_page, selectors=parse_selectors(MINIMAL), timezone=MOSCOW)
    again = pickle.loads(pickle.dumps(reader))
    assert again(PAGE.encode(), URL, "text/html", NOW) == reader(PAGE.encode(), URL, "text/html", NOW)


# The next page


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ('<a class=n href="/latest/2">', "https://news.example/latest/2"),
        ('<link class=n href="?page=2">', "https://news.example/latest?page=2"),
        ('<li class=n><a href="?page=2#list">2</a>', "https://news.example/latest?page=2"),
        ('<a class=n href="https://www.news.example/2">', "https://www.news.example/2"),
        ('<a class=n href="/latest">', None),
        ('<a class=n href="/latest#top">', None),
        ("<a class=n>", None),
        ("", None),
    ],
)
def test_the_next_page_is_where_its_link_leads(link: str, expected: str | None) -> None:
    html = f'<div class="post"><h2><a href="/a">T</a></h2></div>{link}'
    listing = read(html, next=".n")
    assert listing.next_url == expected
    assert listing.warnings == ()


@pytest.mark.parametrize(
    "href", ["https://elsewhere.example/2", "javascript:more()", "http://[", "file:///etc/passwd"]
)
def test_a_next_page_on_another_site_is_reported_and_not_followed(href: str) -> None:
    listing = read(f'<div class="post"><h2><a href="/a">T</a></h2></div><a class=n href="{href}">', next=".n")
    assert listing.next_url is None
    (warning,) = listing.warnings
    assert "next page" in warning


@pytest.mark.parametrize(
    ("url", "page_url", "first_page", "expected"),
    [
        (URL, "https://news.example/latest?page={page}", 1, "https://news.example/latest?page=2"),
        (f"{URL}?page=2", "https://news.example/latest?page={page}", 1, "https://news.example/latest?page=3"),
        (f"{URL}?page=9", "?page={page}", 1, "https://news.example/latest?page=10"),
        (URL, "?start={page}", 0, "https://news.example/latest?start=1"),
        ("https://www.news.example/p/7", "https://news.example/p/{page}/", 1, "https://news.example/p/8/"),
        ("http://news.example/p7.html", "https://news.example/p{page}.html", 1, "https://news.example/p8.html"),
        (URL, "https://news.example/новое/{page}", 1, "https://news.example/%D0%BD%D0%BE%D0%B2%D0%BE%D0%B5/2"),
    ],
)  # fmt: skip
def test_a_url_pattern_counts_from_the_current_page(
    url: str, page_url: str, first_page: int, expected: str
) -> None:
    html = '<div class="post"><h2><a href="/a">T</a></h2></div>'
    listing = read(html, url=url, page_url=page_url, first_page=first_page)
    assert listing.next_url == expected
    assert listing.is_next_guessed


def test_a_page_without_items_has_no_next_one() -> None:
    assert read("<p>No more.</p>", page_url="?page={page}").next_url is None


# The file


def test_a_file_is_read_into_selectors() -> None:
    selectors = parse_selectors_toml(FULL)
    assert (selectors.item, selectors.views, selectors.next) == (".post", ".views", "a[rel=next]")
    assert selectors.page_url is None


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"item": None, "date": None}, "`item` is missing. `date` is missing."),
        ({"iten": ".x"}, "`iten` is not a key"),
        ({"item": "div["}, "`item` is not a valid CSS selector: 'div['."),
        ({"views": "a:nothing(", "rating": ">"}, "`views` is not a valid CSS selector"),
        ({"views": "a:nothing(", "rating": ">"}, "`rating` is not a valid CSS selector"),
        ({"item": "article@id"}, "`item` selects elements"),
        ({"next": "@href"}, "`next` has no selector."),
        ({"author": ""}, "`author` must be a text"),
        ({"author": 5}, "`author` must be a text"),
        ({"author": "a" * 1001}, "`author` must be a text"),
        ({"next": "a", "page_url": "/{page}"}, "Both `next` and `page_url`"),
        ({"page_url": "/page"}, "{page} exactly once"),
        ({"page_url": "/{page}/{page}"}, "{page} exactly once"),
        ({"first_page": "1"}, "`first_page` must be a whole number"),
        ({"first_page": True}, "`first_page` must be a whole number"),
        ({"first_page": -1}, "`first_page` must be a whole number"),
        ({"date_format": "%H:%M"}, "`date_format` is not a date format"),
        ({"date_format": "%"}, "`date_format` is not a date format"),
        ({"date_format": "YYYY-MM-DD"}, "`date_format` is not a date format"),
    ],
)
def test_each_problem_of_a_file_names_its_key(changes: dict[str, object], problem: str) -> None:
    values = {key: value for key, value in {**MINIMAL, **changes}.items() if value is not None}
    with pytest.raises(SelectorsError) as caught:
        parse_selectors(values)
    assert problem in str(caught.value)


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(SelectorsError) as caught:
        parse_selectors_toml('item = "p["\nlink = 3\nwhat = "x"')
    assert len(caught.value.problems) == 5


def test_a_file_that_is_not_toml_is_refused_as_such() -> None:
    with pytest.raises(SelectorsError, match="not valid TOML"):
        parse_selectors_toml("item: .post")


@pytest.mark.parametrize(
    "date_format", ["%d.%m.%Y", "%d/%m %H:%M", "%b %d, %Y", "%Y-%m-%dT%H:%M:%S%z", "%j %Y"]
)
def test_a_format_with_a_day_in_it_is_accepted(date_format: str) -> None:
    assert parse_selectors({**MINIMAL, "date_format": date_format}).date_format == date_format


@pytest.mark.parametrize(
    ("selector", "parts"),
    [
        ("time@datetime", ("time", "datetime")),
        ("@data-x", ("", "data-x")),
        ("a.b > c", ("a.b > c", None)),
        ('a[href="mailto:x@y"]', ('a[href="mailto:x@y"]', None)),
        ('a[href="mailto:x@y"]@title', ('a[href="mailto:x@y"]', "title")),
        (" time @datetime ", ("time", "datetime")),
    ],
)
def test_an_attribute_follows_the_selector(selector: str, parts: tuple[str, str | None]) -> None:
    assert split_selector(selector) == parts


# The preview


def fields(found: Preview) -> dict[str, FieldPreview]:
    return {field.name: field for field in found.fields}


def test_a_preview_shows_what_each_selector_matches() -> None:
    found = preview(PAGE, URL, parse_selectors_toml(FULL), NOW, MOSCOW)
    by_name = fields(found)
    assert {name: field.caught for name, field in by_name.items()} == {
        "item": 5, "link": 5, "title": 5, "date": 5, "author": 1, "snippet": 1, "tags": 2, "views": 2, "comments": 2,
        "rating": 2, "bookmarks": 2, "next": 1,
    }  # fmt: skip
    assert by_name["title"].values == ("Первая & лучшая", "第二篇文章", "مقال ثالث")
    assert by_name["date"].values[0] == "2026-03-14T09:30:00+03:00"
    assert by_name["tags"].values[0] == "#наука, космос, космос"
    assert by_name["link"].message == "`link` matches addresses that cannot be fetched, in 1 of 5 items."
    assert "cannot be read as a date, in 1 of 5 items, such as 'soon'" in (by_name["date"].message or "")
    assert found.items == read_page(PAGE, URL, parse_selectors_toml(FULL), NOW, MOSCOW).items
    assert found.next_url == "https://news.example/latest?page=2&utm_medium=keep"


def test_a_preview_names_selectors_that_match_nothing() -> None:
    selectors = parse_selectors({**MINIMAL, "author": ".nobody", "views": "h2", "next": ".none"})
    found = preview(PAGE, URL, selectors, NOW)
    assert "`author` matches nothing in any of the 5 items." in found.messages
    assert "`views` matches no numbers, but texts such as 'Первая & лучшая'." in found.messages
    assert "`next` matches no link. That is fine on the last page of a listing." in found.messages


def test_a_preview_says_when_nothing_is_an_item() -> None:
    found = preview(PAGE, URL, parse_selectors({**MINIMAL, "item": ".story"}), NOW)
    assert found.messages == ("`item` matches nothing on the page: '.story'.",)
    assert found.items == ()


def test_a_preview_names_what_only_some_items_have() -> None:
    found = preview(PAGE, URL, parse_selectors({**MINIMAL, "title": ".by"}), NOW)
    assert fields(found)["title"].message == "`title` matches nothing in 4 of 5 items."


def test_a_preview_names_invalid_selectors_and_shows_the_others() -> None:
    broken = Selectors(item=".post", link="h2 a", title="h2 a", date="time", views="..", next="a[")
    found = preview(PAGE, URL, broken, NOW)
    assert fields(found)["views"].message == "`views` is not a valid CSS selector: '..'."
    assert fields(found)["next"].message == "`next` is not a valid CSS selector: 'a['."
    assert len(found.items) == 3
    hopeless = Selectors(item="..", link="h2 a", title="h2 a", date="time")
    assert preview(PAGE, URL, hopeless, NOW).items == ()


def test_a_preview_shortens_long_values() -> None:
    html = f'<div class="post"><h2><a href="/a">{"long " * 100}</a></h2></div>'
    (value,) = fields(preview(html, URL, parse_selectors(MINIMAL), NOW))["title"].values
    assert len(value) == 120


# Hostile pages


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 100_000,
        "<span>" * 100_000,
        "<x/>" * 100_000,
        "<svg><p>" + "<x/>" * 100_000,
        "<svg><h1>" + "<x/>" * 100_000,
        "<svg><foreignObject>" + "<x/>" * 100_000,
        "<svg><style>" + "<g>" * 100_000,
        "<!-->" + "<div>" * 100_000,
        "<script></script>" + "<section>" * 100_000,
        "".join(f"<b id={number}>" for number in range(1_500)) + "<p>" * 1_500,
        "<a " + " ".join(f"a{number}=1" for number in range(50_000)) + ">",
        "x" * 10_000_001,
    ],
    ids=range(12),
)
def test_a_page_that_would_block_its_reader_is_refused_at_once(html: str) -> None:
    started = time.process_time()
    with pytest.raises(ParseError):
        read(html)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "html",
    [
        "<svg><title>x</title><path d=''/></svg>" * 5_000,
        "<script>for(i=0;i<b;i<s){a<i}</script>" * 500,
        "<!-- <b><b><b> -->" * 500,
        "<p>one<p>two<br><li>three" * 5_000,
        "<a name=x>" * 5_000,
        "</div></b></i>" * 5_000,
        '<i class="icon"></i>' * 5_000,
        f"<div data-json='{'a b=c ' * 5_000}'></div>",
        "<",
        "<!--" * 10_000,
        "\0<div \0>",
    ],
    ids=range(11),
)
def test_a_page_that_is_merely_unusual_is_read(html: str) -> None:
    item = '<div class="post"><h2><a href="/a">T</a></h2></div>'
    assert len(read(item + html).items) == 1


@given(st.lists(st.sampled_from(PAGE.split("<")), max_size=40).map("<".join))
def test_any_shuffled_page_is_read_or_refused(html: str) -> None:
    listing = read_page(html, URL, parse_selectors_toml(FULL), NOW, MOSCOW)
    assert all(item.url.startswith("https://news.example/") for item in listing.items)
