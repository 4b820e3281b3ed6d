"""Documents that are not feeds: the error says what they are and which feed a page links to."""

from __future__ import annotations

import gzip

import pytest

from inforadar.errors import ParseError
from inforadar.stages.discover.feed.parse import NotAFeedError, find_feed_links, parse_feed

URL = "https://example.org/blog/post"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "The document is empty."),
        (b" \n ", "The document is empty."),
        (b"%PDF-1.7 \xff", "This is a PDF file, not a feed."),
        (b"\x89PNG\r\n\x1a\n\x00", "This is a PNG image, not a feed."),
        (gzip.compress(b"<rss/>", mtime=0), "This is a gzip archive, not a feed."),
        (b"Not found, sorry.", "This is plain text, not a feed."),
        (b"\x00\x01\x02\x03", "This is binary data, not a feed."),
        (
            b"<urlset xmlns='x'><url/></urlset>",
            "This is a sitemap, not a feed; add it as kind sitemap.",
        ),
        (b"<?xml version='1.0'?><opml/>", "This is an OPML list of feeds, not a feed; import it instead."),
        (b"<note>x</note>", "This is an XML document (note), not a feed."),
        (b'{"a": 1}', "This is JSON, but not a JSON Feed."),
        (b'{"items": 5}', "This is JSON, but not a JSON Feed."),
        (b'{"items": [', "This looks like JSON, but it is not valid."),
        (b"<html><body>Hello</body></html>", "This is an HTML page, not a feed, and it links to no feed."),
        (b"<!doctype HTML><p>Hello", "This is an HTML page, not a feed, and it links to no feed."),
    ],
)
def test_the_error_says_what_the_document_is(data: bytes, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_feed(data, URL)
    assert str(caught.value) == message


def test_a_page_that_links_to_a_feed_is_refused_with_the_feeds_url() -> None:
    page = (
        b'<!DOCTYPE html><html><head><link rel=stylesheet href=a.css><link rel="alternate" '
        b'hreflang="de" href="/de">'
        b'<link REL="Alternate" type="application/rss+xml" href="../feed?a=1&amp;b=2"></head></html>'
    )
    with pytest.raises(NotAFeedError) as caught:
        parse_feed(page, URL, "text/html")
    assert (
        str(caught.value)
        == "This is an HTML page, not a feed. It links to the feed https://example.org/feed?a=1&b=2."
    )
    assert caught.value.feeds == ("https://example.org/feed?a=1&b=2",)


def test_all_feeds_of_a_page_are_found_relative_to_its_base() -> None:
    page = (
        "<head><base href='https://cdn.example.org/x/'><link rel='alternate' "
        "type='application/atom+xml' href='a'>"
        "<link rel='alternate nofollow' type='application/feed+json; charset=utf-8' href='/b'>"
        "<link rel=alternate type=application/rss+xml href=a><link rel='alternate' type='text/html' href='c'>"
        "<link rel='alternate' type='application/rss+xml' href='javascript:alert(1)'></head>"
    )
    assert find_feed_links(page, URL) == ("https://cdn.example.org/x/a", "https://cdn.example.org/b")


def test_a_page_about_feeds_is_still_a_page() -> None:
    page = b"<html><body><p>Write <rss> first, then <item> and so on</p></body></html>"
    with pytest.raises(NotAFeedError, match="HTML page"):
        parse_feed(page, URL)
