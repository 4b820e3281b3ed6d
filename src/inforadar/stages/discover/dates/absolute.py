"""Parse complete dates in any form that occurs in practice; in doubt return None rather than a wrong date.

Nearly all dates are exact ISO 8601 or RFC 822, so those two are tried first and fast. Any other text is taken apart:
first the time with its zone, then the day, month and year, as numbers or in the words of many languages. A date
without a zone is read in UTC unless another zone is given; one without a time means midnight. A text without a year
or month, such as "yesterday" or "5 hours ago", is not a date here: it depends on when it was read, and
`relative.py` handles it.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import StrEnum
from typing import NamedTuple

from inforadar.clock_words import AM_WORDS, PM_WORDS, ZONE_MINUTES
from inforadar.stages.discover.dates.month_names import MONTHS, THAI_MONTHS

EARLIEST_YEAR = 1900
"""Earlier years are programs' zero dates (0001-01-01) or other calendars, not publication dates."""

LATEST_YEAR = 2200
"""Later years are mistakes, and the last of them cannot be moved to another zone."""

_MAX_DATE_CHARS = 120
"""No date is longer; a longer text only stands where a date should be."""

_ENGLISH_MONTHS = {
    name.title(): f"{MONTHS[name]:02}"
    for name in ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}
_OFFSETS = {
    name: f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    for name, minutes in ZONE_MINUTES.items()
}

_COMMENT = re.compile(r"\([^()]*\)")
_EPOCH = re.compile(r"[0-9]{10}(?:[0-9]{3})?(?:\.[0-9]+)?")
_TIME = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2})\s*(?::|[时時点點]|시)\s*(?P<minute>\d{1,2})"
    r"(?:\s*(?::|[分분])\s*(?P<second>\d{1,2})(?:[.,]\d+)?)?\s*[秒초分분]?"
    r"|(?<![\d:])(?P<hour_h>\d{1,2})h(?P<minute_h>\d{2})(?!\d)"
)
_DOTTED_TIME = re.compile(
    r"(?<=\d{4})(?:[\s,]+[^\W\d_]{0,4}){1,2}\s*(?P<hour>\d{1,2})\.(?P<minute>\d{2})(?:\.(?P<second>\d{2}))?\s*$"
)
_AM_PM_AFTER = re.compile(r"\s*([^\W\d_](?:\.?[^\W\d_])?)\.?(?![^\W\d_])")
_AM_PM_BEFORE = re.compile(r"([^\W\d_]{2})\s*$")
_ZONE = re.compile(
    r"\s*(?:GMT|UTC?)?\s?(?P<sign>[+\-−])(?P<hours>\d{1,2})(?::?(?P<minutes>\d{2}))?(?![\w/.-])"
    r"|\s*(?P<name>[A-Z]{1,5})(?![\w/])",
    re.IGNORECASE,
)
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})\s*[-/.年년]\s*(\d{1,2})\s*[-/.月월]\s*(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)([12]\d{3})(\d{2})(\d{2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})\s*([./-])\s*(\d{1,2})\s*[./-]\s*(\d{4}|\d{2})(?!\d)")
_VIETNAMESE = re.compile(r"(?<!\d)(\d{1,2})\s*(?:tháng|thg)\s*(\d{1,2})\W+(?:năm\s*)?(\d{4})")
_YEAR_MONTH = re.compile(r"([12]\d{3})(?:-(\d{1,2}))?")
_ORDINAL = re.compile(r"([12]\d{3})-?([0-3]\d{2})")
_SHORT_DAY = re.compile(r"(\d{2})(-?)(\d{2})\2(\d{2})", re.ASCII)
_SHORT_ORDINAL = re.compile(r"(\d{2})-?([0-3]\d{2})", re.ASCII)
_SHORT_MONTH = re.compile(r"-(\d{2})(?:-?(\d{2}))?|(\d{2})-(\d{2})", re.ASCII)
_LONG_MONTH = re.compile(r"^(\d{4}-)0(\d{2}-\d{2})(?!\d)", re.ASCII)
"""`2003-012-31`: some programs pad the month to three digits."""
_BROKEN_ZONE = re.compile(
    r":\d{2}\s*[+-](?:[a-z]{2}:?\d{2}|\d{2}:[a-z]{2})(?!\w)|\d:\d{1,2}:\d{1,2}:\d", re.IGNORECASE
)
"""A time that means nothing: `11:47:32 +zz:00`, `1:2:3:4`."""
_KOREAN = re.compile("[오년월]")
_KOREAN_ZONE = timezone(timedelta(hours=9))
"""Dates in Korean words come from Korea, which has one zone."""
_TOKEN = re.compile(r"\d+|[^\s\d,;:/()\-_'’]+")


class DateOrder(StrEnum):
    """Which number of `11/04/2026` is the day."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"
    UNKNOWN = "unknown"
    """Nothing tells, so such a date is not read."""


class Clock(NamedTuple):
    """A time of day found in a text."""

    since_midnight: timedelta
    offset: timedelta | None
    """Offset east of Greenwich, if the text names a zone."""
    rest: str
    """The text without the time."""
    is_12_hour: bool
    """Whether the time was written with am or pm."""


def parse_date(text: str, zone: tzinfo = UTC, order: DateOrder | None = None) -> datetime | None:
    """Parse a date into UTC, or None; `zone` applies to dates without a time zone.

    `order` applies to dates such as `11/04/2026`; None reads them as the country does whose habit they show.
    """
    text = text.strip()
    try:
        if text[4:5] == "-" or text[8:9] == "T":
            return _to_utc(datetime.fromisoformat(text), zone)
        if text[3:5] == ", " and text[25:26] == " ":
            # `Sun, 15 Nov 2026 08:36:00 +0100`, rearranged as ISO 8601, which the standard library parses in C.
            named = text[26:]
            iso = f"{text[12:16]}-{_ENGLISH_MONTHS[text[8:11]]}-{text[5:7]}T{text[17:25]}{_OFFSETS.get(named, named)}"
            return _to_utc(datetime.fromisoformat(iso), zone)
    except (ValueError, OverflowError, KeyError):
        pass
    if not text or len(text) > _MAX_DATE_CHARS:
        return None
    try:
        return _parse_tolerantly(text, zone, order)
    except (ValueError, OverflowError):
        return None


def _to_utc(moment: datetime, zone: tzinfo) -> datetime | None:
    named = moment.tzinfo
    if named is not UTC:
        moment = (moment.replace(tzinfo=zone) if named is None else moment).astimezone(UTC)
    return possible(moment)


def possible(moment: datetime) -> datetime | None:
    """The date itself; None if its year is not one of an article."""
    return moment if EARLIEST_YEAR <= moment.year <= LATEST_YEAR else None


def _parse_tolerantly(text: str, zone: tzinfo, order: DateOrder | None) -> datetime | None:
    """Parse any other form: cut out the time, then look for the date in the rest."""
    if _EPOCH.fullmatch(text):
        seconds = float(text)
        return possible(datetime.fromtimestamp(seconds / 1000 if seconds >= 1e11 else seconds, UTC))
    if _BROKEN_ZONE.search(text):
        return None
    text = _LONG_MONTH.sub(r"\1\2", text)
    clock = cut_clock(_COMMENT.sub(" ", text))
    rest = (clock.rest if clock else text).casefold().strip(" ,.;tz")
    if order is None:
        is_american = clock is not None and clock.is_12_hour
        order = DateOrder.MONTH_FIRST if is_american and "/" in rest else DateOrder.DAY_FIRST
    elif order is DateOrder.UNKNOWN and _is_ambiguous(rest):
        return None
    day = (_two_digit_year(rest) if clock is None else None) or _numeric_day(rest, order)
    day = day or _written_day(rest) or _partial_day(rest)
    if day is None or not EARLIEST_YEAR <= day.year <= LATEST_YEAR:
        return None
    if zone is UTC and clock is not None and clock.offset is None and _KOREAN.search(text):
        zone = _KOREAN_ZONE
    return at_clock(day, clock, zone)


def at_clock(day: datetime, clock: Clock | None, zone: tzinfo) -> datetime:
    """Put a time on a day, ignoring the day's own zone; without a time, midnight."""
    since_midnight, offset = (clock.since_midnight, clock.offset) if clock else (timedelta(), None)
    if offset is not None:
        return day.replace(tzinfo=UTC) + since_midnight - offset
    return (day.replace(tzinfo=None) + since_midnight).replace(tzinfo=zone).astimezone(UTC)


def cut_clock(text: str) -> Clock | None:
    """Find the time of day in a text; raises `ValueError` for an impossible time such as 25:00."""
    match = _TIME.search(text) or _DOTTED_TIME.search(text)
    if match is None:
        return None
    parts = match.groupdict()
    hour, minute = int(parts["hour"] or parts["hour_h"]), int(parts["minute"] or parts["minute_h"])
    second = int(parts["second"] or 0)
    if hour > 24 or minute > 59 or second > 60:
        raise ValueError(text)
    head, tail = text[: match.start()], text[match.end() :]
    am_pm = ""
    after, before = _AM_PM_AFTER.match(tail), _AM_PM_BEFORE.search(head)
    if after and (word := after[1].replace(".", "").casefold()) in AM_WORDS | PM_WORDS:
        am_pm, tail = word, tail[after.end() :]
    elif before and before[1].casefold() in AM_WORDS | PM_WORDS:
        am_pm = before[1].casefold()
    if am_pm in PM_WORDS and hour < 12:
        hour += 12
    elif am_pm in AM_WORDS and hour == 12:
        hour = 0
    offset, tail = _cut_zone(tail)
    # A leap second counts as second 59; 24:00 is midnight of the next day.
    return Clock(
        since_midnight=timedelta(hours=hour, minutes=minute, seconds=min(second, 59)),
        offset=offset,
        rest=f"{head} {tail}",
        is_12_hour=bool(am_pm),
    )


def _cut_zone(tail: str) -> tuple[timedelta | None, str]:
    """The offset east of Greenwich and the text after the zone; None if the zone is unknown."""
    match = _ZONE.match(tail)
    if match is None:
        return None, tail
    if match["sign"] is None:
        known = ZONE_MINUTES.get(match["name"].upper())
        return (None, tail) if known is None else (timedelta(minutes=known), tail[match.end() :])
    hours, minutes = int(match["hours"]), int(match["minutes"] or 0)
    if hours > 14 or minutes > 59:
        return None, tail
    offset = timedelta(hours=hours, minutes=minutes)
    return offset if match["sign"] == "+" else -offset, tail[match.end() :]


def _is_ambiguous(text: str) -> bool:
    """Whether the date could be of another day if its first two numbers changed places."""
    match = None if _YEAR_FIRST.search(text) else _DAY_FIRST.search(text)
    return (
        match is not None
        and match[2] != "."
        and match[1] != match[3]
        and max(int(match[1]), int(match[3])) <= 12
    )


def _two_digit_year(text: str) -> datetime | None:
    """The forms of ISO 8601 with two digits for the year: `031231`, `03-12-31`, `-03-12`, `-0312`, `03-12`, `-03`."""
    if match := _SHORT_DAY.fullmatch(text):
        return _midnight(match[1], match[3], match[4])
    if match := _SHORT_ORDINAL.fullmatch(text):
        number = int(match[2])
        return _midnight(match[1], "1", "1") + timedelta(days=number - 1) if 0 < number <= 366 else None
    if match := _SHORT_MONTH.fullmatch(text):
        return _midnight(match[1] or match[3], match[2] or match[4] or "1", "1")
    return None


def _numeric_day(text: str, order: DateOrder) -> datetime | None:
    if match := _YEAR_FIRST.search(text) or _COMPACT.search(text):
        return _midnight(match[1], match[2], match[3])
    if match := _VIETNAMESE.search(text):
        return _midnight(match[3], match[2], match[1])
    if match := _DAY_FIRST.search(text):
        first, separator, second, year = match.groups()
        month_first = order is DateOrder.MONTH_FIRST and separator != "." and int(first) <= 12
        if month_first or int(second) > 12:
            first, second = second, first
        return _midnight(year, second, first)
    return None


def _written_day(text: str) -> datetime | None:
    tokens = [token.strip(".") for token in _TOKEN.findall(text)]
    month, name, has_number_before = 0, "", False
    for index, token in enumerate(tokens):
        pair = f"{token} {tokens[index + 1]}" if index + 1 < len(tokens) else ""
        found = pair if pair in MONTHS else token if token in MONTHS else ""
        # "mar 15 nov": an abbreviated weekday may be a month in another language, but no day number precedes it.
        if found and (not month or not has_number_before or tokens[index - 1].isdecimal()):
            month, name = MONTHS[found], found
            has_number_before = any(earlier.isdecimal() for earlier in tokens[:index])
    numbers = [token for token in tokens if token.isdecimal()]
    if not month or len(numbers) < 2:
        return None
    year = next((number for number in numbers if len(number) == 4), None)
    if year is None:
        year = numbers[1]
    numbers.remove(year)
    if name in THAI_MONTHS and int(year) > 2400:
        year = str(int(year) - 543)
    return _midnight(year, str(month), numbers[0])


def _partial_day(text: str) -> datetime | None:
    """A year, a year and month, or a year and day number, as ISO 8601 also allows."""
    if match := _ORDINAL.fullmatch(text):
        number = int(match[2])
        return _midnight(match[1], "1", "1") + timedelta(days=number - 1) if 0 < number <= 366 else None
    if match := _YEAR_MONTH.fullmatch(text):
        return _midnight(match[1], match[2] or "1", "1")
    return None


def _midnight(year: str, month: str, day: str) -> datetime:
    number = int(year)
    if len(year) == 2:
        number += 2000 if number < 50 else 1900
    return datetime(number, int(month), int(day), tzinfo=UTC)
