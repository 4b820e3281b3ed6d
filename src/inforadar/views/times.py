"""Times and numbers for people, on the page and in the terminal. Pure functions; `now` is an argument."""

from __future__ import annotations

from datetime import UTC, datetime

from inforadar.texts import counted

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY_S = 86400


def local(at: datetime) -> datetime:
    """The time in the reader's zone; one at the end of the calendar, which has none there, stays in UTC."""
    try:
        return at.astimezone()
    except (OverflowError, ValueError, OSError):
        return at.astimezone(UTC)


def shown_time(at: datetime, now: datetime) -> str:
    """`12 minutes ago`, `in 3 hours`; beyond a day `14 Nov, 13:40 UTC`, with the year if it is not this year."""
    distance = (now - at).total_seconds()
    if abs(distance) >= _DAY_S:
        utc = at.astimezone(UTC)
        year = f" {utc.year}" if utc.year != now.astimezone(UTC).year else ""
        return f"{utc.day} {_MONTHS[utc.month - 1]}{year}, {utc:%H:%M} UTC"
    if abs(distance) < 60:
        return "just now" if distance >= 0 else "in a moment"
    length = _length(abs(distance))
    return f"{length} ago" if distance > 0 else f"in {length}"


def full_time(at: datetime) -> str:
    """`14 Nov 2026, 13:40:05 UTC`."""
    utc = at.astimezone(UTC)
    return f"{utc.day} {_MONTHS[utc.month - 1]} {utc.year}, {utc:%H:%M:%S} UTC"


def _length(seconds: float) -> str:
    number, unit = (int(seconds // 3600), "hour") if seconds >= 3600 else (int(seconds // 60), "minute")
    return counted(number, unit)


def shown_number(value: float) -> str:
    """`999`, `2.1K`, `3.4M`; the fraction of a rating is kept."""
    for limit, unit, sign in ((999_950, 1_000_000, "M"), (1_000, 1_000, "K")):
        if abs(value) >= limit:
            return f"{value / unit:.1f}".removesuffix(".0") + sign
    return f"{value:g}"
