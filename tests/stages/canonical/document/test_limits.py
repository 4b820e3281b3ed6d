"""Pages made to hang the reader or exhaust its memory are handled in bounded time and memory.

Each runs in its own process with limits set by the system, so that a failure fails a test and not the machine.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from inforadar.stages.canonical.document.limits import MAX_BLOCK_DEPTH, TooComplexError, make_parseable
from tests.support.paths import SOURCE

pytestmark = pytest.mark.slow

CPU_SECONDS = 20
MEMORY = 1_500_000_000

HOSTILE = {
    "half a million spaces between two words of code": (
        "'<article>' + '<p>The council voted on Tuesday to close the pier for years.</p>' * 20 + '<p><code>x'"
        " + ' ' * 500_000 + 'x</code></p></article>'",
        "partial",
    ),
    "a million nested elements": ("'<div>' * 1_000_000", "FAIL_BAD_HTML"),
    "half a million nested and closed": ("'<div>' * 500_000 + '</div>' * 500_000", "FAIL_BAD_HTML"),
    "a million nested spans": ("'<span>' * 1_000_000 + 'x'", "FAIL_BAD_HTML"),
    "nested tables": ("'<table><tr><td>' * 100_000", "FAIL_BAD_HTML"),
    "nested behind end tags that close nothing": (
        "'<div><object></div></object>' * 120_000",
        "FAIL_BAD_HTML",
    ),
    "100,000 attributes": ("'<p ' + ' '.join(f'a{i}=1' for i in range(100_000)) + '>x'", "FAIL_BAD_HTML"),
    "100,000 attributes with angle brackets": (
        "'<p ' + ' '.join(f'a{i}=\">\"' for i in range(100_000)) + '>x'",
        "FAIL_BAD_HTML",
    ),
    "100,000 attributes on a script": (
        "'<script ' + ' '.join(f'a{i}' for i in range(100_000)) + '>'",
        "FAIL_BAD_HTML",
    ),
    "more than ten million characters": ("'word ' * 2_100_000", "FAIL_BAD_HTML"),
    "a million empty elements": ("'<br>' * 1_000_000", "FAIL_BAD_HTML"),
    "comments that never end": ("'<!--' * 2_000_000", "FAIL_EMPTY"),
    "scripts that never end": ("'<script>' * 1_000_000", "FAIL_EMPTY"),
    "only white space": ("' \\n' * 4_000_000", "FAIL_EMPTY"),
    "formatting left open": (
        "'<p>' + ''.join(f'<b id={i}>' for i in range(5_000)) + '<p>some words of text' * 5_000",
        "partial",
    ),
    "endless text": ("'word ' * 1_900_000", "partial"),
    "endless angle brackets": ("'<' * 3_000_000", "partial"),
    "endless paragraphs": ("'<p>Hello, this is a paragraph of text.' * 200_000", "partial"),
    "an endless title": (
        "'<title>' + 'a - ' * 1_000_000 + '</title>' + '<p>words of text, many</p>' * 9",
        "partial",
    ),
    "deeply nested JSON-LD": (
        "'<script type=application/ld+json>' + '[' * 400_000 + '</script>' + '<p>words, many words</p>' * 9",
        "partial",
    ),
}

PROGRAM = textwrap.dedent(
    """
    import resource, sys
    resource.setrlimit(resource.RLIMIT_CPU, ({cpu}, {cpu}))
    resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
    from inforadar.stages.canonical import extract
    page = "<html><head><meta charset=utf-8></head><body>" + {body}
    found = extract(page.encode(), "https://example.com/story", "text/html")
    sys.stdout.write(found.code.value if hasattr(found, "code") else "partial")
    """
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_ends_in_bounded_time_and_memory(name: str) -> None:
    body, expected = HOSTILE[name]
    program = PROGRAM.format(cpu=CPU_SECONDS, memory=MEMORY, body=body)
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, timeout=100, check=False, env={"PYTHONPATH": str(SOURCE)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout == expected


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
