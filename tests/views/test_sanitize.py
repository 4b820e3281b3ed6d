from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from markupsafe import Markup

from inforadar.model.analysis import Score
from inforadar.views.sanitize import (
    IN_TEXTS,
    Images,
    Marker,
    article_html,
    listing_html,
    listing_text,
    marker_for,
    plain_html,
)
from tests.support.faces.newsroom import analysis

DIRECT: Images = "direct"
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
    assert listing_html("<b>" * 50_000 + "x", DIRECT) in (None, "x")
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


def mark(word: str, reason: str = "Counts as framing") -> str:
    return f'<mark class="word" tabindex="0" data-reason="{reason}" title="{reason}">{word}</mark>'


@pytest.mark.parametrize(
    ("words", "plain", "marked"),
    [
        (("slams",), "He SLAMS it, slamsy", f"He {mark('SLAMS')} it, slamsy"),
        (("most insane",), "The most insane of all", f"The {mark('most insane')} of all"),
        (("most", "the most"), "The most of most", f"{mark('The most')} of {mark('most')}"),
        (("震惊",), "太震惊了！", f"太{mark('震惊')}了！"),
        (("шок",), "ШОК! шокировал", f"{mark('ШОК')}! шокировал"),
        (("صدمة",), "صدمة كبيرة", f"{mark('صدمة')} كبيرة"),
        (("!!",), "What!!", f"What{mark('!!')}"),
        (("amp", "lt"), "R&D < 5 amp", f"R&amp;D &lt; 5 {mark('amp')}"),
        (("R&D",), "all R&D now", f"all {mark('R&amp;D')} now"),
        (("<b>",), "a <b> b", f"a {mark('&lt;b&gt;')} b"),
        ((".*", "(a"), "a.*b (a", f"a{mark('.*')}b {mark('(a')}"),
        ((), "as it is", "as it is"),
    ],
)  # fmt: skip
def test_words_are_marked_in_titles(words: tuple[str, ...], plain: str, marked: str) -> None:
    assert Marker(dict.fromkeys(words, "Counts as framing")).text(plain) == marked


def test_words_are_marked_in_texts_but_never_inside_of_tags() -> None:
    html = Markup(
        '<p title="slams">He <a href="https://slams.example/" title="a > slams">slams</a> &amp;</p>'
    )
    marker = Marker({"slams": 'says "x"', "amp": "x", "title": "x", "p": "x"})
    reason = "says &quot;x&quot;"
    expected = str(html).replace(">slams<", f">{mark('slams', reason)}<")
    assert marker.html(html) == expected


def test_words_are_not_marked_inside_of_a_picture_that_is_a_link() -> None:
    html = article_html("![he slams](https://slams.example/i.png)", "click")
    marked = Marker({"slams": "Counts as framing"}).html(html)
    assert marked == str(html).replace("he slams</a>", f"he {mark('slams')}</a>")


def test_a_word_has_all_its_reasons_and_bait_is_marked_in_titles_only() -> None:
    words = Score(value=0.9, reason="", words=("furious", " "))
    bait = Score(value=0.9, reason="", words=("this",))
    found = analysis(0.9, framing=words, hyper_stimulus=words, clickbait=bait)
    title = marker_for(found).text("this furious")
    assert (
        title
        == f"{mark('this', 'Counts as clickbait')} {mark('furious', 'Counts as framing, hyper stimulus')}"
    )
    assert "this " in marker_for(found, IN_TEXTS).text("this furious")
    assert marker_for(None).text("<plain>") == "&lt;plain&gt;"


def test_words_beyond_counting_are_left_unmarked() -> None:
    assert Marker({"a": "x"}).text("a " * 5000).count("<mark") == 400


def test_a_listing_as_plain_text_keeps_its_blocks_and_nothing_else() -> None:
    html = "<h2>Версия 2</h2><p>第一 &lt;b&gt; <b>bold</b><br>line</p><ul><li>один</li><li>二</li></ul>"
    assert listing_text(html) == "Версия 2\n\n第一 <b> bold\nline\n\n• один\n• 二"
    assert listing_text("<script>x</script>") == ""


def test_pictures_in_feeds_have_only_attributes_that_every_reader_knows() -> None:
    assert listing_html('<img src="https://a.example/1.png" alt="图" onerror="x">', "plain") == (
        '<img src="https://a.example/1.png" alt="图">'
    )
