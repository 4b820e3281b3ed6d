"""Pages made to hang the reader or exhaust its memory are handled in bounded time and memory.

Each runs in its own process with limits set by the system, so that a failure fails a test and not the machine.
"""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from inforadar.model.article import NotExtracted
from inforadar.stages.canonical import extract
from inforadar.stages.canonical.document.limits import MAX_BLOCK_DEPTH, TooComplexError, make_parseable
from tests.support.forked import Child, fork_server

pytestmark = pytest.mark.slow

CPU_SECONDS = 20
MEMORY = 1_500_000_000

HOSTILE: dict[str, tuple[Callable[[], str], str]] = {
    "half a million spaces between two words of code": (
        lambda: (
            "<article>"
            + "<p>The council voted on Tuesday to close the pier for years.</p>" * 20
            + "<p><code>x"
            + " " * 500_000
            + "x</code></p></article>"
        ),
        "partial",
    ),
    "a million nested elements": (lambda: "<div>" * 1_000_000, "FAIL_BAD_HTML"),
    "half a million nested and closed": (lambda: "<div>" * 500_000 + "</div>" * 500_000, "FAIL_BAD_HTML"),
    "a million nested spans": (lambda: "<span>" * 1_000_000 + "x", "FAIL_BAD_HTML"),
    "nested tables": (lambda: "<table><tr><td>" * 100_000, "FAIL_BAD_HTML"),
    "nested behind end tags that close nothing": (
        lambda: "<div><object></div></object>" * 120_000,
        "FAIL_BAD_HTML",
    ),
    "100,000 attributes": (
        lambda: "<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">x",
        "FAIL_BAD_HTML",
    ),
    "100,000 attributes with angle brackets": (
        lambda: "<p " + " ".join(f'a{i}=">"' for i in range(100_000)) + ">x",
        "FAIL_BAD_HTML",
    ),
    "100,000 attributes on a script": (
        lambda: "<script " + " ".join(f"a{i}" for i in range(100_000)) + ">",
        "FAIL_BAD_HTML",
    ),
    "more than ten million characters": (lambda: "word " * 2_100_000, "FAIL_BAD_HTML"),
    "a million empty elements": (lambda: "<br>" * 1_000_000, "FAIL_BAD_HTML"),
    "comments that never end": (lambda: "<!--" * 2_000_000, "FAIL_EMPTY"),
    "scripts that never end": (lambda: "<script>" * 1_000_000, "FAIL_EMPTY"),
    "only white space": (lambda: " \n" * 4_000_000, "FAIL_EMPTY"),
    "formatting left open": (
        lambda: "<p>" + "".join(f"<b id={i}>" for i in range(5_000)) + "<p>some words of text" * 5_000,
        "partial",
    ),
    "endless text": (lambda: "word " * 1_900_000, "partial"),
    "endless angle brackets": (lambda: "<" * 3_000_000, "partial"),
    "endless paragraphs": (lambda: "<p>Hello, this is a paragraph of text." * 200_000, "partial"),
    "an endless title": (
        lambda: "<title>" + "a - " * 1_000_000 + "</title>" + "<p>words of text, many</p>" * 9,
        "partial",
    ),
    "deeply nested JSON-LD": (
        lambda: (
            "<script type=application/ld+json>" + "[" * 400_000 + "</script>" + "<p>words, many words</p>" * 9
        ),
        "partial",
    ),
}


def outcome_of(name: str) -> str:
    """Return what a page ends in; in a forked child."""
    body, _ = HOSTILE[name]
    page = "<html><head><meta charset=utf-8></head><body>" + body()
    found = extract(page.encode(), "https://example.com/story", "text/html")
    return found.code.value if isinstance(found, NotExtracted) else "partial"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_ends_in_bounded_time_and_memory(name: str) -> None:
    limits = {resource.RLIMIT_CPU: CPU_SECONDS, resource.RLIMIT_AS: MEMORY}
    child = Child(function=f"{__name__}:outcome_of", arguments=(name,), limits=limits)
    ended = fork_server(__name__).call(child)
    assert (ended.code, ended.result) == (0, HOSTILE[name][1])


def test_tags_in_scripts_and_comments_do_not_count() -> None:
    inside = "<div>" * (MAX_BLOCK_DEPTH + 1)
    for page in (f"<script>{inside}</script>", f"<!-- {inside} -->", f"<style>{inside}</style>"):
        assert make_parseable(page) == page


def test_what_hides_behind_a_comment_or_a_script_counts() -> None:
    deep = "<div>" * (MAX_BLOCK_DEPTH + 1)
    for page in (
        f"<!-- -> <a x=' -->{deep}'>",
        f"<script>'</style <a x='</script>{deep}",
        f"<!-->{deep}-->",
        f"<!--!><script>-->{deep}",
        f"<!x <script>{deep}",
        f"<script><!--<script></script><title></script>{deep}",
        f"<svg><title>{deep}",
        "<div><object></div></object>" * (MAX_BLOCK_DEPTH + 1),
        "<div></div-x>" * (MAX_BLOCK_DEPTH + 1),
        f"<SCRIPT></ScRiPt>{deep}",
    ):
        with pytest.raises(TooComplexError):
            make_parseable(page)


def test_many_siblings_are_no_depth() -> None:
    siblings = ("<li><p>one<div>two</div>", "<table><td><div>two</table>", "<object><b><p>one</object>")
    for sibling in siblings:
        page = f"<ul>{sibling * 20_000}</ul>"
        assert make_parseable(page) == page


def test_formatting_tags_are_dropped_only_where_they_pile_up() -> None:
    normal = "<p><b>bold</b> <i>text</i></p>" * 100
    assert make_parseable(normal) == normal
    piled = "".join(f"<b id={i}>" for i in range(100)) + "<p>text</p><body>"
    assert make_parseable(piled) == "<p>text</p><body>"
