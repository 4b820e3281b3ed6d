"""Single values: texts, addresses, dates, languages."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.errors import InvalidUrlError
from inforadar.stages.publish.addresses import web_address
from inforadar.stages.publish.dates import rfc822, rfc3339
from inforadar.stages.publish.languages import language_tag
from inforadar.stages.publish.text import (
    clean,
    clean_markup,
    defuse_markup,
    isolate_direction,
    paragraphs_html,
)


@given(st.text())
def test_the_fast_way_of_cleaning_does_what_the_plain_way_does(text: str) -> None:
    assert clean_markup(text) == clean(text)


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize("sign", ["\x00", "\x0b", "\x1f", "\x7f", "\x80", "\ud800", "\ufffe", "\uffff"])
def test_a_forbidden_character_is_dropped(sign: str) -> None:
    assert clean(f"a{sign}b") == clean_markup(f"a{sign}b") == "ab"


def test_line_ends_become_line_feeds() -> None:
    assert clean("a\r\nb\rc\x85d\te") == "a\nb\nc\nd\te"


@pytest.mark.parametrize("text", ["Привет, мир", "新闻", "مرحبا", "👩‍👩‍👧", "é \u00a0 \u2060", "\U0010fffd"])
def test_every_script_is_kept(text: str) -> None:
    assert clean(text) == clean_markup(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1 < 2 & 3 > 2, AT&T", "1 < 2 & 3 > 2, AT&T"),
        ("the <b> tag", "the <\u2060b> tag"),
        ("</b><!-- &amp; &#38;", "<\u2060/b><\u2060!-- &\u2060amp; &\u2060#38;"),
    ],
)
def test_only_what_looks_like_markup_is_disarmed(text: str, shown: str) -> None:
    assert defuse_markup(text) == shown


def test_a_text_from_left_to_right_needs_no_isolation() -> None:
    assert isolate_direction("Minister \u202eanswers") == "Minister answers"


def test_paragraphs_and_lines_are_kept() -> None:
    assert paragraphs_html("a\nb\r\n \r\n<c>\n") == "<p>a<br/>b</p><p>&lt;c&gt;</p>"
    assert paragraphs_html(" \n ") == ""


@pytest.mark.parametrize(
    ("given_", "strict"),
    [
        ("https://example.com/a?b=1&c=%20#d", "https://example.com/a?b=1&c=%20#d"),
        ("https://example.com/?q={a}|b^c`[d]", "https://example.com/?q=%7Ba%7D%7Cb%5Ec%60%5Bd%5D"),
        ("https://example.com/100%", "https://example.com/100%25"),
        ("https://example.com/новости", "https://example.com/%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8"),
        ("https://пример.рф", "https://xn--e1afmkfd.xn--p1ai/"),
        ("http://[2001:db8::1]:8080/a|b", "http://[2001:db8::1]:8080/a%7Cb"),
        ("https://example.com/#a#b", "https://example.com/#a%23b"),
    ],
)
def test_an_address_is_written_strictly(given_: str, strict: str) -> None:
    assert web_address(given_) == strict
    assert web_address(strict) == strict


@pytest.mark.parametrize(
    "wrong", ["", "/a", "ftp://example.com/", "javascript:x", "https://", "mailto:a@b.c"]
)
def test_what_is_no_web_address_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidUrlError):
        web_address(wrong)


@given(st.datetimes(min_value=datetime(1000, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - hypothesis wants it naive
def test_dates_are_written_as_the_standard_library_does(moment: datetime) -> None:
    assert rfc822(moment) == format_datetime(moment, usegmt=True)
    assert datetime.fromisoformat(rfc3339(moment)) == moment.replace(microsecond=0)


@pytest.mark.parametrize(
    ("declared", "tag"),
    [
        ("en", "en"), ("EN_us", "en-us"), (" zh-Hans-CN ", "zh-Hans-CN"), ("fil", "fil"), ("xx", None),
        ("english", None), ("", None), (None, None), ("en-", None), ("en\x00", None), ("ру", None),
    ],
)  # fmt: skip
def test_only_languages_are_declared(declared: str | None, tag: str | None) -> None:
    assert language_tag(declared) == tag
