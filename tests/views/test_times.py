from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from inforadar.views.times import full_time, local, shown_number, shown_time

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (timedelta(0), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(seconds=60), "1 minute ago"),
        (timedelta(minutes=59, seconds=59), "59 minutes ago"),
        (timedelta(hours=1), "1 hour ago"),
        (timedelta(hours=23, minutes=59), "23 hours ago"),
        (timedelta(days=1), "28 Feb, 12:00 UTC"),
        (timedelta(days=60), "31 Dec 2025, 12:00 UTC"),
        (timedelta(seconds=-1), "in a moment"),
        (timedelta(minutes=-12), "in 12 minutes"),
        (timedelta(hours=-3), "in 3 hours"),
        (timedelta(days=-2), "3 Mar, 12:00 UTC"),
    ],
)
def test_a_time_is_said_as_people_say_it(ago: timedelta, words: str) -> None:
    assert shown_time(NOW - ago, NOW) == words


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Pacific/Kiritimati"])
@pytest.mark.parametrize("at", [datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)])
def test_a_time_at_the_end_of_the_calendar_has_a_local_form(
    monkeypatch: pytest.MonkeyPatch, in_utc: None, zone: str, at: datetime
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    assert abs(local(at).replace(tzinfo=UTC) - at) < timedelta(days=1)
    assert local(NOW) == NOW
    assert local(NOW).utcoffset() != timedelta(0)


def test_the_full_time_is_to_the_second() -> None:
    assert full_time(NOW) == "1 Mar 2026, 12:00:00 UTC"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1K"),
        (2140, "2.1K"),
        (999_949, "999.9K"),
        (999_950, "1M"),
        (3_400_000, "3.4M"),
        (-7.0, "-7"),
        (4.25, "4.25"),
        (-1500, "-1.5K"),
    ],
)
def test_a_number_is_short(value: float, words: str) -> None:
    assert shown_number(value) == words
