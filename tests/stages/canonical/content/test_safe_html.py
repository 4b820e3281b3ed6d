"""Plain markup is passed on without the cleaner, and becomes what the cleaner would write."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inforadar.stages.canonical.content.safe_html import _CLEANER, _IS_SAFE, safe_html

PARTS = (
    *(
        "<p>",
        "</p>",
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<em>",
        "</em>",
        "<br>",
        "<h2>",
        "</h2>",
        "<code>",
        "</code>",
    ),
    *(
        "<blockquote>",
        "</blockquote>",
        "<hr>",
        "<script>",
        "</script>",
        "<a href='x'>",
        "</a>",
        "&amp;",
        "<",
        ">",
    ),
    *(
        '<a href="https://example.com/a?b&amp;c">',
        '<a href="http://1.2.3.4:80/">',
        '<a href="http://1.2.3.400/">',
        '<a href="https://example.com:99999/">',
        '<a href="https://xn--a.com">',
        '<a href="//example.com/">',
        '<img src="https://example.com/a.jpg" alt="A">',
        '<img src="https://a.example/" width="10" height="1234567">',
        '<img alt="A" src="https://a.example/">',
        "<figure>",
        "</figure>",
        "&lt;",
        "&nbsp;",
    ),
    *("word ", "\n", " ", "\u00a0", "\ufeff", "\u2028", "新闻", "'\"", "<P>", "<br/>", "<p >"),
)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(PARTS), max_size=9).map("".join))
def test_all_markup_is_written_as_the_cleaner_writes_it(html: str) -> None:
    assert safe_html(html) == _CLEANER.clean(html)


@pytest.mark.parametrize(
    ("html", "is_plain"),
    [
        ("Words, and no more.", True),
        ("<p>One <b>word</b>.<br>Two.</p>\n<p>Three.</p>" * 20, True),
        ("<p>One <b>word.</p>", False),
        ("<p onclick='x'>One.</p>", False),
        ("<p>a &amp; b</p>", True),
        ("<p>a &nbsp; b</p>", False),
        ('<p>See <a href="https://example.com:8080/a?b=1&amp;c=2#d">this</a>.</p>', True),
        ('<figure><img src="http://127.0.0.1/a.jpg" alt="A harbour" width="10" height="5"></figure>', True),
        ('<a href="https://example.com/"><img src="https://example.com/a.jpg"></a>', True),
        ('<a href="/a">relative</a>', False),
        ('<a href="javascript:alert(1)">script</a>', False),
        ('<a href="https://example.com/" onclick="x">script</a>', False),
        ('<img src="https://example.com/a.jpg" onerror="x">', False),
        ('<a href="https://example.com:99999/">no such port</a>', False),
        ('<a href="https://1.2.3.256/">no such host</a>', False),
        ('<a href="https://xn--a.com/">perhaps no such host</a>', False),
    ],
)
def test_only_plain_markup_needs_no_cleaner(html: str, is_plain: bool) -> None:
    assert bool(_IS_SAFE.fullmatch(html)) is is_plain
