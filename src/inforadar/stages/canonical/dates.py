"""When an article was published and updated, with the zone if the page knows it.

Machine-readable statements come first, each asked for publication before modification; a visible date near the
top of the article is the last resort, read in the languages that news is written in. A date without
a time is midnight UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

_ISO = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-/.]?(\d\d)[-/.]?(\d\d)"
    r"(?:[T\s]+(\d\d?):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?(?!\d)",
    re.IGNORECASE,
)
_CJK = re.compile(
    r"((?:19|20)\d\d)\s*[年년]\s*(\d\d?)\s*[月월]\s*(\d\d?)\s*[日일]?(?:[^\d]{0,6}(\d\d?)[:：時时시](\d\d))?"
)
_NUMERIC = re.compile(
    r"(?<![\d/.-])(\d\d?)([./-])(\d\d?)\2((?:19|20)\d\d)(?![\d/.-])(?:\D{1,5}(\d\d?):(\d\d))?"
)
_YEAR_FIRST = re.compile(r"(?<!\d)((?:19|20)\d\d)[-/.](\d\d?)[-/.](\d\d?)(?!\d)(?:\D{1,3}(\d\d?):(\d\d))?")
_DAY_MONTH = re.compile(
    r"(?<!\d)(\d\d?)(?:st|nd|rd|th|er|º|\.)?\s+(?:de\s+|of\s+|d['’])?([^\W\d_]{3,12})\.?,?\s+(?:de[l]?\s+)?((?:19|20)\d\d)(?!\d)(?:\D{1,9}(\d\d?):(\d\d))?"
)
_YEAR_MONTH = re.compile(r"(?<!\d)((?:19|20)\d\d)\s+([^\W\d_]{3,12})\.?\s+(\d\d?)(?!\d)")
_MONTH_DAY = re.compile(
    r"([^\W\d_]{3,12})\.?\s+(\d\d?)(?:st|nd|rd|th)?\s*,?\s+((?:19|20)\d\d)(?!\d)(?:\D{1,9}(\d\d?):(\d\d)\s*([ap]m)?)?",
    re.IGNORECASE,
)

# Beginnings of month names, lower case; the longest match counts.
_MONTHS = {
    1: "jan ene gen янв січ sty oca يناير كانون janv styczn led ιαν",
    2: "feb fév fev лют фев lut şub ubat فبراير شباط únor φεβ",
    3: "mar mär mrt maart март мар бер mart مارس آذار břez μαρ marz",
    4: "apr avr abr апр кві kwi nis أبريل نيسان dub απρ",
    5: "may mai mei maj мая май тра mayıs مايو أيار květ μαΐ μάι mag",
    6: "jun juin июн чер cze haz يونيو حزيران ιουν giu",
    7: "jul juil июл лип lip tem يوليو تموز červenc ιουλ lug",
    8: "aug aoû aou ago авг сер sie ağu أغسطس آب srp αύγ αυγ",
    9: "sep set сен вер wrz eyl سبتمبر أيلول září σεπ",
    10: "oct okt out окт жов paź pazd eki أكتوبر تشرين říj οκτ ott",
    11: "nov ноя лис lis kas نوفمبر list νοέ νοε",
    12: "dec déc dic dez дек гру gru ara ديسمبر prosin δεκ",
}
_MONTH_OF = {name: number for number, names in _MONTHS.items() for name in names.split()}
_LONGEST = max(map(len, _MONTH_OF))

_OLDEST = datetime(1995, 1, 1, tzinfo=UTC)


def parse_date(text: str) -> datetime | None:
    """The first date in a text, aware; None if there is none, or it is older than news on the web."""
    text = text.strip()[:200]
    found = _iso(text) or _written(text)
    if found is None:
        return None
    return found if found >= _OLDEST else None


def _iso(text: str) -> datetime | None:
    match = _ISO.search(text)
    if match:
        year, month, day, hour, minute, second, zone = match.groups()
        return _made(year, month, day, hour, minute, second, zone)
    if text[:1].isalpha() and "," in text[:12]:
        try:
            found = parsedate_to_datetime(text)
        except ValueError:
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    if text.isdigit() and len(text) in (10, 13):
        return datetime.fromtimestamp(int(text[:10]), UTC)
    return None


def _written(text: str) -> datetime | None:
    match = _YEAR_MONTH.search(text)
    if match and (month := month_number(match[2])):
        return _made(match[1], month, match[3])
    for pattern in (_CJK, _YEAR_FIRST):
        match = pattern.search(text)
        if match:
            return _made(*match.groups())
    match = _MONTH_DAY.search(text)
    if match and (month := month_number(match[1])):
        hour = match[4]
        if hour and match[6] and match[6].lower() == "pm" and int(hour) < 12:
            hour = str(int(hour) + 12)
        return _made(match[3], month, match[2], hour, match[5])
    match = _DAY_MONTH.search(text)
    if match and (month := month_number(match[2])):
        return _made(match[3], month, match[1], match[4], match[5])
    match = _NUMERIC.search(text)
    if match:
        first, separator, second, year, hour, minute = match.groups()
        # With slashes the month may come first (United States); elsewhere the day does.
        month_first = separator == "/" and int(first) <= 12
        day, month = (second, first) if month_first else (first, second)
        return _made(year, month, day, hour, minute)
    return None


def month_number(name: str) -> int | None:
    name = name.lower()
    for length in range(min(len(name), _LONGEST), 2, -1):
        number = _MONTH_OF.get(name[:length])
        if number:
            return number
    return None


def _made(
    year: str, month: str | int, day: str, hour: str | None = None, minute: str | None = None,
    second: str | None = None, zone: str | None = None,
) -> datetime | None:  # fmt: skip
    try:
        return datetime(
            int(year),
            int(month),
            int(day),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            tzinfo=_zone(zone),
        )
    except ValueError:
        try:
            return datetime(int(year), int(month), int(day), tzinfo=UTC)
        except ValueError:
            return None


def _zone(text: str | None) -> timezone:
    if not text or text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:4]))
    if offset > timedelta(hours=14):
        return UTC
    return timezone(-offset if text[0] == "-" else offset)
