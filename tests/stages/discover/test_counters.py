"""Counters in the forms that sites show them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.sample.pages import short_count, signed
from inforadar.stages.discover.counters import parse_count, parse_rating


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("7", 7),
        ("2K", 2000),
        ("2.1K", 2100),
        ("2,1k", 2100),
        ("2.15K", 2150),
        ("357K", 357_000),
        ("2.1 К", 2100),  # Cyrillic
        ("3,4 тыс.", 3400),
        ("12 тыс. просмотров", 12_000),
        ("1,2 млн", 1_200_000),
        ("1.5M views", 1_500_000),
        ("2,3 Mio.", 2_300_000),
        ("4 tys.", 4000),
        ("1 Tsd. Aufrufe", 1000),
        ("1.1B", 1_100_000_000),
        ("1.2万", 12_000),
        ("1.2万次阅读", 12_000),
        ("3千", 3000),
        ("2亿", 200_000_000),
        ("1,234", 1234),
        ("1,234,567", 1_234_567),
        ("1.234", 1234),
        ("1.234.567", 1_234_567),
        ("12 345", 12_345),
        ("12\u00a0345", 12_345),
        ("1\u202f234\u202f567 vues", 1_234_567),
        ("12'345", 12_345),
        ("1,234.0", 1234),
        ("(8)", 8),
        ("8 comments", 8),
        ("3 bookmarks", 3),
        ("5 Kommentare", 5),
        ("Comments: 33", 33),
        ("Комментарии 33", 33),
        ("阅读 1024", 1024),
        ("١٢٣", 123),
        ("\n  42\t", 42),
        ("👁 17", 17),
    ],
)
def test_a_count_is_read_as_people_read_it(text: str, expected: int) -> None:
    assert parse_count(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "–", "-", "—", "…", "Comment", "Комментировать", "нет", "暂无评论", "-5", "7.5", "1.2.3", "1,23,4",
        "1,234.567.890", "9" * 40, "99999999 B",
    ],
)  # fmt: skip
def test_a_text_without_a_count_gives_none_and_not_zero(text: str) -> None:
    assert parse_count(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0.0),
        ("+12", 12.0),
        ("-3", -3.0),
        ("−3", -3.0),
        ("–11", -11.0),
        ("±0", 0.0),
        ("7.1", 7.1),
        ("7,5", 7.5),
        ("4.125", 4.125),
        ("1,234", 1234.0),
        ("+1.2K", 1200.0),
        ("Rating: -4", -4.0),
        ("8/10", 8.0),
    ],
)
def test_a_rating_has_a_sign_and_may_have_a_fraction(text: str, expected: float) -> None:
    assert parse_rating(text) == expected


@pytest.mark.parametrize("text", ["", "–", "−", "+", "n/a", "без оценки"])
def test_a_sign_alone_is_no_rating(text: str) -> None:
    assert parse_rating(text) is None


@given(st.integers(min_value=0, max_value=10**6))
def test_an_abbreviated_count_is_read_to_the_digits_it_shows(value: int) -> None:
    read = parse_count(short_count(value))
    assert read is not None
    assert 0 <= value - read < (1 if value < 1000 else 100)


@given(st.integers(min_value=-(10**6), max_value=10**6))
def test_signed_votes_are_read_back(value: int) -> None:
    assert parse_rating(signed(value)) == value


@given(st.integers(min_value=0, max_value=10**12), st.sampled_from([",", ".", " ", "\u00a0", "\u202f", "'"]))
def test_digit_groups_are_joined(value: int, separator: str) -> None:
    assert parse_count(f"{value:,}".replace(",", separator)) == value


@given(st.text(max_size=300))
def test_any_text_is_a_number_or_nothing(text: str) -> None:
    assert (parse_count(text) or 0) >= 0
    parse_rating(text)
