from __future__ import annotations

import re
import time
from html import escape
from html.parser import HTMLParser
from urllib.parse import quote

import pytest
from markupsafe import Markup

from inforadar.views import sanitize
from inforadar.views.item import picture_lines
from inforadar.views.sanitize import (
    MAX_CHARACTERS,
    MAX_PICTURES,
    MAX_TAGS,
    Images,
    article_html,
    kept_html,
    lead_html,
    listing_html,
    listing_text,
    plain_html,
    thumbnail_html,
)

DIRECT: Images = "direct"
CPU_LIMIT_S = 3.0
REL = 'rel="noopener noreferrer nofollow"'


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("# Top\n\n## Next", "<h2>Top</h2>\n<h2>Next</h2>\n"),
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>\n"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
        ("7. one", '<ol start="7">\n<li>one</li>\n</ol>\n'),
        ("> said", "<blockquote>\n<p>said</p>\n</blockquote>\n"),
        ("    code <b>", "<pre><code>code &lt;b&gt;\n</code></pre>\n"),
        ("[a](https://a.example/?x=1&y=2)", f'<p><a href="https://a.example/?x=1&amp;y=2" {REL}>a</a></p>\n'),
        ("[a](mailto:a@b.example)", f'<p><a href="mailto:a@b.example" {REL}>a</a></p>\n'),
        ("Ünïcode 中文 عربي 🌞", "<p>Ünïcode 中文 عربي 🌞</p>\n"),
        ("", ""),
    ],
)
def test_markdown_becomes_html(markdown: str, html: str) -> None:
    assert article_html(markdown, DIRECT) == html


def test_a_table_keeps_its_cells() -> None:
    html = article_html("| a | b |\n|---|---|\n| 1 | 2 |", DIRECT)
    assert "<th>a</th>" in html
    assert "<td>2</td>" in html


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>x()</script>",
        "<img src=x onerror=x()>",
        "<b>bold</b>",
        "<!-- c -->",
        "<svg/onload=x()>",
        "</p></div>",
    ],
)
def test_html_inside_of_markdown_is_text(hostile: str) -> None:
    html = article_html(f"before {hostile} after", DIRECT)
    assert html.count("<") == 2
    assert "&lt;" in html


@pytest.mark.parametrize(
    "address",
    [
        "javascript:x()", "JaVaScRiPt:x()", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "blob:https://x/y",
        "/item/1", "?after=1", "#text", "../feeds", "//host.example/x", "&#106;avascript:x()", "java%0ascript:x()",
        "http:x", "https:/x.example", "ftp://x.example/",
    ],
)  # fmt: skip
def test_a_link_leads_to_the_web_or_nowhere(address: str) -> None:
    for html in (
        article_html(f"[a]({address})", DIRECT),
        article_html(f"<{address}>", DIRECT),
        listing_html(f'<a href="{address}">a</a>', DIRECT) or "",
    ):
        assert "href" not in html


def test_relative_addresses_of_pictures_are_not_ours() -> None:
    assert article_html("![a](/static/icon.svg)", DIRECT) == "<p></p>\n"
    assert listing_html('<p>a<img src="data:image/png;base64,xx"></p>', DIRECT) == "<p>a</p>"


def test_raw_html_keeps_what_is_text_and_loses_what_acts() -> None:
    html = listing_html(
        '<h1>T</h1><p class="x" style="color:red" onclick="x()" id="main">a <b>b</b><script>evil()</script></p>'
        '<iframe src="https://x.example"></iframe><form action="/logout"><button>b</button></form><style>*{}</style>',
        DIRECT,
    )
    assert html == "T<p>a <b>b</b></p>"


ALL_IMAGES: tuple[Images, ...] = ("direct", "click", "never")
QUOTED = (
    '<abbr title="x src=">a" b" onmouseover="alert(1)" tabindex=1 </abbr>',
    '<abbr title="x href=">a" b" onmouseover="alert(1)" tabindex=1 </abbr>',
    '<img alt="x src=">a" b" src=https://tracker.example/p.gif onerror=alert(1) <b>t</b>',
    '<a title="x src=" href="https://a.example/">a" b" onclick="alert(1)" </a>',
    '<abbr title="<img x=">a" src="https://tracker.example/" y="</abbr><abbr title="><img onerror=alert(1)">b</abbr>',
)
"""Attributes and text that, read together, look like an attribute: cutting it out opens the one before it."""


class Elements(HTMLParser):
    """What a browser would make of it: each element with the names of its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, frozenset[str]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, frozenset(name for name, _ in attrs)))


@pytest.mark.parametrize("images", ALL_IMAGES)
@pytest.mark.parametrize("hostile", QUOTED)
def test_what_stands_in_quotes_stays_in_quotes(hostile: str, images: Images) -> None:
    wanted = {("abbr", "title"), ("a", "href"), ("a", "title"), ("a", "rel")}
    for html in (listing_html(hostile, images) or "", article_html(hostile, images)):
        for tag, names in Elements(html).found:
            assert {(tag, name) for name in names} <= wanted


@pytest.mark.parametrize("images", ALL_IMAGES)
def test_text_that_shows_mark_up_is_left_as_it_is(images: Images) -> None:
    shown = '&lt;a href="foo"&gt; &lt;img src="/x.png"&gt;'
    assert listing_html(f"<code>{shown}</code>", images) == f"<code>{shown}</code>"
    assert article_html('`<a href="foo"> <img src="/x.png">`', images) == f"<p><code>{shown}</code></p>\n"


def test_raw_html_that_is_nothing_is_nothing() -> None:
    assert listing_html("<script>x</script>", DIRECT) is None
    assert listing_html("<!-- only -->", DIRECT) is None


def test_what_nests_too_deep_is_refused_quickly() -> None:
    began = time.process_time()
    assert listing_html("<div>" * 50_000 + "x", DIRECT) is None
    assert listing_html("<b>" * 50_000 + "x", DIRECT) in (None, "<p>x</p>")
    for deep in ("> " * 20_000, "- " * 20_000, "[" * 20_000, "*a " * 20_000, "`" * 20_000, "![" * 20_000):
        assert article_html(deep + "x", DIRECT) is not None
    assert time.process_time() - began < 5


def test_a_text_beyond_all_measure_is_cut() -> None:
    assert len(article_html("word " * 200_000, DIRECT)) < 410_000


def test_pictures_are_as_the_setting_says() -> None:
    source = '![A "q" <b>](https://x.example/i.png?a=1&b=2)'
    direct = article_html(source, "direct")
    address = "https://x.example/i.png?a=1&amp;b=2"
    assert f'<img src="{address}" alt="A &quot;q&quot; &lt;b&gt;"' in direct
    assert 'referrerpolicy="no-referrer"' in direct
    click = article_html(source, "click")
    assert "<img" not in click
    assert ">Show the picture: A &quot;q&quot; &lt;b&gt;</a>" in click
    assert f'<a class="picture" href="{address}" data-picture' in click
    assert article_html(source, "never") == "<p></p>\n"


def test_plain_paragraphs_are_escaped() -> None:
    assert plain_html(["a < b & c", "<script>"]) == "<p>a &lt; b &amp; c</p>\n<p>&lt;script&gt;</p>"


def test_a_listing_as_plain_text_keeps_its_blocks_and_nothing_else() -> None:
    html = "<h2>Версия 2</h2><p>第一 &lt;b&gt; <b>bold</b><br>line</p><ul><li>один</li><li>二</li></ul>"
    assert listing_text(html) == "Версия 2\n\n第一 <b> bold\nline\n\n• один\n• 二"
    assert listing_text("<script>x</script>") == ""


def test_pictures_in_feeds_have_only_attributes_that_every_reader_knows() -> None:
    assert listing_html('<img src="https://a.example/1.png" alt="图" onerror="x">', "plain") == (
        '<img src="https://a.example/1.png" alt="图">'
    )


def test_kept_html_is_shown_with_its_figures_and_checked_again() -> None:
    html = (
        '<figure><img src="https://a.example/p.jpg" alt="Пірс" width="640" height="480" onload="x()">'
        "<figcaption>The pier</figcaption></figure><script>x()</script><dl><dt>a</dt><dd>b<sup>2</sup></dd></dl><hr>"
    )
    assert kept_html(html, DIRECT) == (
        '<figure><img src="https://a.example/p.jpg" alt="Пірс" width="640" height="480" loading="lazy" '
        'decoding="async" referrerpolicy="no-referrer"><figcaption>The pier</figcaption></figure>'
        "<dl><dt>a</dt><dd>b<sup>2</sup></dd></dl><hr>"
    )
    assert kept_html("<div>" * 5000, DIRECT) == ""


@pytest.mark.parametrize(
    "tracker",
    [
        '<img src="https://a.example/x.png" width="1" height="1">',
        '<img src="https://a.example/x.png" height="0">',
        '<img src="https://www.facebook.com/tr?id=1">',
        '<img src="https://feeds.feedburner.com/~r/x/1">',
        '<img src="https://[broken/x.png">',
    ],
)
def test_what_only_counts_readers_is_never_loaded(tracker: str) -> None:
    for images in ALL_IMAGES:
        assert listing_html(f"<p>a{tracker}</p>", images) == "<p>a</p>"


def test_sizes_that_are_no_numbers_are_dropped() -> None:
    html = listing_html('<img src="https://a.example/x.png" width="100%" height="9999999">', DIRECT)
    assert html is not None
    assert "width" not in html
    assert "height" not in html


PICTURE = "https://a.example/lead-1024x768.jpg?x=1&y=2"


@pytest.mark.parametrize(
    ("text", "is_shown"),
    [
        ("<p>a</p>", True),
        ('<p>a</p><figure><img src="https://a.example/lead.jpg" alt=""></figure>', False),
        ('<p>a</p><img src="https://a.example/other.jpg">', True),
        ('<figure><img src="https://a.example/other.jpg"></figure><p>a</p>', False),
    ],
)
@pytest.mark.parametrize("images", ["direct", "click"])
def test_the_lead_image_stands_above_a_text_that_lacks_it(images: Images, text: str, is_shown: bool) -> None:
    lead = lead_html(PICTURE, kept_html(text, images), images)
    assert bool(lead) is is_shown
    if is_shown:
        assert "https://a.example/lead-1024x768.jpg?x=1&amp;y=2" in lead


def test_no_lead_image_where_none_may_be_loaded() -> None:
    assert lead_html(PICTURE, Markup("<p>a</p>"), "never") == ""
    assert lead_html('javascript:"x"', Markup("<p>a</p>"), DIRECT) == ""
    assert lead_html(None, Markup("<p>a</p>"), DIRECT) == ""


def test_a_thumbnail_has_a_fixed_size_and_no_referrer() -> None:
    html = thumbnail_html('https://a.example/"><script>', DIRECT)
    assert 'width="96" height="72" loading="lazy"' in html
    assert 'referrerpolicy="no-referrer"' in html
    assert "<script>" not in html
    for images in ("click", "never"):
        assert thumbnail_html(PICTURE, images) == ""


def test_a_tag_that_is_cut_hides_no_attributes() -> None:
    attributes = " ".join(f"a{number}=x" for number in range(50_000))
    start = time.process_time()
    assert listing_html(f"<p>before</p><b {attributes}", DIRECT) == "<p>before</p>"
    assert listing_html("<p>before</p>" + "y" * (MAX_CHARACTERS - 100_000) + f"<b {attributes}>", DIRECT)
    assert time.process_time() - start < CPU_LIMIT_S


@pytest.mark.parametrize("soup", ["[", "![", "*a ", "\\[", "_a", "<", "[a](b"])
def test_markdown_soup_is_shown_in_linear_time(soup: str) -> None:
    start = time.process_time()
    html = article_html(soup * (400_000 // len(soup)), DIRECT)
    assert time.process_time() - start < CPU_LIMIT_S
    assert html


def test_pictures_are_lines_where_only_text_is_shown() -> None:
    text = listing_text('<p>a</p><img src="https://a.example/x.png" alt="Кіт"><p>b</p>')
    assert text == "a\n\n▣ Кіт: https://a.example/x.png\n\nb"
    markdown = r"![Кіт \[1\]](https://a.example/a_b.png)" + "  \nCaption"
    assert picture_lines(markdown) == "▣ Кіт \\[1\\]: https://a\\.example/a\\_b\\.png  \nCaption"


def test_relative_links_in_a_feeds_content_lead_to_the_entrys_site() -> None:
    html = (
        '<a href="/о-нас?x=1">a</a> <img src="../图.png" alt=""> '
        '<a href="javascript:alert(1)">b</a> <a href="//[">c</a>'
    )
    shown = listing_html(html, "plain", "https://news.example/2026/story")
    assert shown is not None
    assert 'href="https://news.example/о-нас?x=1"' in shown
    assert 'src="https://news.example/图.png"' in shown
    assert "javascript" not in shown
    assert "//[" not in shown
    assert "href" not in (listing_html(html, "plain") or ""), "without a page they would lead to us"


def test_pictures_through_the_server_have_only_its_addresses() -> None:
    def ours(url: str) -> str:
        return f"/picture/abc?url={quote(url, safe='')}"

    address = "https://a.example/x.png?a=1&b=2"
    text = listing_html(f'<p>a<img src="{escape(address)}" alt="图"></p>', ours)
    assert text is not None
    assert f'<img src="{escape(ours(address))}" alt="图"' in text
    assert "https://a.example" not in text
    assert lead_html(address, text, ours) == "", "it is in the text already"
    assert escape(ours("https://a.example/y.png")) in lead_html("https://a.example/y.png", text, ours)
    assert escape(ours(address)) in thumbnail_html(address, ours)


@pytest.mark.parametrize("unit", ["- x\n", "a\n\n", "|x|y|\n", "*x* ", "> x\n\n", "[a](https://a.example) "])
def test_a_long_text_in_markdown_is_shown_whole_and_costs_little(unit: str) -> None:
    text = "|a|b|\n|-|-|\n" + unit * (MAX_CHARACTERS // len(unit) - 10) + "\n\nend"
    before = time.process_time()
    shown = article_html(text, DIRECT)
    # 0.1 on an idle machine; without the limit, several seconds.
    assert time.process_time() - before < 0.5
    assert "end" in shown


@pytest.mark.parametrize(
    "unit", ["<b>x</b>", "<p>x</p>", "<", '<a href="https://a.example/">x</a>', "<tr><td>x"]
)
def test_html_with_very_many_tags_ends_as_plain_text(unit: str) -> None:
    shown = listing_html("<table>" + unit * (MAX_CHARACTERS // len(unit) - 20) + " end", DIRECT)
    assert shown is not None
    assert len(re.findall("<[a-z]", shown)) <= 2 * MAX_TAGS
    assert "end" in shown


def test_of_very_many_pictures_some_are_shown() -> None:
    shown = listing_html('<img src="https://a.example/p.png">' * (MAX_PICTURES + 10), DIRECT)
    assert shown is not None
    assert shown.count("<img") == MAX_PICTURES


@pytest.mark.parametrize(
    ("html", "is_simple"),
    [
        ('<p>Plain, with <a href="/x" title="a b">a link</a><br/></p>', True),
        ("<p>" * 60, True),
        ("<p>" * 61, False),
        ("<p>cut <a href=", False),
        ('<a title="a>b" href="https://x.example/">x</a>', False),
        (f"<p {' '.join(f'a{n}' for n in range(600))}>x</p>", False),
        ("<p " + 'title="a" ' * 21 + ">x</p>", False),
        ("<!-- <p> -->x", False),
        ("<p onclick='x'>y</p>", False),
        ('<p>a &amp; b<br><a href="https://x.example/?a=1&amp;b">x</a></p>', True),
        ('<p>a</p><figure><img src="https://x.example/a.jpg" alt=" it\'s > a" width="90"></figure>', False),
        ('<p>a</p><figure><img src="https://x.example/a.jpg" alt=" it\'s a " width="90"></figure>', True),
        (
            '<img src="https://x.example/a.jpg?b&amp;c" alt="\'&amp;"><img src="https://x.example/1x1.gif">',
            True,
        ),
        ('<img src="https://x.example/a.jpg" alt="" width="2" height="90"> and words', True),
    ],
)
def test_only_texts_that_reach_no_limit_are_shown_without_counting_their_tags(
    html: str, is_simple: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sanitize._is_simple(html, sanitize.Budget()) is is_simple
    short = listing_html(html, "plain", "https://news.example/")
    for way in ("plain_html_or_none", "_is_simple"):
        monkeypatch.setattr(sanitize, way, lambda *_: None)
        assert short == listing_html(html, "plain", "https://news.example/"), "all ways give the same"
