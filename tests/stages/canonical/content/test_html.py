"""The article as it is kept: clean HTML, and the Markdown and plain text that are derived from it."""

from __future__ import annotations

import re
import time
from collections import Counter
from html import escape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from inforadar.model.article import Extracted
from inforadar.stages.canonical import extract
from inforadar.stages.canonical.content.inline_markdown import inline_markdown
from inforadar.stages.canonical.content.safe_html import safe_html

URL = "https://example.com/news/story-1"
P = (
    "<p>The harbour council voted eight to three on Tuesday evening to close the old pier for two years.</p>"
    "<p>Engineers told the meeting that many of the wooden piles no longer carry any load at all, sadly.</p>"
)
REL = ' rel="noopener noreferrer nofollow"'
CPU_LIMIT_S = 4.0
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def article(body: str) -> Extracted:
    found = extract(
        f"<!doctype html><html lang=en><head><title>Pier closed</title></head><body><article>{P}{body}"
        f"</article></body></html>".encode(),
        URL,
    )
    assert isinstance(found, Extracted), found
    return found


def kept(body: str) -> str:
    """The HTML that is kept of a part of an article."""
    html = article(body).html
    assert html.startswith("<p>The harbour council")
    return html.split("</p>\n", 2)[2] if html.count("</p>\n") > 1 else ""


class Shape(HTMLParser):
    """The elements with a meaning, the text, and what is emphasized."""

    NAMED = frozenset(
        [
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "ul",
            "ol",
            "li",
            "blockquote",
            "pre",
            "hr",
            "table",
            "tr",
            "th",
            "td",
            "a",
            "img",
            "code",
            "strong",
            "em",
            "s",
        ]
    )

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self.NAMED:
            self.tags[tag] += 1
        if tag in ("td", "th"):
            self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += data


def words(html: str) -> str:
    return " ".join(Shape(html).text.split())


@pytest.mark.parametrize(
    ("body", "html"),
    [
        ("<h3>Что дальше</h3><p>Дальше ничего нет.</p>", "<h3>Что дальше</h3>\n<p>Дальше ничего нет.</p>"),
        ("<h1>Very top</h1><p>Under the top.</p>", "<h2>Very top</h2>\n<p>Under the top.</p>"),
        ("<p>H<sub>2</sub>O and 10<sup>6</sup></p>", "<p>H<sub>2</sub>O and 10<sup>6</sup></p>"),
        ("<p>Before it</p><hr><p>and after it</p>", "<p>Before it</p>\n<hr>\n<p>and after it</p>"),
        (
            "<dl><dt>Pier</dt><dd>A <b>jetty</b></dd><dt>桟橋</dt><dd>Pier</dd></dl><p>End.</p>",
            "<dl>\n<dt>Pier</dt>\n<dd>A <strong>jetty</strong></dd>\n<dt>桟橋</dt>\n<dd>Pier</dd>\n</dl>\n<p>End.</p>",
        ),
        (
            "<ol start=3><li>three<ul><li>inner</li></ul></li><li><p>four</p><p>more</p></li></ol>",
            '<ol start="3">\n<li>three\n<ul>\n<li>inner</li>\n</ul>\n</li>\n'
            "<li>\n<p>four</p>\n<p>more</p>\n</li>\n</ol>",
        ),
        (
            "<blockquote><p>He said so.</p><ul><li>one</li><li>two</li></ul></blockquote>",
            "<blockquote>\n<p>He said so.</p>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n</blockquote>",
        ),
        (
            "<pre class='language-py'><code class=x>if a &lt; b:\n    <span>print</span>()</code></pre>",
            "<pre><code>if a &lt; b:\n    print()</code></pre>",
        ),
        (
            "<table><tr><th>Year<th>Ships<tr><th>2025<td colspan=2>7 | 8</table>",
            '<table>\n<thead>\n<tr><th>Year</th><th>Ships</th></tr>\n</thead>\n<tbody>\n'
            '<tr><th>2025</th><td colspan="2">7 | 8</td></tr>\n</tbody>\n</table>',
        ),
        (
            "<p>See <a href='/plan?a=1&b=2' onclick=x()>the <i>plan</i></a> and <a href='javascript:x()'>this</a></p>",
            f'<p>See <a href="https://example.com/plan?a=1&amp;b=2"{REL}>the <em>plan</em></a> and this</p>',
        ),
        ("<p>a <b> bold </b>word and <b></b>none</p>", "<p>a <strong>bold</strong> word and none</p>"),
        ("<p><b>one<b> two</b></b><b> three</b></p>", "<p><strong>one two</strong> <strong>three</strong></p>"),
        ("<p><b>con</b><b>crete</b></p>", "<p><strong>concrete</strong></p>"),
        ("<p>one<br>two</p>", "<p>one<br>\ntwo</p>"),
        (
            "<div>A <b>bold verse<br><br>goes on</b> here</div>",
            "<p>A <strong>bold verse</strong></p>\n<p><strong>goes on</strong> here</p>",
        ),
        ("<p>1 &lt; 2 &amp; <script>x()</script>&lt;script&gt;</p>", "<p>1 &lt; 2 &amp; &lt;script&gt;</p>"),
    ],
)  # fmt: skip
def test_an_article_is_kept_as_clean_html(body: str, html: str) -> None:
    assert kept(body) == html


def test_kept_html_is_what_the_sanitizer_leaves() -> None:
    body = (
        "<ul><li>a<ol><li>b<blockquote>c<dl><dt>d<dd>e<p>f</p></dl></blockquote></ol></ul>"
        '<figure><img src="/a.jpg" alt="&quot;x&quot; <b>"><figcaption>Кот & <a href=/k>кіт</a></figcaption></figure>'
    )
    html = article(body).html
    assert safe_html(html) == html


def test_nesting_that_never_ends_is_cut_short() -> None:
    html = article("<ul><li>x" * 60 + "<p>The innermost text of them all</p>").html
    assert "The innermost text of them all" in html
    assert html.count("<ul>") < 10


RICH = (
    "<h3>C#</h3><p><b>Bold</b>, <i>italic</i>, <b>both <i>at</i> once</b> and <code>a ` b</code>.</p>"
    "<ul><li>one<ol><li>a</li><li>b</li></ol></li><li>two</li></ul><ul><li>another list</li></ul>"
    "<ol start=99><li>x</li><li>y<pre>code\n    more</pre></li></ol>"
    "<blockquote><p>said</p><blockquote><p>again</p></blockquote></blockquote><hr>"
    "<table><tr><th>a</th><th>b|c</th></tr><tr><td><code>|</code></td><td><a href='/x(y)'>z</a></td></tr></table>"
    "<p>Wow!<a href='/p?a=1&copy;=2'>link</a></p><p>- not a list</p><p>1) nor this</p><p>---</p><p>&gt; nor a quote</p>"
    "<p>a line<br>===<br># b</p><p>    no code</p><p>&amp;copy; stays</p><p>~~kept~~ and ~~~</p>"
    "<p>| a | b |<br>|---|---|</p>"
)


@pytest.mark.parametrize("body", [RICH, RICH * 3])
def test_markdown_is_read_back_as_the_same_structure(body: str) -> None:
    found = article(body)
    rendered = MARKDOWN.render(found.markdown)
    assert Shape(rendered).tags == Shape(found.html).tags
    assert words(rendered) == words(found.html)


@pytest.mark.parametrize(
    "inner",
    [
        'foo<b>"bar"</b>baz',
        "слово<b>«цитата»</b>слово",
        "<b>a</b><i>b</i><b>c</b>",
        "<b><i>a</i></b><i>b</i>",
        "<i>a<b>b</b></i>c<b>d</b>",
        "<b>(a)</b>b",
        "中文<b>「引用」</b>中文",
        "a<i>b</i>c<b>d</b>e",
        "<b>*</b> and <i>_</i>",
        "<s>~</s><s>a</s>b",
        "<b>x <br> y</b>",
        "<q>عربي</q><b>🌞</b>z",
        "<b>a </b><b> b</b><i> c</i>",
    ],
)
def test_no_mark_is_shown_as_it_stands(inner: str) -> None:
    found = article(f"<p>{inner}</p>")
    rendered = words(MARKDOWN.render(found.markdown))
    assert rendered.replace("“", "").replace("”", "") == words(found.html)


@given(
    st.lists(
        st.tuples(st.sampled_from(("", "b", "i", "s", "a")), st.text("ab *_`~[]!<&;«»中ж-", max_size=5)),
        max_size=6,
    )
)
def test_whatever_is_emphasized_no_mark_becomes_text(parts: list[tuple[str, str]]) -> None:
    body = "".join(f"<{tag} href=/x>{escape(text)}</{tag}>" if tag else escape(text) for tag, text in parts)
    found = article(f"<p>Start {body} end</p>")
    rendered = MARKDOWN.render(found.markdown)
    assert words(rendered) == words(found.html)
    assert Shape(rendered).tags["a"] == Shape(found.html).tags["a"]


@pytest.mark.parametrize(
    "soup", ["[" * 50_000, "*" * 50_000, "*a _b " * 10_000, "![" * 30_000, "<b>x</b>" * 20_000, "`" * 50_000]
)
def test_soups_of_signs_are_read_back_in_linear_time(soup: str) -> None:
    start = time.process_time()
    found = article(f"<p>{soup}</p>")
    rendered = MARKDOWN.render(found.markdown)
    assert time.process_time() - start < CPU_LIMIT_S
    assert re.sub(r"\s+", "", words(rendered)) == re.sub(r"\s+", "", words(found.html))


def test_raised_figures_become_letters_where_there_are_some() -> None:
    assert inline_markdown("10<sup>6</sup> CO<sub>2</sub> 2<sup>nd</sup>") == "10⁶ CO₂ 2nd"


def test_thousands_of_links_to_long_addresses_are_kept_as_text() -> None:
    links = "".join(f"<a href=x{number}>слово{number}</a> " for number in range(5_000))
    found = extract(
        f"<article>{P}<p>{links}and the end of it all.</p></article>".encode(), f"{URL}/{'d' * 1500}/x"
    )
    assert isinstance(found, Extracted)
    assert "слово4999 and the end of it all." in found.html
    assert len(found.html) < 1_000_000
