"""Sitemaps in the forms that sites serve: extensions, namespaces, dates, encodings."""

import gzip
from datetime import UTC, datetime

import pytest

from inforadar.model.feed_warning import left_out
from inforadar.model.sitemap import SitemapEntry, SitemapForm, SitemapRef
from inforadar.stages.discover.sitemap.parse import SitemapReader

URL = "https://news.example/sitemap.xml"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def read(body: bytes | str, content_type: str = "") -> tuple[list[SitemapEntry | SitemapRef], SitemapReader]:
    reader = SitemapReader(body.encode() if isinstance(body, str) else body, URL, content_type)
    return list(reader), reader


def urlset(inside: str, attributes: str = f'xmlns="{NAMESPACE}"') -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {attributes}>\n{inside}\n</urlset>\n'


def test_a_urlset_lists_addresses_and_when_they_changed():
    rows, reader = read(
        urlset(
            "<url><loc>https://news.example/a</loc><lastmod>2026-11-15T08:00:00+01:00</lastmod>"
            "<changefreq>daily</changefreq><priority>0.5</priority></url>"
            "<url>\n <loc>\n  https://news.example/b?utm_source=x&amp;id=2#top \n</loc>\n</url>"
        )
    )
    assert rows == [
        SitemapEntry("https://news.example/a", datetime(2026, 11, 15, 7, tzinfo=UTC)),
        SitemapEntry("https://news.example/b?id=2"),
    ]
    assert reader.form is SitemapForm.URLSET
    assert reader.warnings == []


def test_an_index_lists_sitemaps_whose_addresses_lose_nothing():
    rows, reader = read(
        f'<sitemapindex xmlns="{NAMESPACE}"><sitemap><loc>https://news.example/s1.xml.gz?utm_source=1</loc>'
        "<lastmod>2026-11-14</lastmod></sitemap><sitemap><loc>/s2.xml</loc></sitemap></sitemapindex>"
    )
    assert rows == [
        SitemapRef("https://news.example/s1.xml.gz?utm_source=1", datetime(2026, 11, 14, tzinfo=UTC)),
        SitemapRef("https://news.example/s2.xml"),
    ]
    assert reader.form is SitemapForm.INDEX


NEWS = """<url><loc>https://news.example/урожай-яблок</loc>
<n:news><n:publication><n:name>The Orchard &amp; Co</n:name><n:language>ru</n:language></n:publication>
<n:publication_date>2026-11-15</n:publication_date><n:title>Урожай яблок &#8212; рекорд 🍎</n:title>
<n:keywords>яблоки, урожай , яблоки</n:keywords></n:news>
<i:image><i:loc>https://img.example/1.jpg</i:loc><i:title>not the title</i:title></i:image>
<i:image><i:loc>/2.jpg</i:loc></i:image>
<x:link rel="alternate" hreflang="zh" href="https://news.example/zh/苹果"/>
<x:link rel="alternate" hreflang="ar" href="/ar/تفاح"></x:link>
<v:video><v:title>a film</v:title><v:loc>https://news.example/film</v:loc></v:video></url>"""


@pytest.mark.parametrize(
    ("news", "image", "link", "video"),
    [
        ("news:", "image:", "xhtml:", "video:"),
        ("n0:", "ns2:", "h:", "v:"),
        ("", "", "", ""),
    ],
)
def test_extensions_are_read_under_any_prefix_and_under_none(news, image, link, video):
    body = NEWS
    for letter, prefix in (("n", news), ("i", image), ("x", link), ("v", video)):
        body = body.replace(f"<{letter}:", f"<{prefix}").replace(f"</{letter}:", f"</{prefix}")
    rows, _ = read(urlset(body, ""))
    assert rows == [
        SitemapEntry(
            url="https://news.example/%D1%83%D1%80%D0%BE%D0%B6%D0%B0%D0%B9-%D1%8F%D0%B1%D0%BB%D0%BE%D0%BA",
            title="Урожай яблок — рекорд 🍎",
            published_at=datetime(2026, 11, 15, tzinfo=UTC),
            language="ru",
            publication="The Orchard & Co",
            tags=("яблоки", "урожай"),
            images=("https://img.example/1.jpg", "https://news.example/2.jpg"),
            alternates=(
                ("zh", "https://news.example/zh/%E8%8B%B9%E6%9E%9C"),
                ("ar", "https://news.example/ar/%D8%AA%D9%81%D8%A7%D8%AD"),
            ),
        )
    ]


def test_the_sitemaps_own_elements_may_have_a_prefix():
    rows, reader = read(
        f'<sm:urlset xmlns:sm="{NAMESPACE}"><sm:url><sm:loc>https://news.example/a</sm:loc></sm:url></sm:urlset>'
    )
    assert rows == [SitemapEntry("https://news.example/a")]
    assert reader.form is SitemapForm.URLSET


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-15", datetime(2026, 11, 15, tzinfo=UTC)),
        ("2026-11-15T08:30Z", datetime(2026, 11, 15, 8, 30, tzinfo=UTC)),
        ("2026-11-15T08:30+02:00", datetime(2026, 11, 15, 6, 30, tzinfo=UTC)),
        ("2026-11-15T08:30:15-05:30", datetime(2026, 11, 15, 14, 0, 15, tzinfo=UTC)),
        ("2026-11-15T08:30:15.25Z", datetime(2026, 11, 15, 8, 30, 15, 250000, tzinfo=UTC)),
        (" 2026-11-15T08:30:15.123456789Z ", datetime(2026, 11, 15, 8, 30, 15, 123456, tzinfo=UTC)),
        ("2026-11-15 08:30:15", datetime(2026, 11, 15, 8, 30, 15, tzinfo=UTC)),
        ("Sun, 15 Nov 2026 08:30:15 GMT", datetime(2026, 11, 15, 8, 30, 15, tzinfo=UTC)),
        ("0000-00-00", None),
        ("soon", None),
    ],
)
def test_dates_in_every_w3c_form_and_some_others(text, moment):
    rows, _ = read(urlset(f"<url><loc>https://news.example/a</loc><lastmod>{text}</lastmod></url>"))
    assert rows == [SitemapEntry("https://news.example/a", moment)]


def test_a_text_file_lists_an_address_on_each_line():
    rows, reader = read(
        "\ufeffhttps://news.example/a\r\n\r\n# a remark\r\nhttps://news.example/б\r\nnot an address\r\n"
    )
    assert [row.url for row in rows] == ["https://news.example/a", "https://news.example/%D0%B1"]
    assert reader.form is SitemapForm.TEXT
    assert reader.warnings == [*left_out(1, "not a URL", is_loss=True)]


@pytest.mark.parametrize(
    "feed",
    [
        "<rss version='2.0'><channel><title>T</title><item><title>Äpfel</title>"
        "<link>https://news.example/a</link><pubDate>Sun, 15 Nov 2026 08:00:00 GMT</pubDate></item></channel></rss>",
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry><title>Äpfel</title><id>x</id>"
        "<link href='https://news.example/a'/><published>2026-11-15T08:00:00Z</published></entry></feed>",
    ],
)
def test_a_feed_can_serve_as_a_sitemap(feed):
    rows, reader = read(feed)
    moment = datetime(2026, 11, 15, 8, tzinfo=UTC)
    assert rows == [SitemapEntry("https://news.example/a", moment, "Äpfel", moment)]
    assert reader.form is SitemapForm.FEED


DOCUMENT = urlset("<url><loc>https://news.example/a</loc></url>")


@pytest.mark.parametrize(
    "body",
    [
        gzip.compress(DOCUMENT.encode()),
        gzip.compress(DOCUMENT.encode()[:60]) + gzip.compress(DOCUMENT.encode()[60:]) + b"\x00" * 100,
        gzip.compress(gzip.compress(DOCUMENT.encode())),
    ],
)
def test_gzip_is_known_by_its_bytes_whatever_the_name(body):
    rows, reader = read(body, "application/octet-stream")
    assert rows == [SitemapEntry("https://news.example/a")]
    assert reader.warnings == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-16-le"])
def test_unicode_with_and_without_a_byte_order_mark(encoding):
    text = urlset("<url><loc>https://news.example/яблоко</loc></url>")
    text = text.replace(' encoding="UTF-8"', "") if "16" in encoding else text
    rows, _ = read(text.encode(encoding))
    assert rows == [SitemapEntry("https://news.example/%D1%8F%D0%B1%D0%BB%D0%BE%D0%BA%D0%BE")]


@pytest.mark.parametrize(
    ("declared", "actual", "title"),
    [
        ("windows-1251", "windows-1251", "Яблоки нового урожая"),
        ("UTF-8", "windows-1251", "Яблоки нового урожая"),
        ("UTF-8", "latin-1", "Äpfel für Österreich"),
        ("ISO-8859-1", "utf-8", "Äpfel für Österreich"),
        ("gb2312", "gb18030", "苹果丰收的一年又来了"),
        ("nonsense-9", "utf-8", "Äpfel für Österreich"),
    ],
)
def test_encodings_that_are_other_than_declared(declared, actual, title):
    text = urlset(
        f"<url><loc>https://news.example/a</loc><news:news><news:title>{title}</news:title></news:news></url>"
    ).replace("UTF-8", declared)
    content_type = "application/xml; charset=windows-1251" if actual == "windows-1251" else "application/xml"
    rows, _ = read(text.encode(actual), content_type)
    assert [row.title for row in rows] == [title]


def test_comments_cdata_and_a_harmless_doctype_do_no_harm():
    rows, reader = read(
        "<?xml version='1.0'?><!DOCTYPE urlset><?xml-stylesheet href='x.xsl'?>"
        "<!-- <url><loc>https://no.example/</loc></url> -->"
        "<urlset><url><loc><![CDATA[https://news.example/a?x=1&y=2]]></loc>"
        "<!-- <loc>https://no.example/</loc> --></url>"
        "<!-- <url><loc>https://no.example/</loc></url> --></urlset>"
    )
    assert rows == [SitemapEntry("https://news.example/a?x=1&y=2")]
    assert reader.warnings == []


def test_entries_without_a_usable_address_are_left_out_and_counted():
    rows, reader = read(
        urlset(
            "<url><lastmod>2026-11-15</lastmod></url><url><loc> </loc></url><url><loc>javascript:alert(1)</loc></url>"
            f"<url><loc>https://news.example/{'a' * 2048}</loc></url><url><loc>https://news.example/a</loc></url>"
        )
    )
    assert [row.url for row in rows] == ["https://news.example/a"]
    assert reader.warnings == [*left_out(4, "no usable URL", is_loss=True)]
