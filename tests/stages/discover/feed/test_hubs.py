"""Hubs that documents name: in RSS, Atom and JSON Feed, and in what only the tolerant parser reads."""

from __future__ import annotations

import json

import pytest

from inforadar.stages.discover.feed.parse import parse_feed, parse_feed_slowly
from tests.support.site.documents import atom, entries, rss

URL = "https://news.example/feed"
ATOM = '<link xmlns="http://www.w3.org/2005/Atom" rel="{}" href="{}"/>'
LINKS = (
    ATOM.format("hub", "https://hub.example/?utm_source=a")
    + ATOM.format("self", "/feed?format=rss")
    + ATOM.format("hub", "//other.example/")
    + ATOM.format("hub", "mailto:hub@example.com")
)
FOUND = (
    ("https://hub.example/?utm_source=a", "https://other.example/"),
    "https://news.example/feed?format=rss",
)


@pytest.mark.parametrize("document", [rss(entries(2), extra=LINKS), atom(entries(2), extra=LINKS)])
def test_hubs_and_the_feeds_own_address_are_found(document: str) -> None:
    listing = parse_feed(document.encode(), URL)
    assert (listing.hubs, listing.self_url) == FOUND
    slowly = parse_feed_slowly(document.encode(), URL)
    assert (slowly.hubs, slowly.self_url) == FOUND


def test_a_json_feeds_hubs_are_found_if_they_speak_websub() -> None:
    hubs = [
        {"type": "WebSub", "url": "https://hub.example/"},
        {"type": "rssCloud", "url": "https://cloud.example/"},
        {"type": "WebSub"},
        "https://nonsense.example/",
    ]
    document = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "T",
        "items": [{"id": "1", "url": URL}],
    }
    listing = parse_feed(json.dumps(document | {"hubs": hubs, "feed_url": "/f.json"}).encode(), URL)
    assert (listing.hubs, listing.self_url) == (("https://hub.example/",), "https://news.example/f.json")
    assert parse_feed(json.dumps(document | {"hubs": "x"}).encode(), URL).hubs == ()
