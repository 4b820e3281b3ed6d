"""The fence around an article: what is removed, what is cut, and what can never escape."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.model.analysis import Subject
from inforadar.stages.analyze.llm.fence import (
    cut,
    estimate_tokens,
    new_boundary,
    readable,
    render_article,
    without_markup,
)


def fenced(**fields: str) -> list[str]:
    given = {"url": "https://a.example/", "title": "t", "description": "d", "text": "x"} | fields
    return render_article(Subject(**given), "c0de", max_tokens=500).splitlines()


@given(st.text(), st.text(), st.text())
def test_whatever_is_written_stays_one_line_of_json(title: str, description: str, text: str) -> None:
    lines = fenced(title=title, description=description, text=text)
    assert len(lines) == 5
    assert set(json.loads(lines[2])) == {"title", "description", "text", "language"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("<p>One</p><p>two &amp; three</p>", "One two & three"),
        ("a < b and b > c", "a < b and b > c"),
        ("if x<y: <b>bold</b>", "if x<y: bold"),
        ("<script>alert('<b>')</script>Text", "Text"),
        ("<STYLE>p{}</style >Text", "Text"),
        ("Text<!-- hidden --> goes on", "Text goes on"),
        ("Text<!-- never closed", "Text<!-- never closed"),
        ("&lt;script&gt;x&lt;/script&gt;y", "y"),
        ("Donau\u00addampfer \u202eevil\u202c", "Donaudampfer evil"),
        ("👩\u200d🚀 می\u200cخواهم", "👩\u200d🚀 می\u200cخواهم"),
        ("a\x00b\x1b[31mc", "a b [31mc"),
        ("one\r\n\r\n\r\n  two\t three", "one\ntwo three"),
        ("Привет, 世界! مرحبا", "Привет, 世界! مرحبا"),
        (f"x &#{'9' * 5_000}; y", "x \ufffd y"),
    ],
)
def test_the_model_reads_what_a_person_would(written: str, read: str) -> None:
    assert readable(written, 1000) == read


@pytest.mark.parametrize("unit", ["<script ", "<!--", "<", "<a", "&", "&lt;", "<style>", "<p>"])
def test_a_megabyte_of_beginnings_takes_no_time(unit: str) -> None:
    began = time.process_time()
    without_markup(unit * (2**20 // len(unit)))
    assert time.process_time() - began < 5.0


@given(st.text(), st.integers(0, 40))
def test_what_is_cut_fits(text: str, limit: int) -> None:
    mark = len(" […]".encode())
    assert len(cut(text, limit).encode()) <= max(limit + mark, len(text.encode("utf-8", "replace")))


def test_it_is_cut_at_a_word_and_says_so() -> None:
    assert cut("one two three four", 14) == "one two three […]"
    assert cut("一二三四", 7) == "一二 […]"
    assert cut("short", 5) == "short"


def test_a_long_article_is_cut_to_the_budget() -> None:
    lines = fenced(title="t" * 9000, description="d" * 9000, text="слово " * 100_000)
    assert 300 < estimate_tokens(lines[2]) < 600


def test_each_call_has_a_code_of_its_own() -> None:
    assert len({new_boundary() for _ in range(100)}) == 100
