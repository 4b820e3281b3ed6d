"""Dates as listings show them to people: "3 hours ago", "вчера в 10:01", "gestern, 18:30", "昨天 10:01", "6 апр".

They mean something only with the moment at which they were read and the zone of the site, so both are given. A feed
is not read this way: there a date is written for machines, and "yesterday" is a mistake (`dates.parse_date`).

A whole date wins over a relative one in the same text. A date without a year is the latest such day that is not
in the future, and a time without a day is today's, or yesterday's if that is still to come.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

from inforadar.stages.discover.dates.absolute import at_clock, cut_clock, parse_date
from inforadar.stages.discover.dates.relative_words import (
    CALENDAR_MONTHS,
    CHINESE_DIGITS,
    CHINESE_MONTHS,
    CHINESE_SPANS,
    DAYS,
    JUST_NOW,
    MARKERS,
    NOW_ALONE,
    NUMBERS,
    SPANS,
)

_LONGEST = 120
_MOST = 10_000
"""No listing says "20,000 days ago"; what does is no date."""

_LEAP = 8
"""Years between two 29ths of February, at most."""

_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_CHINESE_PAIR = (
    rf"(\d{{1,5}}|[半十{''.join(CHINESE_DIGITS)}]{{1,3}})\s*个?(半?)\s*"
    rf"({'|'.join(sorted([*CHINESE_SPANS, *CHINESE_MONTHS], key=len, reverse=True))})"
)
_CHINESE_AGO = re.compile(rf"(?:{_CHINESE_PAIR}\s*[零又]?){{1,4}}[之以]?前")
_CHINESE_PART = re.compile(_CHINESE_PAIR)
_DAY = re.compile(
    "|".join(
        # Words end where letters end; a Chinese one is followed by whatever comes next.
        word if word[0] >= "⺀" else rf"(?<![^\W\d_]){word}(?![^\W\d_])"
        for word in sorted(DAYS, key=len, reverse=True)
    )
)
_CLOCK_WORDS = (
    (re.compile(r"(?<![\d.:])(\d{1,2})\s*([ap])\.?m\b"), r"\1:00 \2m"),
    (re.compile(r"(?<![\d.:])(\d{1,2})\s*uhr\b"), r"\1:00"),
    (re.compile(r"(?<![\d.:])(\d{1,2})[.](\d{2})\s*uhr\b"), r"\1:\2"),
    (re.compile(r"(?:\b(?:в|um|o|at|godz)\b\.?|,)\s*(\d{1,2})[.](\d{2})(?![\d.])"), r" \1:\2"),
    (re.compile(r"(?<!\d)(\d{1,2})[点點](?!\s*\d)"), r"\1:00"),
)
"""Times without minutes, or with a point: put as a clock shows them."""

_AROUND_CLOCK = frozenset({"at", "в", "o", "um", "uhr", "godz"})
_MONTH_DAY = re.compile(r"(?<!\d)(\d{1,2})\s*月\s*(\d{1,2})|(?<![\d-])(\d{2})-(\d{2})(?![\d-])")
_DAY_MONTH = re.compile(r"(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.?(?![\d.])")


def parse_listing_date(text: str, now: datetime, timezone: tzinfo = UTC) -> datetime | None:
    """The moment that `text` named at `now`, in UTC, or nothing; `timezone` is where the site's clock hangs."""
    folded = " ".join(text.split()).casefold()
    if not folded or len(folded) > _LONGEST:
        return None
    for pattern, replacement in _CLOCK_WORDS:
        folded = pattern.sub(replacement, folded)
    try:
        found = parse_date(folded, timezone) or _relative(folded, now, timezone)
    except (ValueError, OverflowError):
        return None
    return found and found.astimezone(UTC).replace(microsecond=0)


def parse_formatted_date(
    text: str, date_format: str, now: datetime, timezone: tzinfo = UTC
) -> datetime | None:
    """The moment in a text that is written as `strptime` has it; without a year in it, the latest such day."""
    folded = " ".join(text.split())

    def read(text: str, form: str) -> datetime:
        moment = datetime.strptime(text, form)  # noqa: DTZ007 - its zone comes with the next line
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone)).astimezone(UTC)

    try:
        if any(f"%{directive}" in date_format for directive in "YyGcxs"):
            return read(folded, date_format)
        # Read together with a year: without one there would be no 29th of February.
        year = now.astimezone(timezone).year
        return _latest(lambda year: read(f"{year} {folded}", f"%Y {date_format}"), now, year)
    except (ValueError, OverflowError):
        return None


def _relative(text: str, now: datetime, timezone: tzinfo) -> datetime | None:
    if text in NOW_ALONE or any(phrase in text for phrase in JUST_NOW):
        return now
    today = now.astimezone(timezone).replace(hour=0, minute=0, second=0, microsecond=0)
    if match := _DAY.search(text):
        return at_clock(today - timedelta(days=DAYS[match[0]]), cut_clock(text), timezone)
    back = _ago(text) or _ago_in_chinese(text)
    if back is not None:
        span, months = back
        return _months_before(now.astimezone(timezone), months) - span
    return _without_year(text, now, today, timezone)


def _ago(text: str) -> tuple[timedelta, int] | None:
    """How long ago, as a span of time and a number of months; all that is told counts: "1 hour 5 minutes"."""
    tokens = _TOKEN.findall(text)
    if not MARKERS.intersection(tokens):
        return None
    span, months, is_told = timedelta(), 0, False
    number: float | None = None
    for token in tokens:
        if token.isdecimal():
            number = _checked(float(token))
        elif token in NUMBERS:
            # "half an hour", "einer halben Stunde": words for numbers multiply.
            number = NUMBERS[token] * (1 if number is None else number)
        else:
            # "An hour ago" is one; but the "s" of "it's" is no second.
            if number is None and len(token) > 1:
                number = 1
            if number is not None and (token in SPANS or token in CALENDAR_MONTHS):
                span += SPANS.get(token, timedelta()) * number
                months += round(CALENDAR_MONTHS.get(token, 0) * number)
                is_told = True
            number = None
    return (span, months) if is_told else None


def _ago_in_chinese(text: str) -> tuple[timedelta, int] | None:
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
    return span, months


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
    if number > _MOST:
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
    if clock and not set(_TOKEN.findall(rest)) - _AROUND_CLOCK:
        moment = at_clock(today, clock, timezone)
        return moment if moment <= now else at_clock(today - timedelta(days=1), clock, timezone)
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
    """That moment in the last year that had it; a day ahead is allowed to clocks that go wrong."""
    for candidate in range(year + 1, year - _LEAP, -1):
        try:
            moment = moment_in(candidate)
        except ValueError:
            continue
        if moment is not None and moment <= now + timedelta(days=1):
            return moment
    return None
