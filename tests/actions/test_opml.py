"""OPML as readers really write it."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.actions.feed_input import MAX_NAME_CHARS
from inforadar.actions.opml import parse_opml, render_opml
from inforadar.errors import ParseError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.ids import FeedId


def opml(body: str, head: str = '<?xml version="1.0"?>') -> bytes:
    return f'{head}<opml version="2.0"><head><title>x</title></head><body>{body}</body></opml>'.encode()


def test_folders_become_topics_the_nearest_one_wins() -> None:
    found = parse_opml(
        opml(
            '<outline text="Мир"><outline text="Город">'
            '<outline type="rss" text="A" xmlUrl="https://a.example/rss" htmlUrl="https://a.example/"/></outline>'
            '<outline text="B" xmlUrl="https://b.example/rss"/></outline>'
            '<outline text="C" xmlUrl="https://c.example/rss"/>'
            '<outline text="D" xmlUrl="https://d.example/rss" category="/news/science,/other"/>'
        )
    )
    assert [(feed.title, feed.topic) for feed in found.feeds] == [
        ("A", "Город"),
        ("B", "Мир"),
        ("C", None),
        ("D", "science"),
    ]
    assert found.feeds[0].site_url == "https://a.example/"
    assert found.skipped == ()


@pytest.mark.parametrize("attribute", ["xmlUrl", "xmlurl", "XMLURL", "xml_url", "feedUrl", "url"])
def test_the_url_is_found_however_it_is_called(attribute: str) -> None:
    found = parse_opml(opml(f'<outline text="A" {attribute}="https://a.example/rss"/>'))
    assert [feed.url for feed in found.feeds] == ["https://a.example/rss"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("feed://a.example/rss", "http://a.example/rss"),
        ("feed:https://a.example/rss", "https://a.example/rss"),
        (" https://A.example:443/rss?b=1&amp;a=2#x ", "https://a.example/rss?b=1&a=2"),
    ],
)
def test_odd_urls_are_understood(written: str, meant: str) -> None:
    assert parse_opml(opml(f'<outline xmlUrl="{written}"/>')).feeds[0].url == meant


def test_what_cannot_be_used_is_reported_and_the_rest_is_kept() -> None:
    found = parse_opml(
        opml(
            '<outline text="Twice" xmlUrl="https://a.example/rss"/>'
            '<outline text="Again" xmlUrl="https://a.example/rss"/>'
            '<outline text="Ftp" xmlUrl="ftp://a.example/rss"/>'
            '<outline text="Nothing"/>'
        )
    )
    assert len(found.feeds) == 1
    assert [what for what, _ in found.skipped] == ["Again", "Ftp", "Nothing"]
    assert all(why for _, why in found.skipped)


@pytest.mark.parametrize(
    "data",
    [
        opml('<outline text="A & B" xmlUrl="https://a.example/rss"/>'),
        opml('<outline text="A" xmlUrl="https://a.example/rss">'),
        b"\xef\xbb\xbf\n  " + opml('<outline text="A" xmlUrl="https://a.example/rss"/>', head=""),
        b'<OPML><BODY><OUTLINE text="A" xmlUrl="https://a.example/rss"/></BODY></OPML>',
        b'<outline text="A" xmlUrl="https://a.example/rss"/>',
    ],
)
def test_files_that_are_not_well_formed_are_read_all_the_same(data: bytes) -> None:
    assert [feed.url for feed in parse_opml(data).feeds] == ["https://a.example/rss"]


@pytest.mark.parametrize(
    "data", [b"", b"not xml", b"<html><body>No</body></html>", b"\x00\x01\x02", b"<rss/>"]
)
def test_what_is_no_opml_says_so(data: bytes) -> None:
    with pytest.raises(ParseError, match="not an OPML"):
        parse_opml(data)


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("cp1251", "windows-1251"),
        ("cp1251", "utf-8"),
        ("koi8-r", "koi8-r"),
        ("utf-8", "utf-16"),
    ],
)
def test_names_are_readable_whatever_the_encoding_and_whatever_is_said_about_it(
    encoding: str, declared: str
) -> None:
    body = "".join(
        f'<outline text="Новости науки и техники" xmlUrl="https://a.example/{n}"/>' for n in range(5)
    )
    document = f'<?xml version="1.0" encoding="{declared}"?><opml><body>{body}</body></opml>'
    found = parse_opml(document.encode(encoding))
    assert len(found.feeds) == 5
    assert {feed.title for feed in found.feeds} == {"Новости науки и техники"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Caf&eacute;&nbsp;&mdash; news", "Café — news"),
        ("A &madeup; B", "A B"),
        ("&lt;b&gt;Bold&lt;/b&gt; &amp;amp; more", "Bold & more"),
        ("1 &lt; 2", "1 < 2"),
        ("北京 \x0b\x00 新闻", "北京 新闻"),
        ("  two\n lines ", "two lines"),
    ],
)
def test_titles_become_plain_words_and_no_feed_is_lost(written: str, meant: str) -> None:
    found = parse_opml(
        opml(
            f'<outline text="{written}" xmlUrl="https://a.example/1"/><outline xmlUrl="https://a.example/2"/>'
        )
    )
    assert [feed.title for feed in found.feeds] == [meant, None]


def test_names_end_where_those_that_people_give_do() -> None:
    long = "Ж" * (MAX_NAME_CHARS + 1)
    feeds = parse_opml(
        opml(
            f'<outline text="{long}"><outline text="{long}" xmlUrl="https://a.example/rss"/></outline>'
            f'<outline xmlUrl="https://b.example/rss" category="/news/{long}"/>'
        )
    ).feeds
    assert [(feed.title, feed.topic) for feed in feeds] == [(long[:-1], long[:-1]), (None, long[:-1])]


def test_a_number_of_thousands_of_digits_is_no_sign_and_no_fault() -> None:
    number = "9" * 5_000
    found = parse_opml(opml(f'<outline text="A &amp;#{number}; B" xmlUrl="https://a.example/1"/>'))
    assert [feed.title for feed in found.feeds] == ["A \ufffd B"]


def test_links_and_sites_are_no_feeds_and_folders_are_no_loss() -> None:
    found = parse_opml(
        opml(
            '<outline text="Folder"/><outline text="Full"><outline text="Page" type="link" url="https://a.example/"/>'
            '<outline text="Site" htmlUrl="https://b.example/"/></outline>'
        )
    )
    assert found.feeds == ()
    reasons = dict(found.skipped)
    assert reasons["Folder"] == "it has no feed URL"
    assert "a link" in reasons["Page"]
    assert "feed add https://b.example/ --discover" in reasons["Site"]


def test_a_list_without_a_body_and_feeds_in_deep_folders_are_read() -> None:
    deep = '<outline text="f">' * 100 + '<outline xmlUrl="https://a.example/1"/>' + "</outline>" * 100
    data = f'<opml><outline xmlUrl="https://a.example/2"/>{deep}</opml>'.encode()
    assert len(parse_opml(data).feeds) == 2


def test_ten_megabytes_are_read_quickly_and_more_than_twenty_are_refused() -> None:
    one = '<outline text="{0}" title="{0}" type="rss" xmlUrl="https://a.example/{0}" htmlUrl="https://a.example/"/>'
    lines = "".join(one.format(n) for n in range(20_000)) + " " * 8_000_000
    assert len(parse_opml(opml(lines)).feeds) == 20_000
    with pytest.raises(ParseError, match="20 MB"):
        parse_opml(b" " * 21 * 2**20)


def test_entities_are_not_expanded() -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    document = f'<!DOCTYPE opml [<!ENTITY e0 "ha">{bomb}<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    data = opml(
        '<outline text="&e9;" xmlUrl="https://a.example/rss"/><outline text="&file;"/>', head=document
    )
    for feed in parse_opml(data).feeds:
        assert len(feed.title or "") < 1000
        assert "root:" not in (feed.title or "")


def test_a_million_document_types_without_an_end_are_looked_at_once() -> None:
    """For each to its end would be longer than the suite's own limit of time."""
    with pytest.raises(ParseError):
        parse_opml(b"<!DOCTYPE [" * 1_000_000)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        found = parse_opml(data)
    except ParseError:
        return
    assert isinstance(found.feeds, tuple)


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), max_size=5))
def test_what_is_written_is_read_back(names: list[tuple[str, str]]) -> None:
    feeds = [
        Feed(
            id=FeedId(UUID(int=number)),
            url=f"https://a.example/{number}",
            kind=FeedKind.FEED,
            source="a",
            topic=topic,
            title=title,
            root_domain=None,
            enabled=True,
            polling=True,
            enforce_feed_domain=True,
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for number, (topic, title) in enumerate(names)
    ]
    found = parse_opml(render_opml(feeds))
    assert {feed.url for feed in found.feeds} == {feed.url for feed in feeds}
