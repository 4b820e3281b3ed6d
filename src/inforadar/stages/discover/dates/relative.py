"""Parse dates as listing pages show them: "3 hours ago", "вчера в 10:01", "gestern, 18:30", "昨天 10:01", "6 апр".

Their meaning depends on when the page was read and on the site's time zone, so both are passed in. Feeds are not
read this way: their dates are written for machines, and "yesterday" there is a mistake (`absolute.parse_date`).

A complete date wins over a relative one in the same text, but the words of the relative one are no part of it: "ago" is
also August in Spanish. A date without a year is the latest such day that is not in the future. A time without a day is
today's, or yesterday's if today's is still to come.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple

from inforadar.stages.discover.dates.absolute import at_clock, cut_clock, parse_date, possible
from inforadar.stages.discover.dates.relative_words import (
    AGO_WORDS,
    BEFORE_THE_SPAN,
    CALENDAR_MONTHS,
    CHINESE_DIGITS,
    CHINESE_MONTHS,
    CHINESE_SPANS,
    CONNECTORS,
    DAYS,
    JUST_NOW,
    NOW_ALONE,
    NUMBERS,
    SPANS,
)

_MAX_DATE_CHARS = 120
_MAX_UNITS_AGO = 10_000
"""No listing says "20,000 days ago"; a text that does is not a date."""

_MAX_FILLERS = 2
"""Words between a span and its "ago"."""

_MAX_LEAP_GAP_YEARS = 8
"""The longest gap between two 29ths of February."""

_CLOCK_AHEAD = timedelta(minutes=15)
"""How far ahead of ours a site's clock may be: a time that is still to come by less is today's."""

_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_SPAN_TOKEN = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_]+|[^\s\w.,]")
"""A number, a word, or a character that separates one statement from the next, such as "·"."""
_THOUSANDS = re.compile(r"\d{1,3},\d{3}")
_CHINESE_PAIR = (
    rf"(\d{{1,5}}|[半十{''.join(CHINESE_DIGITS)}]{{1,3}})\s*个?(半?)\s*"
    rf"({'|'.join(sorted([*CHINESE_SPANS, *CHINESE_MONTHS], key=len, reverse=True))})"
)
_CHINESE_AGO = re.compile(rf"(?:{_CHINESE_PAIR}\s*[零又]?){{1,4}}[之以]?前")
_CHINESE_PART = re.compile(_CHINESE_PAIR)
_DAY = re.compile(
    "|".join(
        # Words need a word boundary, except Chinese ones, which are written without spaces.
        word if word[0] >= "⺀" else rf"(?<![^\W\d_]){word}(?![^\W\d_])"
        for word in sorted(DAYS, key=len, reverse=True)
    )
)
_CLOCK_REWRITES = (
    (re.compile(r"(?<![\d.:])(\d{1,2})\s*([ap])\.?m\b"), r"\1:00 \2m"),
    (re.compile(r"(?<![\d.:])(\d{1,2})\s*uhr\b"), r"\1:00"),
    (re.compile(r"(?<![\d.:])(\d{1,2})[.](\d{2})\s*uhr\b"), r"\1:\2"),
    (re.compile(r"(?:\b(?:в|um|o|at|godz)\b\.?|,)\s*(\d{1,2})[.](\d{2})(?![\d.])"), r" \1:\2"),
    (re.compile(r"(?<!\d)(\d{1,2})[点點](?!\s*\d)"), r"\1:00"),
)
"""Rewrites times without minutes or with a point as `hour:minute`."""

_CLOCK_FILLERS = frozenset({"at", "в", "o", "um", "uhr", "godz"})
_MONTH_DAY = re.compile(r"(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})|(?<![\d-])(\d{2})-(\d{2})(?![\d-])")
_DAY_MONTH = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.?(?![\d.])")


def parse_listing_date(text: str, now: datetime, timezone: tzinfo = UTC) -> datetime | None:
    """Parse a date as read at `now` into UTC, or None; `timezone` is the site's."""
    folded = " ".join(text.split()).casefold()
    if not folded or len(folded) > _MAX_DATE_CHARS:
        return None
    for pattern, replacement in _CLOCK_REWRITES:
        folded = pattern.sub(replacement, folded)
    try:
        ago = _find_ago(folded)
        found = _complete(folded, ago, timezone) or _relative(folded, ago, now, timezone)
    except (ValueError, OverflowError):
        return None
    return found and found.astimezone(UTC).replace(microsecond=0)


def parse_formatted_date(
    text: str, date_format: str, now: datetime, timezone: tzinfo = UTC
) -> datetime | None:
    """Parse a date written in a `strptime` format; without a year in the format, the latest such day."""
    folded = " ".join(text.split())

    def read(text: str, form: str) -> datetime:
        moment = datetime.strptime(text, form)  # noqa: DTZ007 - the next line sets the zone
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone)).astimezone(UTC)

    try:
        if any(f"%{directive}" in date_format for directive in "YyGcxs"):
            return possible(read(folded, date_format))
        # Parsed together with a year, because 29 February is invalid without one.
        year = now.astimezone(timezone).year
        return _latest(lambda year: read(f"{year} {folded}", f"%Y {date_format}"), now, year)
    except (ValueError, OverflowError):
        return None


class _Ago(NamedTuple):
    """A time span before now, and where it stands in the text."""

    span: timedelta
    months: int
    start: int
    end: int


def _complete(text: str, ago: _Ago | None, timezone: tzinfo) -> datetime | None:
    if ago is None:
        return parse_date(text, timezone)
    rest = f"{text[: ago.start]} {text[ago.end :]}"
    # A single number beside the span is a count of comments or views, not a year.
    return parse_date(rest, timezone) if len(re.findall(r"\d+", rest)) > 1 else None


def _relative(text: str, ago: _Ago | None, now: datetime, timezone: tzinfo) -> datetime | None:
    if text in NOW_ALONE or any(phrase in text for phrase in JUST_NOW):
        return now
    today = now.astimezone(timezone).replace(hour=0, minute=0, second=0, microsecond=0)
    if match := _DAY.search(text):
        return at_clock(today - timedelta(days=DAYS[match[0]]), cut_clock(text), timezone)
    if ago is not None:
        # In UTC, because subtracting in a zone moves the hands of its clock, also where they were put forward.
        return _months_before(now.astimezone(timezone), ago.months).astimezone(UTC) - ago.span
    return _without_year(text, now, today, timezone)


def _find_ago(text: str) -> _Ago | None:
    """Find "… ago" or "vor …"; all its parts are added up: "1 hour 5 minutes"."""
    tokens = list(_SPAN_TOKEN.finditer(text))
    for index, token in enumerate(tokens):
        if token[0] not in AGO_WORDS:
            continue
        if token[0] in BEFORE_THE_SPAN:
            units = _units(_span_words(tokens[index + 1 :]))
            counted = units[: _descending(units)]
        else:
            units = _units(_span_words(tokens[:index][::-1])[::-1])[::-1]
            counted = units[: _descending(units, is_reversed=True)]
        if counted:
            start = min(token.start(), *(unit.start for unit in counted))
            end = max(token.end(), *(unit.end for unit in counted))
            span = sum((SPANS.get(unit.word, timedelta()) * unit.number for unit in counted), timedelta())
            months = sum(round(CALENDAR_MONTHS.get(unit.word, 0) * unit.number) for unit in counted)
            return _Ago(span, months, start, end)
    return _ago_in_chinese(text)


def _span_words(tokens: list[re.Match[str]]) -> list[re.Match[str]]:
    """The numbers and units at the beginning, after at most two other words: "vor etwa 2 Tagen", "2 дня тому назад"."""
    first = 0
    while first < min(len(tokens), _MAX_FILLERS) and _is_filler(tokens[first][0]):
        first += 1
    last = first
    while last < len(tokens) and _is_span_word(tokens[last][0]):
        last += 1
    return tokens[first:last]


def _is_filler(token: str) -> bool:
    return token.isalpha() and not _is_span_word(token)


def _is_span_word(token: str) -> bool:
    is_number = token[0].isdecimal() or token in NUMBERS
    return is_number or token in SPANS or token in CALENDAR_MONTHS or token in CONNECTORS


class _Unit(NamedTuple):
    """A unit with its number, and where the two stand in the text."""

    word: str
    number: float
    start: int
    end: int

    @property
    def length(self) -> timedelta:
        return SPANS.get(self.word) or CALENDAR_MONTHS[self.word] * timedelta(days=30)


def _units(tokens: list[re.Match[str]]) -> list[_Unit]:
    units: list[_Unit] = []
    number: float | None = None
    start = 0
    for token in tokens:
        word = token[0]
        start = token.start() if number is None else start
        if word[0].isdecimal():
            start = token.start()
            number = _checked(_decimal(word))
        elif word in NUMBERS:
            # "half an hour", "einer halben Stunde": number words multiply.
            number = NUMBERS[word] * (1 if number is None else number)
        elif word not in CONNECTORS:
            # A missing number means one, but the "s" of "it's" is not a second.
            if number is not None or len(word) > 1:
                units.append(_Unit(word, 1.0 if number is None else number, start, token.end()))
            number = None
    return units


def _decimal(written: str) -> float:
    is_grouped = _THOUSANDS.fullmatch(written)
    return float(written.replace(",", "" if is_grouped else "."))


def _descending(units: list[_Unit], *, is_reversed: bool = False) -> int:
    """How many units from the first on belong together: each is smaller than the one that stands before it."""
    for index in range(1, len(units)):
        before, after = units[index - 1].length, units[index].length
        if (before >= after) if is_reversed else (before <= after):
            return index
    return len(units)


def _ago_in_chinese(text: str) -> _Ago | None:
    match = _CHINESE_AGO.search(text)
    if match is None:
        return None
    span, months = timedelta(), 0
    for written, half, unit in _CHINESE_PART.findall(match[0]):
        number = _checked(_chinese_number(written) + (0.5 if half else 0))
        if unit in CHINESE_SPANS:
            span += CHINESE_SPANS[unit] * number
        else:
            months += round(CHINESE_MONTHS[unit] * number)
    return _Ago(span, months, match.start(), match.end())


def _chinese_number(written: str) -> float:
    """`15`, `半`, `三`, `十五` or `二十五`."""
    if written.isdecimal():
        return float(written)
    if written == "半":
        return 0.5
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return float(CHINESE_DIGITS[written])
    return CHINESE_DIGITS.get(tens, 1) * 10.0 + CHINESE_DIGITS.get(ones, 0)


def _checked(number: float) -> float:
    """The number itself; raises `ValueError` if it is too large for a date."""
    if number > _MAX_UNITS_AGO:
        raise ValueError(number)
    return number


def _months_before(moment: datetime, months: int) -> datetime:
    if not months:
        return moment
    year, month = divmod(moment.year * 12 + moment.month - 1 - months, 12)
    return moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))


def _without_year(text: str, now: datetime, today: datetime, timezone: tzinfo) -> datetime | None:
    clock = cut_clock(text)
    rest = clock.rest if clock else text
    if clock and not set(_TOKEN.findall(rest)) - _CLOCK_FILLERS:
        moment = at_clock(today, clock, timezone)
        return (
            moment if moment <= now + _CLOCK_AHEAD else at_clock(today - timedelta(days=1), clock, timezone)
        )
    if match := _MONTH_DAY.search(rest):
        month, day = (int(number) for number in match.groups() if number)
    elif match := _DAY_MONTH.search(rest):
        day, month = int(match[1]), int(match[2])
    elif sum(token.isdecimal() for token in _TOKEN.findall(rest)) == 1:
        return _latest(
            lambda year: (found := parse_date(f"{rest} {year}")) and at_clock(found, clock, timezone),
            now,
            today.year,
        )
    else:
        return None
    return _latest(lambda year: at_clock(datetime(year, month, day), clock, timezone), now, today.year)  # noqa: DTZ001


def _latest(moment_in: Callable[[int], datetime | None], now: datetime, year: int) -> datetime | None:
    """The moment in the most recent year that has one; up to a day ahead is allowed for wrong clocks."""
    for candidate in range(year + 1, year - _MAX_LEAP_GAP_YEARS, -1):
        try:
            moment = moment_in(candidate)
        except ValueError:
            continue
        if moment is not None and moment <= now + timedelta(days=1):
            return moment
    return None
