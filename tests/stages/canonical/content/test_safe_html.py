"""Plain markup is passed on without the cleaner, and is what the cleaner would write."""

from __future__ import annotations

import pytest
from hypothesis import given
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
    *("word ", "\n", " ", "\u00a0", "\ufeff", "\u2028", "新闻", "'\"", "<P>", "<br/>", "<p >"),
)


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
        ("<p>a &amp; b</p>", False),
    ],
)
def test_only_plain_markup_needs_no_cleaner(html: str, is_plain: bool) -> None:
    assert bool(_IS_SAFE.fullmatch(html)) is is_plain
