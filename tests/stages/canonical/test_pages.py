"""Whole pages modelled on real layouts: the fields of each, and the quality over all of them.

`tests/data/pages/*.html` were written for this test; the expected result is next to each.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from inforadar.model.article import Extracted, NotExtracted
from inforadar.stages.canonical import extract
from tests.support.paths import DATA

PAGES = DATA / "pages"
EXPECTED = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(PAGES.glob("*.json"))}
ARTICLES = {name: expected for name, expected in EXPECTED.items() if "failure" not in expected}
FAILURES = {name: expected for name, expected in EXPECTED.items() if "failure" in expected}

PINNED_F1 = 1.0
"""The extractor's quality on these pages; a change that lowers it must say why."""

CJK = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}]+")


def read(name: str) -> Extracted | NotExtracted:
    expected = EXPECTED[name]
    return extract((PAGES / f"{name}.html").read_bytes(), expected["url"], expected.get("content_type", ""))


def article(name: str) -> Extracted:
    found = read(name)
    assert isinstance(found, Extracted), found
    return found


def shingles(text: str) -> Counter[tuple[str, ...]]:
    words = TOKEN.findall(unicodedata.normalize("NFC", text).lower())
    return Counter(tuple(words[i : i + 4]) for i in range(max(1, len(words) - 3)))


def f1(found: str, expected: str) -> float:
    a, b = shingles(found), shingles(expected)
    return 2 * sum((a & b).values()) / (sum(a.values()) + sum(b.values()))


@pytest.mark.parametrize("name", ARTICLES)
def test_the_main_text_and_nothing_else_comes_out(name: str) -> None:
    assert article(name).clean_text == ARTICLES[name]["text"]


@pytest.mark.parametrize("name", ARTICLES)
def test_every_field_that_the_page_gives_is_found(name: str) -> None:
    found, expected = article(name), ARTICLES[name]
    for field in ("title", "author", "language", "site_name", "image", "canonical_url", "abstract"):
        if field in expected:
            assert getattr(found, field) == expected[field], field
    for field in ("published_at", "updated_at"):
        if field in expected:
            assert getattr(found, field) == datetime.fromisoformat(expected[field]), field


@pytest.mark.parametrize("name", [name for name, expected in ARTICLES.items() if "markdown_has" in expected])
def test_markdown_keeps_the_structure(name: str) -> None:
    markdown = article(name).markdown
    for part in ARTICLES[name]["markdown_has"]:
        assert part in markdown


@pytest.mark.parametrize("name", FAILURES)
def test_a_page_that_is_no_article_says_so(name: str) -> None:
    found, expected = read(name), FAILURES[name]
    assert isinstance(found, NotExtracted), found
    assert (found.code.value, found.detail) == (expected["failure"], expected["detail"])


def test_the_quality_over_all_pages_does_not_fall() -> None:
    scores = {name: f1(article(name).clean_text, expected["text"]) for name, expected in ARTICLES.items()}
    assert len(scores) >= 15
    assert sum(scores.values()) / len(scores) >= PINNED_F1, sorted(scores.items(), key=lambda pair: pair[1])


def test_times_carry_a_zone() -> None:
    found: list[Any] = [
        getattr(article(name), field) for name in ARTICLES for field in ("published_at", "updated_at")
    ]
    times = [time for time in found if time is not None]
    assert times
    assert all(time.tzinfo is not None for time in times)


def test_lengths_are_counted_in_characters() -> None:
    found = article("portal_gb2312")
    page = (PAGES / "portal_gb2312.html").read_bytes()
    assert found.raw_len == len(page.decode("gb2312"))
    assert found.text_len == len(found.clean_text)
