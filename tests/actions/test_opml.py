"""OPML as readers really write it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from inforadar.actions.feed_input import MAX_NAME_CHARS
from inforadar.actions.opml import parse_opml, render_opml
from inforadar.actions.opml_import import import_opml
from inforadar.config import FetcherSettings
from inforadar.errors import ParseError
from inforadar.model.feed import Feed, FeedKind
from inforadar.model.feed_options import NO_OPTIONS, FeedOptions
from inforadar.model.ids import FeedId
from inforadar.store.database import Database
from inforadar.store.feeds.queries import load_feeds


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
        ("A &madeup; B", "A &madeup; B"),
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


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://a.example/rss?page=x&lang=en", "https://a.example/rss?page=x&lang=en"),
        ("https://a.example/rss?a=1&copy=2&amp=3&b", "https://a.example/rss?a=1&copy=2&amp=3&b"),
        ("https://a.example/rss?a=1&amp;lang=en", "https://a.example/rss?a=1&lang=en"),
        ("https://a.example/rss?a=1&unknown;b=2", "https://a.example/rss?a=1&unknown;b=2"),
        ("https://a.example/rss?a=1&#38;b=2&#0;", "https://a.example/rss?a=1&b=2"),
    ],
)
def test_a_raw_ampersand_in_a_url_is_kept(written: str, meant: str) -> None:
    found = parse_opml(opml(f'<outline text="A" xmlUrl="{written}"/><outline xmlUrl="https://b.example/"/>'))
    assert [feed.url for feed in found.feeds] == [meant, "https://b.example/"]
    assert not found.is_cut_off


@pytest.mark.parametrize(
    ("tag", "title"),
    [
        ('<outline text="The "Best" Blog" xmlUrl="https://a.example/1"/>', 'The "Best" Blog'),
        ('<outline text=""Лучшее" и 好" type="rss" xmlUrl="https://a.example/1" />', '"Лучшее" и 好'),
        ("<outline text='It's here' xmlUrl='https://a.example/1'/>", "It's here"),
        ('<outline xmlUrl="https://a.example/1" text="1 < 2 > 0 & so"/>', "1 < 2 > 0 & so"),
        ('<outline xmlUrl=https://a.example/1 text="Bare" />', "Bare"),
        ('<outline text="A" text="B" xmlUrl="https://a.example/1"/>', "A"),
        ('<outline media:x="y" text="Undeclared" xmlUrl="https://a.example/1"/>', "Undeclared"),
    ],
)
def test_unescaped_quotes_lose_no_feed(tag: str, title: str) -> None:
    before, after = (
        '<outline text="0" xmlUrl="https://a.example/0"/>',
        '<outline xmlUrl="https://a.example/2"/>',
    )
    found = parse_opml(opml(f'<outline text="Папка">{before}{tag}{after}</outline>'))
    assert [feed.url[-1] for feed in found.feeds] == ["0", "1", "2"]
    assert found.feeds[1].title == title
    assert {feed.topic for feed in found.feeds} == {"Папка"}
    assert not found.is_cut_off


def test_a_missing_quote_loses_no_feed() -> None:
    found = parse_opml(
        opml('<outline text="A xmlUrl="https://a.example/1"/><outline xmlUrl="https://a.example/2"/>')
    )
    assert [feed.url[-1] for feed in found.feeds] == ["1", "2"]


def test_what_is_in_a_comment_is_no_feed_in_broken_files_either() -> None:
    found = parse_opml(
        opml(
            '<!-- <outline xmlUrl="https://a.example/0"/> --><outline text="<" xmlUrl="https://a.example/1"/>'
        )
    )
    assert [feed.url[-1] for feed in found.feeds] == ["1"]


def test_half_a_file_gives_its_complete_entries_and_is_known_as_half() -> None:
    body = "".join(
        f'<outline text="Папка {n}"><outline text="新闻" xmlUrl="https://a.example/{n}"/></outline>'
        for n in range(5)
    )
    whole = opml(body).decode()
    ends = [whole.index("/>", whole.index(f"example/{n}")) + 2 for n in range(5)]
    for cut in range(whole.index("<body>"), whole.index("</body>") + len("</bod")):
        found = parse_opml(whole[:cut].encode())
        complete = sum(end <= cut for end in ends)
        assert [feed.url[-1] for feed in found.feeds] == [str(n) for n in range(complete)], cut
        assert found.is_cut_off
    assert not parse_opml(whole.encode()).is_cut_off


@pytest.mark.parametrize(
    "text",
    ['<outline a="' * 30_000, "<outline " * 50_000, "<!--" * 500_000, "<outline" + ' a="b"' * 100_000],
)
def test_hostile_halves_take_linear_time(text: str) -> None:
    began = time.process_time()
    parse_opml(f"<opml>{text}".encode())
    assert time.process_time() - began < 10


def make_feed(url: str, **fields: object) -> Feed:
    usual = {"kind": FeedKind.FEED, "source": "a", "topic": "общее", "root_domain": None, "enabled": True}
    more = {"polling": True, "enforce_feed_domain": True, "created_at": datetime(2026, 1, 1, tzinfo=UTC)}
    return Feed(**({"id": FeedId(UUID(int=1)), "url": url} | usual | more | fields))  # type: ignore[arg-type]


SELECTORS = {"item": "article > h2", "title": "a", "link": "a", "date": "time", "next": 'a[rel="next"]'}


def test_the_kind_the_selectors_and_the_folders_survive_our_own_round_trip() -> None:
    options = FeedOptions(
        selectors=SELECTORS, timezone="Asia/Tokyo", folders=("Мир", "亚洲"), title="Моё имя"
    )
    pages = make_feed(
        "https://a.example/news?x=1&y=2",
        kind=FeedKind.PAGES,
        source="Газета <1>",
        topic="科技",
        title="Моё имя",
        site_url="https://a.example/",
        options=options,
    )
    for public_url in ("", "https://radar.example/me"):
        (back,) = parse_opml(render_opml([pages], public_url=public_url)).feeds
        assert (back.url, back.kind, back.source) == (pages.url, FeedKind.PAGES, "Газета <1>")
        assert (back.title, back.topic, back.site_url) == ("Моё имя", "科技", "https://a.example/")
        assert back.options == options.replaced({"title": None})


def test_other_readers_get_our_own_address_of_what_is_no_feed() -> None:
    feeds = [make_feed(f"https://a.example/{kind}?q=1&r=2", kind=kind) for kind in FeedKind]
    root = etree.fromstring(render_opml(feeds, public_url="https://radar.example"))
    given = {outline.get("xmlUrl") for outline in root.iter("outline") if outline.get("xmlUrl")}
    assert given == {
        "https://a.example/feed?q=1&r=2",
        "https://radar.example/rss?url=https%3A%2F%2Fa.example%2Fpages%3Fq%3D1%26r%3D2",
        "https://radar.example/rss?url=https%3A%2F%2Fa.example%2Fsitemap%3Fq%3D1%26r%3D2",
    }
    assert {
        feed.url for feed in parse_opml(render_opml(feeds, public_url="https://radar.example")).feeds
    } == {feed.url for feed in feeds}


def test_nested_folders_are_written_as_they_came() -> None:
    found = parse_opml(
        opml(
            '<outline text="Мир"><outline text="Азия"><outline text="科技">'
            '<outline text="A" xmlUrl="https://a.example/1"/></outline></outline></outline>'
        )
    )
    (feed,) = found.feeds
    assert (feed.topic, feed.options.folders) == ("科技", ("Мир", "Азия"))
    written = render_opml([make_feed(feed.url, topic=feed.topic, options=feed.options)])
    assert parse_opml(written).feeds[0].options.folders == ("Мир", "Азия")


def test_an_address_in_place_of_a_title_is_no_title() -> None:
    written = render_opml([make_feed("https://a.example/rss", title=None)])
    assert parse_opml(written).feeds[0].title is None
    found = parse_opml(opml('<outline text="https://a.example/x" xmlUrl="https://a.example/x"/>'))
    assert found.feeds[0].title is None


@pytest.mark.parametrize(
    "options", ["{", "[]", '{"prompt": "x", "model": "y", "epoch": "z", "window_days": "много"}']
)
def test_options_that_do_not_fit_are_left_out(options: str) -> None:
    text = f"<outline xmlns:inforadar='urn:inforadar:opml' inforadar:kind='?' inforadar:options='{options}'"
    (feed,) = parse_opml(opml(f'{text} xmlUrl="https://a.example/1"/>')).feeds
    assert (feed.kind, feed.options) == (None, NO_OPTIONS)


async def test_what_the_list_says_is_stored_and_options_that_cannot_be_used_are_reported(
    database: Database,
) -> None:
    good = make_feed(
        "https://a.example/news",
        kind=FeedKind.PAGES,
        title="Имя",
        site_url="https://a.example/",
        options=FeedOptions(selectors=SELECTORS),
    )
    bad = make_feed(
        "https://b.example/news",
        kind=FeedKind.PAGES,
        title="Bad",
        options=FeedOptions(selectors={"item": "]["}),
    )
    imported = await import_opml(database, FetcherSettings(), render_opml([good, bad]))
    (stored,) = await database.read(load_feeds)
    assert (stored.title, stored.kind, stored.site_url) == ("Имя", FeedKind.PAGES, "https://a.example/")
    assert stored.options.selectors == SELECTORS
    assert [what for what, _ in imported.skipped] == ["Bad"]
