"""Times and numbers for people, on the page and in the terminal. Pure functions; `now` is an argument."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from inforadar.errors import UsageError
from inforadar.translations import gettext as _
from inforadar.translations import ngettext, pgettext, term

_MONTHS = (
    term("month", "Jan"),
    term("month", "Feb"),
    term("month", "Mar"),
    term("month", "Apr"),
    term("month", "May"),
    term("month", "Jun"),
    term("month", "Jul"),
    term("month", "Aug"),
    term("month", "Sep"),
    term("month", "Oct"),
    term("month", "Nov"),
    term("month", "Dec"),
)
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
        if utc.year == now.astimezone(UTC).year:
            return _("%(day)s %(month)s, %(time)s UTC", day=utc.day, month=_month(utc), time=f"{utc:%H:%M}")
        return _dated(utc, f"{utc:%H:%M}")
    if abs(distance) < 60:
        return _("just now") if distance >= 0 else _("in a moment")
    return distance_words(distance)


def full_time(at: datetime) -> str:
    """`14 Nov 2026, 13:40:05 UTC`."""
    utc = at.astimezone(UTC)
    return _dated(utc, f"{utc:%H:%M:%S}")


def shown_day(day: date, today: date) -> str:
    """`14 Nov`, with the year if it is not this year."""
    if day.year == today.year:
        return _("%(day)s %(month)s", day=day.day, month=_month(day))
    return _("%(day)s %(month)s %(year)s", day=day.day, month=_month(day), year=day.year)


def _dated(utc: datetime, clock: str) -> str:
    return _(
        "%(day)s %(month)s %(year)s, %(time)s UTC", day=utc.day, month=_month(utc), year=utc.year, time=clock
    )


def _month(at: date) -> str:
    return pgettext("month", _MONTHS[at.month - 1])


def distance_words(seconds: float) -> str:
    """`3 minutes ago` for a positive distance, `in 2 hours` for a negative one; hours, minutes."""
    number = abs(seconds)
    hours, minutes = int(number // 3600), int(number // 60)
    if seconds > 0:
        if hours:
            return ngettext("%(num)s hour ago", "%(num)s hours ago", hours)
        return ngettext("%(num)s minute ago", "%(num)s minutes ago", minutes)
    if hours:
        return ngettext("in %(num)s hour", "in %(num)s hours", hours)
    return ngettext("in %(num)s minute", "in %(num)s minutes", minutes)


def shown_number(value: float) -> str:
    """`999`, `2.1K`, `3.4M`; the fraction of a rating is kept."""
    point = pgettext("decimal separator", ".")
    if abs(value) >= 999_950:
        return _("%(number)sM", number=f"{value / 1_000_000:.1f}".removesuffix(".0").replace(".", point))
    if abs(value) >= 1_000:
        return _("%(number)sK", number=f"{value / 1_000:.1f}".removesuffix(".0").replace(".", point))
    return f"{value:g}".replace(".", point)


def grouped(value: float) -> str:
    """`12,345`, without a fraction."""
    return f"{value:,.0f}".replace(",", pgettext("thousands separator", ","))


def shown_counter(name: str, value: float) -> str:
    """A counter's number, the same in every view; a rating above zero has its sign: `+5`."""
    return f"+{shown_number(value)}" if name == "rating" and value > 0 else shown_number(value)


_SPAN_UNITS = {"m": "minutes", "h": "hours", "d": "days"}
_MAX_SPAN = 100_000


def parse_span(text: str) -> timedelta:
    """Parse `90m`, `24h` or `7d`."""
    number, unit = text[:-1], text[-1:]
    if unit not in _SPAN_UNITS or not number.isdecimal() or not 0 < int(number[:9]) <= _MAX_SPAN:
        raise UsageError(f"{text!r} is no span of time. Give minutes, hours or days: 90m, 24h, 7d.")
    return timedelta(**{_SPAN_UNITS[unit]: int(number)})
