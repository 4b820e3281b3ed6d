"""Complete dates in the forms that feeds write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inforadar.stages.discover.dates.absolute import parse_date
from inforadar.stages.discover.dates.month_names import MONTHS

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
MIDNIGHT = datetime(2026, 11, 15, tzinfo=UTC)
MORNING = datetime(2026, 11, 15, 8, 36, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # RFC 822 and variants of it
        ("Sun, 15 Nov 2026 08:36:00 GMT", MORNING),
        ("Sun, 15 Nov 2026 08:36:00 +0000", MORNING),
        ("Sun, 15 Nov 2026 09:36:00 +0100", MORNING),
        ("Sun, 15 Nov 2026 03:36:00 -0500", MORNING),
        ("Sun, 15 Nov 2026 14:06:00 +0530", MORNING),
        ("Sun, 15 Nov 2026 08:36:00 Z", MORNING),
        ("Sun, 15 Nov 2026 03:36:00 EST", MORNING),
        ("Sun, 15 Nov 2026 00:36:00  PST", MORNING),
        ("Sun, 15 Nov 2026 17:36:00 JST", MORNING),
        ("Sun, 15 Nov 2026 11:36:00 MSK", MORNING),
        ("Sun, 15 Nov 2026 08:36:00 XYZ", MORNING),
        ("Sun, 15 Nov 2026 08:36 GMT", MORNING),
        ("15 Nov 2026 08:36:00 GMT", MORNING),
        ("15 Nov 26 08:36 UT", MORNING),
        ("Sunday, 15-Nov-26 08:36:00 GMT", MORNING),
        ("Sun, 15 Nov 2026 09:36:00 GMT+1", MORNING),
        ("Sun, 15 Nov 2026 09:36:00 +01:00", MORNING),
        ("Sun, 15 Nov 2026 09:36:00 +0100 (CET)", MORNING),
        ("Sun, 15 Nov 2026 8:36 am", MORNING),
        ("Sun, Nov 15 2026 12:00:00 PM", NOON),
        ("Sun, 15 Nov 2026 12:00 a.m.", MIDNIGHT),
        ("Sun, 15 Nov 2026", MIDNIGHT),
        ("Sun Nov 15 08:36:00 2026", MORNING),
        ("Sun Nov 15 09:36:00 +0100 2026", MORNING),
        ("Sun, 15 Nov 2026 08:35:60 GMT", MORNING - timedelta(seconds=1)),
        ("November 15th, 2026", MIDNIGHT),
        ("  Sun, 15 Nov 2026 08:36:00 GMT\n", MORNING),
        # ISO 8601
        ("2026-11-15T08:36:00Z", MORNING),
        ("2026-11-15T08:36:00.000000000Z", MORNING),
        ("2026-11-15T09:36:00+01:00", MORNING),
        ("2026-11-15T09:36:00+0100", MORNING),
        ("2026-11-15T09:36+01", MORNING),
        ("2026-11-15 08:36:00", MORNING),
        ("2026-11-15 08:36:00 UTC", MORNING),
        ("2026-11-15T08:36:0Z", MORNING),
        ("2026-11-14T24:00:00Z", MIDNIGHT),
        ("20261115T083600Z", MORNING),
        ("2026-11-15", MIDNIGHT),
        ("20261115", MIDNIGHT),
        ("2026-319", MIDNIGHT),
        ("2026-W46-7", MIDNIGHT),
        ("2026-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("261115", MIDNIGHT),
        ("26-11-15", MIDNIGHT),
        ("26319", MIDNIGHT),
        ("26-319", MIDNIGHT),
        ("2026319", MIDNIGHT),
        ("-26-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("-2611", datetime(2026, 11, 1, tzinfo=UTC)),
        ("26-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("-26", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-011-15T08:36:00+00:00", MORNING),
        # zones and forms that few programs write
        ("Sun, 15 Nov 2026 04:36:00 AT", MORNING),
        ("Sun, 15 November 2026 00:36:00 PT", MORNING),
        ("Sun, 15 Nov 2026 08:36:00 Etc/GMT", MORNING),
        ("Sun, 15 Nov 2026 07:35:00 GMT-01:01", MORNING),
        ("Sun, 15 Nov, 2026 08:36:00 UTC", MORNING),
        ("Sun Nov 15 00:36:00 PST 2026", MORNING),
        ("Sun, 2026/11/15 04:36:00 EDT", MORNING),
        ("2026-11-15 오후 5:36:00", MORNING),
        ("Κυρ, 15 Νοέ 2026 03:36:00 EST", MORNING),
        ("niedz., 15 lis 2026 09:36:00 +0100", MORNING),
        # numbers in other orders
        ("2026/11/15 08:36", MORNING),
        ("15.11.2026 08:36", MORNING),
        ("15.11.26, 08:36 Uhr", MORNING),
        ("15/11/2026 08:36", MORNING),
        ("5/11/2026 08:36", datetime(2026, 11, 5, 8, 36, tzinfo=UTC)),
        ("11/5/2026 8:36:00 AM", datetime(2026, 11, 5, 8, 36, tzinfo=UTC)),
        ("11/15/2026 08:36:00", MORNING),
        ("1794731760", MORNING),
        ("1794731760000", MORNING),
        # other languages
        ("15 ноября 2026, 08:36", MORNING),
        ("Вс, 15 ноя 2026 11:36:00 +0300", MORNING),
        ("15 листопада 2026 р. 08:36", MORNING),
        ("niedziela, 15 listopada 2026 08:36", MORNING),
        ("Sonntag, 15. November 2026 - 08:36 Uhr", MORNING),
        ("15. März 2026", datetime(2026, 3, 15, tzinfo=UTC)),
        ("dim., 15 nov. 2026 08:36:00 +0000", MORNING),
        ("mar., 15 déc. 2026", datetime(2026, 12, 15, tzinfo=UTC)),
        ("Mar 15 Dic 2026", datetime(2026, 12, 15, tzinfo=UTC)),
        ("15 de noviembre de 2026 a las 08:36", MORNING),
        ("15 novembre 2026 8h36", MORNING),
        ("15 Kasım 2026 Pazar 08:36", MORNING),
        ("2026. november 15. 08:36", MORNING),
        ("2026-november-15T09:36+01:00", MORNING),
        ("Κυρ, 15 Νοε 2026 10:36:00 EET", MORNING),
        ("15 marraskuuta 2026", MIDNIGHT),
        ("15. listopadu 2026 8:36", MORNING),
        ("2026年11月15日 08:36", MORNING),
        ("2026年11月15日 下午12:00", NOON),
        ("2026年11月15日(日) 8時36分", MORNING),
        ("15 十一月 2026", MIDNIGHT),
        ("2026년 11월 15일 오후 5:36", MORNING),
        ("15 tháng 11, 2026", MIDNIGHT),
        ("15 พ.ย. 2569 08:36", MORNING),
        ("15 نوفمبر 2026 08:36", MORNING),
        ("15 تشرين الثاني 2026", MIDNIGHT),
        ("١٥ نوفمبر ٢٠٢٦", MIDNIGHT),
        ("15 בנובמבר 2026", MIDNIGHT),
        ("15 नवंबर 2026", MIDNIGHT),
    ],
)
def test_a_date_in_any_common_form_is_read(text: str, expected: datetime) -> None:
    assert parse_date(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "yesterday",
        "вчера",
        "Yesterday at 10:30",
        "5 hours ago",
        "today",
        "soon",
        "15 Nov",
        "Nov 2026 maybe",
        "0001-01-01T00:00:00",
        "0000-00-00 00:00:00",
        "-0001-11-30",
        "Wed, 31 Jun 2026 10:00:00 GMT",
        "2026-02-30",
        "2026-11-15T25:61:00Z",
        "13/13/2026",
        "Sun, 15 Nov 2026 1:2:3:4 GMT",
        "Sun, 15 zzz 2026 11:47:32 GMT",
        "Sun, Nov x 2026 11:47:32 GMT",
        "Sun, Nov 15 2026 11:47:32 +zz:00",
        "Sun, Nov 15 2026 11:47:32 +00:zz",
        "Sun, 31 Dec 1995 16:24:61 GMT",
        "2201-01-01T00:00:00Z",
        "Fri, 31 Dec 9999 23:59:59 GMT",
        "99999999999999999999",
        "9999999999",
        "9999999999999",
        "15 Nov 2026 " * 50,
        "9999-12-31T23:59:59-14:00",
    ],
)
def test_a_text_without_a_day_is_not_a_date(text: str) -> None:
    assert parse_date(text) is None


@pytest.mark.parametrize(
    ("year", "expected"), [("26", 2026), ("49", 2049), ("50", 1950), ("99", 1999), ("00", 2000)]
)
def test_a_two_digit_year_is_completed_as_in_mail(year: str, expected: int) -> None:
    date = parse_date(f"15 Nov {year} 08:36:00 GMT")
    assert date is not None
    assert date.year == expected


def test_every_month_of_every_language_is_read_as_a_date() -> None:
    for name, month in MONTHS.items():
        date = parse_date(f"15 {name} 2026")
        assert date is not None, name
        assert (date.month, date.day) == (month, 15), name


DAYS = (datetime(2049, 12, 30, tzinfo=UTC) - datetime(1950, 1, 2, tzinfo=UTC)).days
moments = st.integers(0, DAYS * 86_400).map(
    lambda second: datetime(1950, 1, 2, tzinfo=UTC) + timedelta(seconds=second)
)
zones = st.integers(-14 * 4, 14 * 4).map(lambda quarters: timezone(timedelta(minutes=15 * quarters)))


@given(moments, zones)
def test_iso_dates_are_read_back_to_the_second(moment: datetime, zone: timezone) -> None:
    moment = moment.replace(tzinfo=zone)
    assert parse_date(moment.isoformat()) == moment
    assert parse_date(moment.isoformat(sep=" ")) == moment
    assert parse_date(moment.strftime("%Y/%m/%d %H:%M:%S %z")) == moment


@given(moments, zones)
def test_mail_dates_are_read_back_to_the_second(moment: datetime, zone: timezone) -> None:
    moment = moment.replace(tzinfo=zone)
    assert parse_date(format_datetime(moment)) == moment
    assert parse_date(moment.strftime("%d %B %Y, %H:%M:%S %z")) == moment
    assert parse_date(moment.strftime("%a %b %d %H:%M:%S %z %Y")) == moment
    assert parse_date(moment.strftime("%d %b %y %H:%M:%S %z")) == moment


@given(st.text(max_size=60) | st.text(alphabet="0123456789:+-/. TZGMTNovapm年月日", max_size=40))
def test_any_text_is_a_date_in_utc_or_none(text: str) -> None:
    date = parse_date(text)
    assert date is None or date.utcoffset() == timedelta()
