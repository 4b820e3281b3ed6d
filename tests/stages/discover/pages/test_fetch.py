"""Fetching a listing page by page, with every kind of answer a site may give."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inforadar.errors import UsageError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import parse_options
from inforadar.model.http import (
    Failed,
    FailureReason,
    Fetched,
    FetchResult,
    NotModified,
    Outcome,
    Request,
    Validators,
)
from inforadar.model.ids import FeedId, UrlHash, new_uuid
from inforadar.stages.discover.pages.fetch import fetch_pages, reader_for
from inforadar.stages.discover.pages.listing import PageListing, PageReader
from inforadar.stages.discover.pages.selectors.definition import SelectorsError
from inforadar.stages.discover.pages.sites import habr
from inforadar.stages.discover.pages.walk import Depth, StopReason, Walk
from inforadar.urls import url_hash

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
BASE = "https://news.example"
SELECTORS = {"item": "li", "link": "a", "title": "a", "date": "time", "next": ".next"}
COUNTED = {"item": "li", "link": "a", "title": "a", "date": "time", "page_url": "/latest?page={page}"}


def feed(selectors: Mapping[str, str] = SELECTORS, url: str = f"{BASE}/latest", **options: Any) -> Feed:
    return Feed(
        id=FeedId(new_uuid()),
        url=url,
        kind=FeedKind.PAGES,
        source="news.example",
        topic="general",
        root_domain="news.example",
        enabled=True,
        polling=True,
        enforce_feed_domain=True,
        created_at=NOW,
        validators=Validators(etag='"1"', url=url),
        options=parse_options({"selectors": selectors, **options} if selectors else options),
    )


def page(*items: tuple[str, str], next_url: str | None = None) -> str:
    rows = "".join(f"<li><a href='/{name}'>{name}</a><time>{date}</time></li>" for name, date in items)
    return rows + (f"<a class=next href='{html.escape(next_url)}'>more</a>" if next_url else "")


@dataclass(slots=True)
class Listings:
    """A site in memory: a page, a status or a redirect target by URL, and the requests it received."""

    answers: dict[str, str | int | tuple[str, str]]
    requests: list[Request] = field(default_factory=list)

    async def fetch(self, request: Request) -> FetchResult:
        self.requests.append(request)
        answer = self.answers.get(request.url, 404)
        if isinstance(answer, int):
            if answer == 304:
                return NotModified(url=request.url, final_url=request.url, headers={}, fetched_at=NOW)
            return Failed(
                url=request.url,
                outcome=Outcome.PERMANENT_ERROR if answer < 500 else Outcome.TEMPORARY_ERROR,
                reason=FailureReason.STATUS,
                message=f"news.example answered {answer}.",
                fetched_at=NOW,
                status=answer,
            )
        final_url, body = answer if isinstance(answer, tuple) else (request.url, answer)
        return Fetched(
            url=request.url,
            final_url=final_url,
            status=200,
            headers={"content-type": "text/html; charset=utf-8"},
            body=body.encode(),
            fetched_at=NOW,
        )

    async def all(self, one: Feed, **options: Any) -> list[PageListing | Failed]:
        reader = reader_for(one)
        return [page async for page in fetch_pages(one, self.fetch, awaited(reader), **options)]


def awaited(reader: PageReader) -> Any:
    async def read(body: bytes, url: str, content_type: str, now: datetime) -> PageListing:
        return reader(body, url, content_type, now)

    return read


def names(pages: list[PageListing | Failed]) -> list[list[str]]:
    assert all(isinstance(page, PageListing) for page in pages)
    return [[item.title or "" for item in page.items] for page in pages if isinstance(page, PageListing)]


TODAY = "2026-03-14"


async def test_pages_follow_their_links_to_the_last() -> None:
    site = Listings(
        {
            f"{BASE}/latest": page(("a", "today"), ("b", "3 hours ago"), next_url="?page=2&utm_source=keep"),
            f"{BASE}/latest?page=2&utm_source=keep": page(("c", "вчера в 10:01"), next_url="/older/3"),
            f"{BASE}/older/3": page(("d", TODAY)),
        }
    )
    pages = await site.all(feed())
    assert names(pages) == [["a", "b"], ["c"], ["d"]]
    first, second, _ = pages
    assert isinstance(first, PageListing)
    assert isinstance(second, PageListing)
    assert first.items[1].published_at == NOW - timedelta(hours=3)
    assert second.items[0].published_at == datetime(2026, 3, 13, 10, 1, tzinfo=UTC)


async def test_dates_are_read_in_the_feeds_own_zone() -> None:
    site = Listings({f"{BASE}/latest": page(("a", "вчера в 10:01"))})
    (only,) = await site.all(feed(timezone="Europe/Moscow"))
    assert isinstance(only, PageListing)
    assert only.items[0].published_at == datetime(2026, 3, 13, 7, 1, tzinfo=UTC)


async def test_pages_are_asked_for_without_validators_and_with_the_feeds_headers() -> None:
    site = Listings({f"{BASE}/latest": page(("a", TODAY), next_url="/2"), f"{BASE}/2": page(("b", TODAY))})
    await site.all(feed(), headers_for=lambda _: {"authorization": "x"}, timeout_s=7)
    assert len(site.requests) == 2
    for request in site.requests:
        assert not request.validators
        assert request.headers == {"authorization": "x"}
        assert request.timeout_s == 7
        assert request.accept.startswith("text/html")


async def test_no_page_is_asked_for_before_it_is_wanted() -> None:
    site = Listings({f"{BASE}/latest": page(("a", TODAY), next_url="/2"), f"{BASE}/2": page(("b", TODAY))})
    one = feed()
    pages = fetch_pages(one, site.fetch, awaited(reader_for(one)))
    async for _ in pages:
        break
    await pages.aclose()
    assert [request.url for request in site.requests] == [f"{BASE}/latest"]


async def test_counting_past_the_last_page_ends_the_listing_without_an_error() -> None:
    site = Listings({f"{BASE}/latest": page(("a", TODAY)), f"{BASE}/latest?page=2": page(("b", TODAY))})
    assert names(await site.all(feed(COUNTED))) == [["a"], ["b"]]
    assert [request.url for request in site.requests][-1] == f"{BASE}/latest?page=3"


async def test_an_empty_page_is_the_last() -> None:
    site = Listings({f"{BASE}/latest": page(("a", TODAY)), f"{BASE}/latest?page=2": "<p>Nothing here.</p>"})
    assert names(await site.all(feed(COUNTED))) == [["a"], []]
    assert len(site.requests) == 2


async def test_a_redirect_back_to_a_page_that_was_read_ends_the_listing() -> None:
    first = page(("a", TODAY))
    site = Listings({f"{BASE}/latest": first, f"{BASE}/latest?page=2": (f"{BASE}/latest", first)})
    assert names(await site.all(feed(COUNTED))) == [["a"]]


async def test_links_in_a_circle_end_where_they_began() -> None:
    site = Listings(
        {
            f"{BASE}/latest": page(("a", TODAY), next_url="/2"),
            f"{BASE}/2": page(("b", TODAY), next_url="/latest"),
        }
    )
    assert names(await site.all(feed())) == [["a"], ["b"]]


async def test_a_listing_that_moved_is_read_at_its_new_url() -> None:
    elsewhere = "https://www.news.example/new/"
    site = Listings(
        {
            f"{BASE}/latest": (elsewhere, page(("a", TODAY), next_url="2")),
            f"{elsewhere}2": page(("b", TODAY)),
        }
    )
    pages = await site.all(feed())
    assert names(pages) == [["a"], ["b"]]
    assert isinstance(pages[0], PageListing)
    assert pages[0].items[0].url == "https://www.news.example/a"


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        (503, Outcome.TEMPORARY_ERROR, "answered 503"),
        (404, Outcome.PERMANENT_ERROR, "answered 404"),
        (304, Outcome.TEMPORARY_ERROR, "answered 304"),
        ("<div>" * 2_000, Outcome.PERMANENT_ERROR, "nests its elements"),
    ],
)
async def test_a_page_that_cannot_be_fetched_or_read_comes_last_as_a_failure(
    answer: str | int, outcome: Outcome, words: str
) -> None:
    site = Listings({f"{BASE}/latest": page(("a", TODAY), next_url="/2"), f"{BASE}/2": answer})
    first, second = await site.all(feed())
    assert isinstance(first, PageListing)
    assert isinstance(second, Failed)
    assert second.outcome is outcome
    assert words in second.message


async def test_a_listing_that_begins_empty_is_an_error_that_says_why() -> None:
    site = Listings({f"{BASE}/latest": "<h1>Welcome to our new design</h1>"})
    (only,) = await site.all(feed())
    assert isinstance(only, Failed)
    assert only.outcome is Outcome.TEMPORARY_ERROR
    assert "shows no items. Nothing on the page matches `item`: 'li'." in only.message


LINKS = "".join(f"<div class=card><a href='/новость-{n}'>Новость {n}</a></div>" for n in range(5))
FRAME = "<a href='/'>Главная</a><a href='/latest?page=1'>1</a><a href='/latest?page=3'>3</a>"


@pytest.mark.parametrize("selectors", [SELECTORS, COUNTED], ids=["linked", "counted"])
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("%PDF-1.7 binary", "is not HTML (text/html)"),
        ('{"items": [{"title": "新闻"}]}', "is not HTML"),
        ('<?xml version="1.0"?><rss version="2.0"><channel/></rss>', "is not HTML"),
        ("Слишком много запросов 🙅", "is not HTML"),
        ("<h1>Just a moment…</h1><div class=h-captcha></div>", "whether a robot asks"),
        (FRAME + LINKS, "news.example may have a new layout. Nothing on the page matches `item`"),
        ("<ul><li>خبر</li><li>新闻</li></ul>", "may have a new layout. No item has a usable link"),
    ],
)
async def test_a_later_page_that_shows_something_else_is_an_error_and_not_the_end(
    selectors: Mapping[str, str], body: str, words: str
) -> None:
    rows = [(f"a{number}", TODAY) for number in range(5)]
    first = FRAME + page(*rows, next_url="/latest?page=2")
    site = Listings({f"{BASE}/latest": first, f"{BASE}/latest?page=2": body})
    pages = await site.all(feed(selectors))
    assert names(pages[:1]) == [[name for name, _ in rows]]
    failed = pages[1]
    assert isinstance(failed, Failed)
    assert failed.outcome is Outcome.TEMPORARY_ERROR
    assert words in failed.message


@pytest.mark.parametrize("selectors", [SELECTORS, COUNTED], ids=["linked", "counted"])
@pytest.mark.parametrize(
    "body", ["", FRAME + "<p>No captcha, no news.</p>", FRAME + "<a href='/latest?page=9'>9</a>"]
)
async def test_a_later_page_that_is_empty_is_the_end(selectors: Mapping[str, str], body: str) -> None:
    first = FRAME + page(("a", TODAY), ("b", TODAY), next_url="/latest?page=2")
    site = Listings({f"{BASE}/latest": first, f"{BASE}/latest?page=2": body})
    assert names(await site.all(feed(selectors))) == [["a", "b"], []]


async def test_an_older_layout_of_habr_on_a_later_page_is_an_error_that_says_so() -> None:
    url = "https://habr.com/ru/articles/"
    known = (
        "<article class=tm-articles-list__item><h2 class=tm-title><a class=tm-title__link "
        "href='/ru/articles/900101/'>Статья</a></h2><time datetime='2026-03-14T07:01:01.000Z'></time></article>"
        "<a id=pagination-next-page href='/ru/articles/page2/'>Туда</a>"
    )
    older = "<ul><li class=content-list__item><a class=post__title_link href='/post/5/'>Пост</a></li></ul>"
    site = Listings({url: known, f"{url}page2/": older})
    first, second = await site.all(feed({}, url))
    assert isinstance(first, PageListing)
    assert isinstance(second, Failed)
    assert "habr.com may have a new layout. Habr lists no article on this page." in second.message


async def test_an_interrupted_walk_resumes_at_the_page_it_had_reached() -> None:
    site = Listings({f"{BASE}/latest?page=2": page(("b", TODAY)), f"{BASE}/latest?page=3": "<p>"})
    assert names(await site.all(feed(COUNTED), start_url=f"{BASE}/latest?page=2")) == [["b"], []]
    assert names(await site.all(feed(COUNTED), start_url=f"{BASE}/latest?page=9")) == []


# Readers


def test_selectors_take_precedence_over_the_sites_reader() -> None:
    assert reader_for(feed({}, "https://www.habr.com/ru/articles/")) is habr.parse_page
    assert reader_for(feed(SELECTORS, "https://habr.com/ru/articles/")) is not habr.parse_page


def test_a_feed_that_nothing_can_read_says_what_to_do() -> None:
    with pytest.raises(UsageError, match=r"no reader for the pages of news\.example.*--selectors.*habr\.com"):
        reader_for(feed({}))
    with pytest.raises(SelectorsError, match="`item` is missing"):
        reader_for(feed({"link": "a"}))


@pytest.mark.parametrize("name", ["Middle/Earth", "../../etc/passwd", "\0"])
def test_a_zone_that_does_not_exist_is_named(name: str) -> None:
    with pytest.raises(UsageError, match="is no time zone"):
        reader_for(feed(timezone=name))


# With the walk


def paged_site(pages: int, items: int) -> Listings:
    """Items two hours apart, the newest first."""
    answers: dict[str, str | int | tuple[str, str]] = {}
    for number in range(1, pages + 1):
        rows = [
            (f"{index}", (NOW - timedelta(hours=2 * index)).isoformat())
            for index in range((number - 1) * items, number * items)
        ]
        url = f"{BASE}/latest" if number == 1 else f"{BASE}/latest?page={number}"
        answers[url] = page(*rows)
    return Listings(answers)


async def collect(site: Listings, known: set[UrlHash], depth: Depth) -> tuple[int, StopReason | None]:
    one = feed(COUNTED)
    walk = Walk(cutoff=NOW - timedelta(days=30), window_cutoff=NOW - timedelta(days=7), depth=depth)
    asked = 0
    async for found in fetch_pages(one, site.fetch, awaited(reader_for(one))):
        assert isinstance(found, PageListing)
        asked += 1
        decision = walk.page(found.items, known, has_next=found.next_url is not None)
        known |= {url_hash(item.url) for item in decision.process}
        if decision.stop:
            return asked, decision.stop
    return asked, None


async def test_a_walk_reads_down_to_the_cutoff_and_a_poll_down_to_the_window() -> None:
    site, known = paged_site(50, 20), set[UrlHash]()
    # 30 days are 361 items, the last of them on page 19; page 19 has older ones too, page 20 nothing else.
    assert await collect(site, known, Depth.CUTOFF) == (20, StopReason.NOTHING_NEWER)
    assert len(known) == 361
    assert await collect(site, known, Depth.CUTOFF) == (19, StopReason.CUTOFF)
    # 7 days are 85 items, the last of them on page 5; page 6 is the one more.
    assert await collect(site, known, Depth.WINDOW) == (6, StopReason.WINDOW)
    assert len(known) == 361
