"""Parses dates as pages write them: ISO-like, mail dates, and day, month and year in many languages.

A date without a time becomes midnight, and a time without a zone UTC: the page does not say more.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from inforadar.clock_words import AM_WORDS, PM_WORDS, ZONE_MINUTES

MAX_SEARCHED_CHARACTERS = 200
"""Only the start of a text is searched: in a text about a date, the date comes early."""
_OLDEST = datetime(1995, 1, 1, tzinfo=UTC)
"""An earlier date is older than news on the web: the digits mean something else."""

_Y = r"(?P<year>(?:19|20)\d\d)"
_SHORT_YEAR = r"(?P<short_year>[0-4]\d)(?![\d/.-])"
_NAME = r"(?P<name>[^\W\d_]{3,12})\.?"
_CLOCK = (
    r"(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"(?:\s*(?P<half>[ap]\.?\s?m\b\.?))?"
)
_HALF_BEFORE = r"(?P<half_before>[上下]午|午[前後]|早上|晚上|凌晨|오[전후])"
# Upper case only: "et" after a time is French for "and".
_ZONE_NAME = rf"(?:(?:UTC|GMT)[+-]\d\d?(?::?\d\d)?|(?-i:{'|'.join(ZONE_MINUTES)})\b)"
_ISO_ZONE = rf"(?:\s*\(?(?P<zone>{_ZONE_NAME}|[+-]\d\d:?\d\d|(?<!\s)[+-]\d\d(?![\d:])))?"
# No colon in the offset: "09:00-11:00" next to a written date is a time range.
_TIME = rf"{_CLOCK}(?:\s*\(?(?P<zone>{_ZONE_NAME}|[+-]\d{{4}}(?!\d)))?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_Y}[-/.]?(?P<month>\d\d)[-/.]?(?P<day>\d\d)(?:[T\s]+{_CLOCK}{_ISO_ZONE})?(?!\d)",
        rf"{_Y}\s*[年년]\s*(?P<month>\d\d?)\s*[月월]\s*(?P<day>\d\d?)\s*[日일]?"
        rf"(?:\D{{0,6}}?{_HALF_BEFORE}?\s*{_TIME})?",
        rf"(?<!\d){_Y}\s+{_NAME}\s+(?P<day>\d\d?)(?!\d)",
        rf"(?<!\d){_Y}[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)(?!\d)(?:\D{{1,3}}{_TIME})?",
        rf"{_NAME}\s+(?P<day>\d\d?)(?:st|nd|rd|th)?\s*,?\s+{_Y}(?!\d)(?:\D{{1,9}}{_TIME})?",
        rf"(?<!\d)(?P<day>\d\d?)(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+|of\s+|d['’])?{_NAME},?\s+(?:del?\s+)?{_Y}(?!\d)"
        rf"(?:\D{{1,9}}{_TIME})?",
        # With slashes the month comes first if possible, as in the United States; otherwise the day does.
        rf"(?<![\d/.-])(?P<month>0?[1-9]|1[0-2])/(?P<day>\d\d?)/{_Y}(?![\d/.-])(?:\D{{1,5}}{_TIME})?",
        rf"(?<![\d/.-])(?P<day>\d\d?)([./-])(?P<month>\d\d?)\2{_Y}(?![\d/.-])(?:\D{{1,5}}{_TIME})?",
        # Years of two digits, only if the text holds nothing else but a word or a clock: elsewhere these are versions.
        rf"^\D{{0,30}}(?P<month>0?[1-9]|1[0-2])/(?P<day>\d\d?)/{_SHORT_YEAR}(?:\D{{1,5}}{_TIME})?\D{{0,8}}$",
        rf"^\D{{0,30}}(?P<day>\d\d)([./])(?P<month>\d\d)\2{_SHORT_YEAR}(?:\D{{1,5}}{_TIME})?\D{{0,8}}$",
    )
)

_OFFSET = re.compile(r"([+-])(\d\d?):?(\d\d)?$")
_DOTS = re.compile(r"[.\s]+")

# Prefixes of month names in lower case; the longest match counts.
_MONTHS = {
    1: "jan ene gen янв січ sty oca يناير كانون led ιαν",
    2: "feb fév fev лют фев lut şub فبراير شباط únor φεβ",
    3: "mar mär mrt maart март мар бер مارس آذار břez μαρ",
    4: "apr avr abr апр кві kwi nis أبريل نيسان dub απρ",
    5: "may mai mei maj мая май тра مايو أيار květ μαΐ μάι mag",
    6: "jun juin июн чер cze haz يونيو حزيران ιουν giu",
    7: "jul juil июл лип lip tem يوليو تموز červenc ιουλ lug",
    8: "aug aoû aou ago авг сер sie ağu أغسطس srp αύγ αυγ",
    9: "sep set сен вер wrz eyl سبتمبر أيلول září σεπ",
    10: "oct okt out окт жов paź eki أكتوبر تشرين říj οκτ ott",
    11: "nov ноя лис lis kas نوفمبر list νοέ νοε",
    12: "dec déc dic dez дек гру gru ara ديسمبر prosin δεκ",
}
_MONTH_OF = {name: number for number, names in _MONTHS.items() for name in names.split()}
_LONGEST_PREFIX = max(map(len, _MONTH_OF))


def parse_date(text: str) -> datetime | None:
    """Return the first date in a text, aware; None if there is no plausible one."""
    text = text.strip()[:MAX_SEARCHED_CHARACTERS]
    found = _from_timestamp(text)
    for pattern in _PATTERNS:
        if found is not None:
            break
        match = pattern.search(text)
        found = _from_parts(match.groupdict()) if match else None
    found = found or _from_mail_date(text)
    return found if found is not None and found >= _OLDEST else None


def _from_timestamp(text: str) -> datetime | None:
    if text.isdecimal() and len(text) in (10, 13):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    return None


def _from_mail_date(text: str) -> datetime | None:
    """Parse old mail dates, such as two-digit years. Tried last: it knows neither a.m./p.m. nor most zones."""
    if text[:1].isalpha() and text[3:4] == ",":
        try:
            found = parsedate_to_datetime(text)
            # Convert to UTC, as it will be stored: a date that overflows then is not valid.
            return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            return None
    return None


def _from_parts(parts: dict[str, str | None]) -> datetime | None:
    month = int(parts["month"] or 0) if "month" in parts else _month_number(parts["name"] or "")
    try:
        day = datetime(
            int(parts.get("year") or f"20{parts['short_year']}"),
            month,
            int(parts["day"] or 0),
            tzinfo=_zone(parts.get("zone")),
        )
    except ValueError:
        return None
    try:
        return day.replace(
            hour=_hour(parts), minute=int(parts.get("minute") or 0), second=int(parts.get("second") or 0)
        )
    except ValueError:
        return day


def _hour(parts: dict[str, str | None]) -> int:
    """Return the hour on the 24-hour clock, after applying a.m. or p.m."""
    hour = int(parts.get("hour") or 0)
    half = _DOTS.sub("", parts.get("half") or parts.get("half_before") or "").lower()
    if half in PM_WORDS and hour < 12:
        return hour + 12
    return 0 if half in AM_WORDS and hour == 12 else hour


def _month_number(name: str) -> int:
    """Return 1 to 12, or 0 if the word is not a month."""
    name = name.lower()
    for length in range(min(len(name), _LONGEST_PREFIX), 2, -1):
        if name[:length] in _MONTH_OF:
            return _MONTH_OF[name[:length]]
    return 0


def _zone(text: str | None) -> timezone:
    match = _OFFSET.search(text or "")
    if match is None:
        return timezone(timedelta(minutes=ZONE_MINUTES[text])) if text else UTC
    offset = timedelta(hours=int(match[2]), minutes=int(match[3] or 0))
    if offset > timedelta(hours=14):
        return UTC
    return timezone(-offset if match[1] == "-" else offset)
