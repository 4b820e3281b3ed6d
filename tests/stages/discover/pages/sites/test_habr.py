"""Habr's reader on pages written by hand in the structure of the real ones, compared with expected JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pytest

from inforadar.model.item import Listed
from inforadar.stages.discover.pages.listing import PageListing
from inforadar.stages.discover.pages.sites import SITES, habr
from tests.support.paths import DATA

PAGES = DATA / "sites" / "habr"
NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
HUB = "https://habr.com/ru/hubs/python/articles/"


def html(name: str) -> str:
    return (PAGES / f"{name}.html").read_text("utf-8")


def listing(page: str) -> PageListing:
    return habr.parse_page(page.encode(), HUB, "text/html; charset=utf-8", NOW)


def as_json(item: Listed) -> dict[str, Any]:
    """The form of the expected files: every field that is set, without the raw content."""
    found = {name: value for name, value in asdict(item).items() if value not in (None, (), "")}
    for name in ("content", "has_link", "repeats_id", "shares_page"):
        found.pop(name, None)
    if item.published_at:
        found["published_at"] = item.published_at.isoformat()
    read: dict[str, Any] = json.loads(json.dumps(found))
    return read


@pytest.mark.parametrize("name", ["hub", "last"])
def test_a_list_is_read_as_expected(name: str) -> None:
    expected = json.loads((PAGES / f"{name}.json").read_text("utf-8"))
    assert [as_json(item) for item in listing(html(name)).items] == expected


def test_a_page_lists_its_items_and_links_to_the_next() -> None:
    listing = SITES["habr.com"](html("hub").encode(), HUB, "text/html; charset=utf-8", NOW)
    assert [item.guid for item in listing.items] == ["900101", "900087", "900075", "900070", "900064"]
    assert listing.next_url == "https://habr.com/ru/hubs/python/articles/page2/"
    assert not listing.is_next_guessed
    assert listing.warnings == ()


def test_the_last_page_has_no_next_page() -> None:
    listing = habr.parse_page(html("last").encode(), f"{HUB}page3/", "text/html", NOW)
    assert len(listing.items) == 1
    assert listing.next_url is None


def test_zero_is_a_value_and_a_missing_counter_is_none() -> None:
    items = {item.guid: item for item in habr.parse_page(html("hub").encode(), HUB, "", NOW).items}
    counters = ("views", "comments", "rating", "bookmarks")
    assert [getattr(items["900087"], name) for name in counters] == [846, 0, -3.0, 0]
    assert [getattr(items["900075"], name) for name in counters] == [None, None, None, None]
    assert items["900070"].published_at is None
    assert items["900070"].rating == 0


@pytest.mark.parametrize(
    "state",
    [
        "",
        "<script>window.__INITIAL_STATE__={</script>",
        "<script>window.__INITIAL_STATE__={};</script>",
        '<script>window.__INITIAL_STATE__={"articlesList":[]};</script>',
        '<script>window.__INITIAL_STATE__={"articlesList":{"articlesList":{"1":{"tags":null}}}};</script>',
        '<script>window.__INITIAL_STATE__={"a":' + "[" * 100_000 + "</script>",
    ],
    ids=range(6),
)
def test_without_a_usable_state_an_item_has_only_its_hubs(state: str) -> None:
    page = html("hub")
    start = page.index("<script>window")
    (first, *_) = listing(page[:start] + state).items
    assert first.tags == ("Блог компании «Сосна»", "Python", "Высокая производительность")


def test_a_page_that_is_not_a_list_gives_no_items_and_a_warning() -> None:
    listing = habr.parse_page(
        b"<h1>Are you a robot?</h1><a data-pagination-next href=/2>", HUB, "text/html", NOW
    )
    assert listing.items == ()
    assert listing.next_url is None
    assert listing.warnings == ("Habr lists no article on this page.",)


@pytest.mark.parametrize(
    ("url", "topic"),
    [
        ("https://habr.com/ru/hubs/python/articles/", "python"),
        ("https://habr.com/ru/hubs/web_design/articles/page2/", "web_design"),
        ("https://habr.com/ru/flows/develop/articles/", "develop"),
        ("https://habr.com/ru/companies/pine/articles/", "pine"),
        ("https://habr.com/ru/articles/", None),
        ("https://habr.com/ru/articles/900101/", None),
    ],
)
def test_a_hub_is_the_topic_of_its_feed(url: str, topic: str | None) -> None:
    assert habr.topic_of(url) == topic
