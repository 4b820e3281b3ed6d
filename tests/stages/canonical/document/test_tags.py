"""Tags are found exactly where the parser finds them."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from inforadar.stages.canonical.document.tags import read_tags

PIECES = (
    *("<q>",) * 6,
    "<", ">", "/", "=", "-", "!", '"', "'", " ", "\n", "\f", "\xa0", "x", "a=", "\u212a",
    "<!--", "-->", "--!>", "<!-->", "<!--->", "<!", "<?", "</", "<p>", "<i>", "</i>", "<b x=", "<a ",
    "<script>", "</script>", "<script", "</script", "<title>", "</title>", "<style>", "</style >",
    "<textarea>", "</textarea>", "<xmp>", "</xmp>", "<iframe>", "</iframe>",
)  # fmt: skip


def count(html: str) -> int:
    return sum(name == "q" for name, _, _ in read_tags(html))


def parsed(html: str) -> int:
    return len(LexborHTMLParser(html).css("q"))


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@example("<!--!><script>--><q>")
@example("<!x <script><q>")
@example("</3 <script><q>")
@example("<script><!--<script></script><title></script><q>")
@example('<b a=="><q>">')
@example('<b /="><q>">')
@example("<b x='<q>")
@settings(max_examples=400, deadline=None)
def test_as_many_tags_are_seen_as_the_parser_makes_elements(pieces: str) -> None:
    page = f"<!doctype html><body><q>{pieces}"
    assert count(page) == parsed(page)


@pytest.mark.parametrize(
    "page", ["<!-->", "<!--->", "<!---->", "<!-- a --!>", "<!-- <!-- -->", "<!-- -> > -->"]
)
def test_where_a_comment_ends_tags_begin(page: str) -> None:
    assert count(f"{page}<q>") == 1


@pytest.mark.parametrize("page", ["<!--!>", "<!---!>", "<!-- -- >", "<!-- ->", "<!--<!-"])
def test_what_only_looks_like_the_end_of_a_comment_is_none(page: str) -> None:
    assert count(f"{page}<q>") == 0


@pytest.mark.parametrize("name", ["title", "style", "script", "xmp"])
def test_in_svg_and_mathml_nothing_is_raw_text(name: str) -> None:
    for outer in ("svg", "math"):
        assert count(f"<{outer}><{name}><q>") == 1
        assert count(f"<{outer}></{outer}><{name}><q>") == 0
        assert count(f"<{outer}/><{name}><q>") == 0


def test_a_name_is_read_to_its_end() -> None:
    assert [name for name, _, _ in read_tags("<DIV></div-x><x:y></Bloc\u212aquote>")] == [
        "div", "/div-x", "x:y", "/Bloc\u212aquote",
    ]  # fmt: skip
