"""Dates in the forms that listing pages show them, read at a known time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.stages.discover.dates.absolute import parse_date
from inforadar.stages.discover.dates.relative import parse_formatted_date, parse_listing_date

NOW = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
MOSCOW = timezone(timedelta(hours=3))


def moment(month: int, day: int, hour: int = 0, minute: int = 0, year: int = 2026) -> datetime:
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "back"),
    [
        # English
        ("3 hours ago", timedelta(hours=3)),
        ("an hour ago", timedelta(hours=1)),
        ("half an hour ago", timedelta(minutes=30)),
        ("1 hour, 5 minutes ago", timedelta(hours=1, minutes=5)),
        ("5m ago", timedelta(minutes=5)),
        ("2 hrs. ago", timedelta(hours=2)),
        ("a few minutes ago", timedelta(minutes=3)),
        ("about 2 weeks ago", timedelta(weeks=2)),
        ("by 5 users, it's an hour ago", timedelta(hours=1)),
        ("Published 40 seconds ago", timedelta(seconds=40)),
        ("1.5 hours ago", timedelta(minutes=90)),
        ("a couple of hours ago", timedelta(hours=2)),
        ("1 hour and 5 minutes ago", timedelta(hours=1, minutes=5)),
        ("3 hours or so ago", timedelta(hours=3)),
        ("1,200 days ago", timedelta(days=1200)),
        # "ago" is August in Spanish, and numbers beside the span are counts of other things.
        ("5 minutes ago, 14 comments", timedelta(minutes=5)),
        ("14 comments · 5 minutes ago · 2,026 views", timedelta(minutes=5)),
        ("3 min read · 5 minutes ago", timedelta(minutes=5)),
        ("5 minutes ago, 3 min read", timedelta(minutes=5)),
        ("3 hours ago, 120512", timedelta(hours=3)),
        ("just now", timedelta()),
        # Russian
        ("5 минут назад", timedelta(minutes=5)),
        ("минуту назад", timedelta(minutes=1)),
        ("час назад", timedelta(hours=1)),
        ("полчаса назад", timedelta(minutes=30)),
        ("полтора часа назад", timedelta(hours=1, minutes=30)),
        ("2 ч. 5 мин. назад", timedelta(hours=2, minutes=5)),
        ("21 день назад", timedelta(days=21)),
        ("2 дня тому назад, 14 комментариев", timedelta(days=2)),
        ("1,5 часа назад", timedelta(minutes=90)),
        ("около 3 недель назад", timedelta(weeks=3)),
        ("Только что", timedelta()),
        # Polish
        ("godzinę temu", timedelta(hours=1)),
        ("5 godzin temu", timedelta(hours=5)),
        ("2 dni temu", timedelta(days=2)),
        ("pół godziny temu", timedelta(minutes=30)),
        ("tydzień temu", timedelta(weeks=1)),
        ("przed chwilą", timedelta()),
        # German
        ("vor 2 Tagen", timedelta(days=2)),
        ("vor einer Stunde", timedelta(hours=1)),
        ("vor einer halben Stunde", timedelta(minutes=30)),
        ("Vor 10 Min.", timedelta(minutes=10)),
        ("vor etwa 2 Stunden · 3 Min. Lesezeit", timedelta(hours=2)),
        ("vor 1 Stunde und 5 Minuten, 14 Kommentare", timedelta(hours=1, minutes=5)),
        ("gerade eben", timedelta()),
        # Chinese
        ("3小时前", timedelta(hours=3)),
        ("5 分钟前", timedelta(minutes=5)),
        ("半小时前", timedelta(minutes=30)),
        ("一个半小时前", timedelta(hours=1, minutes=30)),
        ("两天前", timedelta(days=2)),
        ("二十五天之前", timedelta(days=25)),
        ("1小时5分钟前", timedelta(hours=1, minutes=5)),
        ("刚刚", timedelta()),
    ],
)
def test_a_time_ago_is_counted_back_from_now(text: str, back: timedelta) -> None:
    assert parse_listing_date(text, NOW, MOSCOW) == NOW - back


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a month ago", moment(2, 14, 12)),
        ("2 months ago", moment(1, 14, 12)),
        ("полгода назад", moment(9, 14, 12, year=2025)),
        ("2 года назад", moment(3, 14, 12, year=2024)),
        ("3 miesiące temu", moment(12, 14, 12, year=2025)),
        ("vor einem Jahr", moment(3, 14, 12, year=2025)),
        ("两个月前", moment(1, 14, 12)),
        ("1年前", moment(3, 14, 12, year=2025)),
    ],
)
def test_months_and_years_follow_the_calendar(text: str, expected: datetime) -> None:
    assert parse_listing_date(text, NOW) == expected


def test_a_month_before_the_31st_is_the_last_of_a_shorter_month() -> None:
    assert parse_listing_date("1 month ago", moment(3, 31)) == moment(2, 28)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today at 8:00", moment(3, 14, 5)),
        ("yesterday at 5pm", moment(3, 13, 14)),
        ("Yesterday, 10:01 AM", moment(3, 13, 7, 1)),
        ("the day before yesterday, 10:01", moment(3, 12, 7, 1)),
        ("сегодня в 10:01", moment(3, 14, 7, 1)),
        ("вчера в 10:01", moment(3, 13, 7, 1)),
        ("Вчера в 0:15", moment(3, 12, 21, 15)),
        ("позавчера в 10.01", moment(3, 12, 7, 1)),
        ("dzisiaj, 10:01", moment(3, 14, 7, 1)),
        ("wczoraj o 18:30", moment(3, 13, 15, 30)),
        ("gestern, 18:30", moment(3, 13, 15, 30)),
        ("heute um 10.15 Uhr", moment(3, 14, 7, 15)),
        ("gestern, 18 Uhr", moment(3, 13, 15)),
        ("vorgestern", moment(3, 11, 21)),
        ("昨天 10:01", moment(3, 13, 7, 1)),
        ("昨天下午3:05", moment(3, 13, 12, 5)),
        ("今天08:30", moment(3, 14, 5, 30)),
        ("前天 10:01", moment(3, 12, 7, 1)),
        ("yesterday at 10:01 UTC", moment(3, 13, 10, 1)),
        ("10:01", moment(3, 14, 7, 1)),
        ("23:30", moment(3, 13, 20, 30)),
    ],
)
def test_today_and_yesterday_are_days_in_the_sites_zone(text: str, expected: datetime) -> None:
    assert parse_listing_date(text, NOW, MOSCOW) == expected


def test_yesterday_follows_the_sites_calendar_and_not_ours() -> None:
    late = datetime(2026, 3, 14, 22, 0, tzinfo=UTC)  # 01:00 of the 15th in Moscow
    assert parse_listing_date("вчера в 10:01", late, MOSCOW) == moment(3, 14, 7, 1)


def test_a_zone_with_summer_time_is_followed() -> None:
    berlin, now = ZoneInfo("Europe/Berlin"), datetime(2026, 7, 2, 12, 0, tzinfo=UTC)
    assert parse_listing_date("gestern, 18:30", now, berlin) == datetime(2026, 7, 1, 16, 30, tzinfo=UTC)
    assert parse_listing_date("5. März 2026, 18:30", now, berlin) == moment(3, 5, 17, 30)


def test_a_span_is_as_long_as_it_says_where_the_clocks_were_changed_meanwhile() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    for now in (datetime(2026, 3, 29, 6, tzinfo=UTC), datetime(2026, 10, 25, 6, tzinfo=UTC)):
        assert parse_listing_date("8 Stunden, vor 8 Stunden", now, berlin) == now - timedelta(hours=8)
        assert parse_listing_date("8 hours ago", now, berlin) == now - timedelta(hours=8)


def test_a_clock_that_is_a_little_ahead_means_today() -> None:
    just_before = datetime(2026, 3, 14, 7, 0, 50, tzinfo=UTC)
    assert parse_listing_date("10:01", just_before, MOSCOW) == moment(3, 14, 7, 1)
    assert parse_listing_date("10:30", just_before, MOSCOW) == moment(3, 13, 7, 30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5 ago 2014", moment(8, 5, year=2014)),
        ("15 ago 2024 · 5 min de lectura", moment(8, 15, year=2024)),
        ("5 ago", moment(8, 5, year=2025)),
        ("2 Mar 2026, 3 days ago", moment(3, 2)),
        ("3 days ago on 2026-03-11", moment(3, 11)),
    ],
)
def test_august_in_spanish_and_complete_dates_beside_a_span_are_read_as_such(
    text: str, expected: datetime
) -> None:
    assert parse_listing_date(text, NOW) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mar 5", moment(3, 5)),
        ("5th of March, 10:01", moment(3, 5, 10, 1)),
        ("6 апр в 10:01", moment(4, 6, 10, 1, year=2025)),
        ("6  апр  2023 в 10:01", moment(4, 6, 10, 1, year=2023)),
        ("5 marca, 18:30", moment(3, 5, 18, 30)),
        ("5. März", moment(3, 5)),
        ("05.03., 18:30", moment(3, 5, 18, 30)),
        ("3月5日 10:01", moment(3, 5, 10, 1)),
        ("2025年12月5日", moment(12, 5, year=2025)),
        ("03-05 10:01", moment(3, 5, 10, 1)),
        ("15 марта", moment(3, 15)),
        ("16 марта", moment(3, 16, year=2025)),
        ("31 декабря", moment(12, 31, year=2025)),
        ("29 Feb", moment(2, 29, year=2024)),
        ("2026-03-05T10:01:00+03:00", moment(3, 5, 7, 1)),
        ("Thu, 05 Mar 2026 10:01:00 +0300", moment(3, 5, 7, 1)),
    ],
)
def test_a_day_without_a_year_is_the_latest_one(text: str, expected: datetime) -> None:
    assert parse_listing_date(text, NOW) == expected


def test_a_whole_date_wins_over_a_relative_one() -> None:
    assert parse_listing_date("2 Mar 2026, 10:00 (updated 3 hours ago)", NOW) == moment(3, 2, 10)


def test_new_years_eve_is_last_years_on_new_years_day() -> None:
    new_year = datetime(2026, 1, 1, 0, 30, tzinfo=UTC)
    assert parse_listing_date("31 Dec, 23:50", new_year) == moment(12, 31, 23, 50, year=2025)
    assert parse_listing_date("1 янв, 00:10", new_year) == moment(1, 1, 0, 10)


@pytest.mark.parametrize(
    "text",
    [
        "", "  ", "3", "ago", "vor", "前", "March", "soon", "3 votes", "99999 days ago", "9999 years ago", "99-99",
        "2月30日", "31.02.", "вчера в 25:01", "Everyone was talking " * 20 + "yesterday", "tomorrow", "5/3",
    ],
)  # fmt: skip
def test_a_text_that_names_no_time_is_none(text: str) -> None:
    assert parse_listing_date(text, NOW) is None


@pytest.mark.parametrize(
    "text", ["yesterday", "вчера в 10:01", "3 hours ago", "gestern", "3小时前", "6 апр", "10:01"]
)
def test_feeds_still_refuse_such_dates(text: str) -> None:
    assert parse_date(text) is None


@given(st.text(max_size=140))
def test_any_text_is_a_date_in_utc_or_nothing(text: str) -> None:
    found = parse_listing_date(text, NOW, MOSCOW)
    assert found is None or found.utcoffset() == timedelta()


WORDS = st.sampled_from(
    [
        "3", "12", "00", "99999", "hours", "ago", "назад", "vor", "Tagen", "temu", "godz", "вчера", "today", "昨天",
        "前", "个", "半", "月", ":", ".", "-", "at", "um", "Uhr", "pm", "10:01",
    ]
)  # fmt: skip


@given(st.lists(WORDS, max_size=8), st.sampled_from(["", " "]))
def test_any_mixture_of_date_words_is_a_date_or_nothing(words: list[str], between: str) -> None:
    found = parse_listing_date(between.join(words), NOW, MOSCOW)
    assert found is None or found.utcoffset() is not None


@given(st.integers(0, 9999), st.sampled_from([("минут", "назад"), ("minutes", "ago"), ("minut", "temu")]))
def test_minutes_are_counted_back_exactly(count: int, words: tuple[str, str]) -> None:
    assert parse_listing_date(f"{count} {words[0]} {words[1]}", NOW) == NOW - timedelta(minutes=count)


@pytest.mark.parametrize(
    ("text", "date_format", "expected"),
    [
        ("03/05/2026 10:01", "%m/%d/%Y %H:%M", moment(3, 5, 7, 1)),
        ("03/05/2026  10:01", "%m/%d/%Y %H:%M", moment(3, 5, 7, 1)),
        ("05.03.26", "%d.%m.%y", moment(3, 4, 21)),
        ("5/3 10:01", "%d/%m %H:%M", moment(3, 5, 7, 1)),
        ("29/2 10:01", "%d/%m %H:%M", moment(2, 29, 7, 1, year=2024)),
        ("2026-03-05 10:01 +0000", "%Y-%m-%d %H:%M %z", moment(3, 5, 10, 1)),
    ],
)
def test_a_date_in_a_given_format_is_read_by_it(text: str, date_format: str, expected: datetime) -> None:
    assert parse_formatted_date(text, date_format, NOW, MOSCOW) == expected


@pytest.mark.parametrize("text", ["", "yesterday", "31/02 10:01", "2026-03-05"])
def test_a_date_in_another_format_is_none(text: str) -> None:
    assert parse_formatted_date(text, "%d/%m %H:%M", NOW) is None


def test_a_formatted_date_of_another_age_is_none() -> None:
    assert parse_formatted_date("31.12.9999", "%d.%m.%Y", NOW, MOSCOW) is None
