"""How long to wait according to a server's headers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.fetch.freshness import (
    MAX_WAIT_S,
    freshness_s,
    parse_cache_control,
    parse_http_date,
    parse_retry_after,
)

NOW = datetime(2025, 7, 1, 10, 0, tzinfo=UTC)
WEEK = 7 * 24 * 3600.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("604801", WEEK),
        ("9" * 400, WEEK),
        ("Tue, 01 Jul 2025 10:02:00 GMT", 120.0),
        ("Tuesday, 01-Jul-25 10:02:00 GMT", 120.0),
        ("Tue Jul  1 10:02:00 2025", 120.0),
        ("Tue, 01 Jul 2025 12:02:00 +0200", 120.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", WEEK),
        ("Tue, 01 Jul 2025 09:59:00 GMT", None),
        ("-5", None),
        ("+5", None),
        ("1.5", None),
        ("１２０", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("Tue, 99 Jul 2025 10:02:00 GMT", None),
        ("Tue, 01 Jul 99999 10:02:00 GMT", None),
        ("Fri, 31 Dec 9999 23:59:59 -0500", None),
    ],
)
def test_retry_after_is_read_in_both_forms(value: str | None, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"cache-control": "max-age=3600"}, 3600.0),
        ({"cache-control": "Public, MAX-AGE = 3600"}, 3600.0),
        ({"cache-control": 'max-age="3600"'}, 3600.0),
        ({"cache-control": 'private="set-cookie, max-age=5", max-age=60'}, 60.0),
        ({"cache-control": "max-age=60, max-age=3600"}, 60.0),
        ({"cache-control": "max-age=3600", "age": "600"}, 3000.0),
        ({"cache-control": "max-age=3600", "age": "3600"}, None),
        ({"cache-control": "max-age=3600", "age": "9999"}, None),
        ({"cache-control": "max-age=3600", "age": "soon"}, 3600.0),
        ({"cache-control": "max-age=0"}, None),
        ({"cache-control": "max-age=-1"}, None),
        ({"cache-control": "max-age"}, None),
        ({"cache-control": "max-age=" + "9" * 50}, WEEK),
        ({"cache-control": "no-store, max-age=3600"}, None),
        ({"cache-control": "no-cache, max-age=3600"}, None),
        ({"cache-control": "s-maxage=3600"}, None),
        ({"cache-control": "must-revalidate, max-age=3600"}, 3600.0),
        ({"expires": "Tue, 01 Jul 2025 11:00:00 GMT"}, 3600.0),
        ({"expires": "Tue, 01 Jul 2025 11:00:00 GMT", "date": "Tue, 01 Jul 2025 10:30:00 GMT"}, 1800.0),
        ({"expires": "Tue, 01 Jul 2025 11:00:00 GMT", "age": "600"}, 3000.0),
        ({"expires": "Tue, 01 Jul 2025 09:00:00 GMT"}, None),
        ({"expires": "0"}, None),
        ({"expires": "-1"}, None),
        ({"expires": "Fri, 31 Dec 9999 23:59:59 GMT"}, WEEK),
        ({"cache-control": "max-age=60", "expires": "Tue, 01 Jul 2025 11:00:00 GMT"}, 60.0),
        ({"cache-control": "max-age=0", "expires": "Tue, 01 Jul 2025 11:00:00 GMT"}, None),
        ({"cache-control": "no-cache", "expires": "Tue, 01 Jul 2025 11:00:00 GMT"}, None),
    ],
)
def test_an_answer_is_fresh_for_as_long_as_it_says(headers: dict[str, str], seconds: float | None) -> None:
    assert freshness_s(headers, NOW) == seconds


def test_a_date_beyond_all_time_says_nothing() -> None:
    date = "Fri, 31 Dec 9999 23:59:59 -0500"
    assert parse_http_date(date) is None
    assert freshness_s({"expires": date}, NOW) is None
    assert freshness_s({"expires": "Tue, 01 Jul 2025 10:02:00 GMT", "date": date}, NOW) == 120.0


def test_directives_are_read_with_their_arguments() -> None:
    assert parse_cache_control(' Max-Age="60" ,,private="a, b", No-Store,=x') == {
        "max-age": "60",
        "private": "a, b",
        "no-store": None,
    }


@given(st.text(), st.text(), st.text(), st.text())
def test_no_header_breaks_it_or_keeps_us_away_for_ever(
    control: str, age: str, expires: str, date: str
) -> None:
    headers = {"cache-control": control, "age": age, "expires": expires, "date": date}
    seconds = freshness_s(headers, NOW)
    wait = parse_retry_after(expires, NOW)
    assert seconds is None or 0 < seconds <= MAX_WAIT_S
    assert wait is None or 0 <= wait <= MAX_WAIT_S


@given(st.text(alphabet="0123456789:-+, GMTadeJnuFriSOct", max_size=40))
def test_a_date_is_aware_or_none(text: str) -> None:
    found = parse_http_date(text)
    assert found is None or found.tzinfo is UTC
