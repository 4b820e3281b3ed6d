"""Seed 3's progress lines, harmless on a terminal."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inforadar.cli.item.canonical import canon_lines
from inforadar.cli.terminal.output import safe_text
from inforadar.model.article import Extracted, FailureCode, NotExtracted
from inforadar.model.ids import LeaseToken, Uid
from inforadar.pipeline.articles import ArticleProgress
from inforadar.store.articles.claims import ArticleJob
from inforadar.store.articles.save import ArticleEnding


def job(url: str = "https://example.com/xyz") -> ArticleJob:
    return ArticleJob(
        uid=Uid("fb18a22e994f51c0"), url=url, category="news", attempts=0, token=LeaseToken("t")
    )


def ended(result: Extracted | NotExtracted) -> ArticleProgress:
    ending = ArticleEnding(job=job(), at=datetime(2026, 3, 14, tzinfo=UTC), result=result)
    return ArticleProgress(job=job(), ending=ending)


def test_the_lines_are_the_seeds() -> None:
    assert canon_lines(ArticleProgress(job=job())) == ["[canon] 🌐 Fetching → https://example.com/xyz"]
    stored = canon_lines(ended(Extracted(clean_text="text", markdown="text")))
    assert stored == ["[canon] ✅ Stored canonical → fb18a22e994f51c0"]
    failed = canon_lines(ended(NotExtracted(code=FailureCode.BAD_HTML, detail="only 3 bytes")))
    assert failed == [
        "[canon] ⚠️ Bad HTML → skip",
        "[canon]    FAIL_BAD_HTML https://example.com/xyz: only 3 bytes",
    ]


@pytest.mark.parametrize("code", list(FailureCode))
def test_every_failure_has_a_line(code: FailureCode) -> None:
    first, second = canon_lines(ended(NotExtracted(code=code, detail="why")))
    assert first.startswith("[canon] ⚠️ ")
    assert code.value in second


def test_a_hostile_url_or_detail_does_nothing_to_a_terminal() -> None:
    hostile = "https://example.com/\x1b]0;owned\x07\n[canon] ✅ Stored\u202e"
    (line,) = canon_lines(ArticleProgress(job=job(hostile)))
    assert line.isprintable()
    for line in canon_lines(ended(NotExtracted(code=FailureCode.HTTP, detail=hostile))):
        assert line.replace("️", "").isprintable()


def test_a_whole_text_keeps_its_lines_and_nothing_else() -> None:
    text = "# Title\r\n\r\n\tcode\x1b[31m\n\u202eback\u0000 中文 🛟"
    assert safe_text(text) == "# Title\n\n    code[31m\nback 中文 🛟"
