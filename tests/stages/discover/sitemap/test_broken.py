"""Sitemaps that are broken, cut off, hostile or not sitemaps; and that the fast path reads what expat reads."""

import gzip
import time
import tracemalloc
import zlib
from contextlib import suppress
from datetime import UTC, datetime
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.errors import ParseError
from inforadar.model.sitemap import SitemapEntry
from inforadar.stages.discover.sitemap.fast import FastSitemap
from inforadar.stages.discover.sitemap.parse import NotASitemapError, SitemapReader, is_sitemap
from inforadar.stages.discover.sitemap.unpack import SitemapTooLargeError
from inforadar.stages.discover.sitemap.xml import XmlSitemap

URL = "https://news.example/sitemap.xml"


def read(body: bytes | str):
    reader = SitemapReader(body.encode() if isinstance(body, str) else body, URL)
    return [row.url.removeprefix("https://news.example/") for row in reader], [
        one.text for one in reader.warnings
    ]


def entry(name: str) -> str:
    return f"<url><loc>https://news.example/{name}</loc><lastmod>2026-11-15</lastmod></url>\n"


def test_a_file_that_was_cut_off_keeps_what_was_read():
    whole = "<urlset>" + "".join(map(entry, "abc"))
    for cut in ("", "<url><loc>https://news.example/d</loc><last", "<url><loc>https://news.exa", "</url"):
        urls, warnings = read(whole + cut)
        assert urls == ["a", "b", "c", "d"][: 4 if "/d<" in cut else 3]
        assert "It is cut off; the entries before that were kept." in warnings


def test_a_gzip_file_that_was_cut_off_keeps_what_was_read():
    body = "<urlset>" + "".join(entry(str(number)) for number in range(20_000)) + "</urlset>"
    packed = gzip.compress(body.encode())
    urls, warnings = read(packed[: len(packed) // 2])
    assert 5_000 < len(urls) < 15_000
    assert urls == [str(number) for number in range(len(urls))]
    assert "The gzip file is damaged or cut off; the part that could be unpacked was read." in warnings


def test_a_text_file_that_was_cut_off_gives_no_half_of_a_url():
    body = "".join(f"https://news.example/{number:06}\n" for number in range(20_000))
    packed = gzip.compress(body.encode())
    urls, warnings = read(packed[: len(packed) // 2])
    assert urls == [f"{number:06}" for number in range(len(urls))]
    assert "The gzip file is damaged or cut off; the part that could be unpacked was read." in warnings


def test_a_feed_that_serves_as_a_sitemap_and_was_cut_off_is_not_whole():
    item = "<item><title>Новость</title><link>https://news.example/{}</link></item>"
    reader = SitemapReader(f"<rss><channel>{item.format(1)}{item.format(2)[:-9]}".encode(), URL)
    assert [row.url for row in reader] == ["https://news.example/1"]
    assert not reader.is_whole


@pytest.mark.parametrize(
    "middle",
    [
        "<url><loc>https://news.example/x?a=1&b=2</loc></url>",
        "<url><loc>https://news.example/x?a=1&amp;b=2</loc><news:title>M&S &nbsp;\x01</news:title></url>",
        "<url><!----><loc>https://news.example/x?a=1&amp;b=2</loc><lastmod></url>",
        "<url><loc>https://news.example/x?a=1&amp;b=2</loc>",
        "<url a=1><loc>https://news.example/x?a=1&amp;b=2</loc></url>",
        "<url><loc>https://news.example/x?a=1&amp;b=2</loc><b></a></url>",
    ],
)
def test_a_broken_entry_does_not_affect_the_others(middle):
    urls, warnings = read(f"<urlset>{entry('a')}{middle}{entry('c')}</urlset>")
    assert urls == ["a", "x?a=1&b=2", "c"]
    assert "not well-formed" in warnings[0]


def test_a_stray_byte_in_utf8_leaves_the_titles_readable():
    text = f"<urlset>{entry('a')}<url><loc>https://news.example/b</loc><news:title>Это новость</news:title></url>"
    body = f'<?xml version="1.0" encoding="utf-8"?>{text}'.encode() + b"<!-- \x99 --></urlset>"
    reader = SitemapReader(body, URL, "text/xml; charset=iso-8859-1")
    assert [row.title for row in reader] == [None, "Это новость"]


def test_an_entry_beyond_repair_is_counted():
    urls, warnings = read(
        f"<urlset>{entry('a')}<!-- --><url><loc>https://news.example/b<loc></url>{entry('c')}</urlset>"
    )
    assert urls == ["a", "c"]
    assert "1 entry left out: too broken to read." in warnings


def test_declared_entities_are_never_expanded():
    bomb = (
        '<!DOCTYPE urlset [<!ENTITY a "https://news.example/aaaaaaaaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">'
        '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY x SYSTEM "file:///etc/passwd">]>'
        f"<urlset><url><loc>https://news.example/&c;&x;</loc></url>{entry('z')}</urlset>"
    )
    urls, _ = read(bomb)
    assert urls == ["&c;&x;", "z"]


def test_a_document_that_is_not_a_sitemap_is_refused_by_what_it_is():
    for body, kind in [
        (b"<!doctype html><html><body>Hello</body></html>", "an HTML page"),
        (b"%PDF-1.7", "a PDF file"),
        (b"\x89PNG\r\n", "a PNG image"),
        (b"<opml version='2.0'/>", "an OPML list of feeds"),
        (b'{"version": "https://jsonfeed.org/version/1.1"}', "plain text"),
        (b"Just some words about https://news.example/\nand more", "plain text"),
    ]:
        with pytest.raises(NotASitemapError, match=f"This is {kind}, not a sitemap"):
            SitemapReader(body, URL)
    with pytest.raises(NotASitemapError, match="empty"):
        SitemapReader(b"  \n", URL)
    with pytest.raises(ParseError, match="damaged gzip"):
        SitemapReader(b"\x1f\x8b" + b"nonsense" * 9, URL)


def test_a_feeds_kind_is_detected_from_how_its_document_begins():
    assert is_sitemap(b"<?xml version='1.0'?><!-- x --><urlset xmlns='x'>")
    assert is_sitemap(gzip.compress(b"<sitemapindex>" + b" " * 10_000))
    assert not is_sitemap(b"<rss version='2.0'>")
    assert not is_sitemap(b"<html><urlset>")


def test_a_bomb_is_refused_before_anything_is_read_and_without_its_memory():
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b"<url><loc>https://news.example/a</loc></url>" * 100_000
    bomb = packer.compress(b"<urlset>") + b"".join(packer.compress(block) for _ in range(16)) + packer.flush()
    tracemalloc.start()
    with pytest.raises(SitemapTooLargeError, match="larger than 64 MB once unpacked"):
        SitemapReader(bomb, URL)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_memory_does_not_grow_with_the_number_of_urls():
    body = b"<urlset>" + b"".join(entry(str(number)).encode() for number in range(10_000)) + b"</urlset>"
    tracemalloc.start()
    count = sum(1 for _ in SitemapReader(body, URL))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 10_000
    assert peak < 2 * 2**20


def test_hostile_nesting_names_and_attributes_are_ignored():
    deep = "<a>" * 20_000 + "</a>" * 20_000
    names = "".join(f"<n{number}/>" for number in range(20_000))
    attributes = " ".join(f'a{number}="x"' for number in range(5_000))
    urls, _ = read(f"<urlset>{entry('a')}{deep}{names}<b {attributes}/>{entry('b')}</urlset>")
    assert urls == ["a", "b"]


@pytest.mark.parametrize(
    "body",
    [
        "<urlset>" + "<!--" * 500_000,
        "<urlset>" + "<url>" * 400_000,
        "<urlset><url><loc>" + "&" * 2_000_000,
        "<urlset>" + "<url><loc>" + "a" * 2_000_000,
        "<urlset" + " a" * 1_000_000,
        "<!DOCTYPE urlset [" + "]" * 1_000_000 + "<urlset>",
    ],
)
def test_documents_made_to_take_long_do_not(body):
    began = time.process_time()
    with suppress(ParseError):
        list(SitemapReader(body.encode(), URL))
    assert time.process_time() - began < 5


def test_white_space_before_the_root_is_scanned_once():
    """Scanning from each character again would take a million times a million steps, far beyond the time limit."""
    assert list(FastSitemap(URL).read([b" " * 1_000_000 + b"<urlset/>"])) == []


def test_a_file_of_countless_gzip_members_is_read_up_to_a_limit():
    urls, warnings = read(gzip.compress(b"<urlset>") + gzip.compress(entry("a").encode()) * 5_000)
    assert len(urls) == 999
    assert "It is cut off; the entries before that were kept." in warnings


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), max_size=12)
DATES = st.sampled_from(["2026-11-15", "2026-11-15T08:00:00+03:00", "", "never", " 2026 "])


@st.composite
def entries(draw) -> str:
    quoted = {'"': "&quot;"}
    parts = [f"<loc>https://news.example/{escape(draw(TEXTS))}</loc>"]
    if draw(st.booleans()):
        parts.append(f"<lastmod>{draw(DATES)}</lastmod>")
    if draw(st.booleans()):
        parts.append("<priority>0.5</priority>")
    if draw(st.booleans()):
        title, name = escape(draw(TEXTS)), escape(draw(TEXTS))
        parts.append(
            f"<news:news><news:publication><news:name>{name}</news:name><news:language>zh</news:language>"
            f"</news:publication><news:publication_date>{draw(DATES)}</news:publication_date>"
            f"<news:title>{title}&#233;&#x1F34E;</news:title></news:news>"
        )
    images = draw(st.lists(TEXTS, max_size=2))
    parts += [f"<image:image><image:loc>/{escape(image)}</image:loc></image:image>" for image in images]
    if draw(st.booleans()):
        href = escape("/zh/" + draw(TEXTS), quoted)
        parts.append(f'<xhtml:link rel="alternate" hreflang="zh" href="{href}"/>')
    if draw(st.integers(0, 9)) == 0:
        parts.append(
            draw(st.sampled_from(["<!-- <loc>x</loc> -->", "<odd:thing/>", "<b>x</b>", "<![CDATA[x]]>"]))
        )
    space = draw(st.sampled_from(["", " ", "\n  ", "\r\n"]))
    return f"{space}<url>{space}{space.join(parts)}{space}</url>"


@given(st.lists(entries(), max_size=6), st.integers(1, 400))
@settings(max_examples=150, deadline=None)
def test_the_fast_path_reads_what_expat_reads_wherever_the_pieces_end(listed, size):
    body = ("<?xml version='1.0'?><urlset xmlns='x'>" + "".join(listed) + "</urlset>").encode()
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    assert list(FastSitemap(URL).read(pieces)) == list(XmlSitemap(URL).read([body]))


def test_usual_documents_are_read_on_the_fast_path():
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<?xml-stylesheet type="text/xsl" href="/s.xsl"?>\n<!-- made by x -->\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">\n'
        "<url><loc>https://news.example/a?x=1&amp;y=2</loc><image:image><image:loc>https://news.example/1.jpg</image:loc>"
        "</image:image></url>\n" + entry("b") + "</urlset>\n"
    ).encode()
    reader = FastSitemap(URL)
    rows = list(reader.read([body]))
    assert reader.fast_rows == 2
    assert rows[1] == SitemapEntry("https://news.example/b", datetime(2026, 11, 15, tzinfo=UTC))
