"""Dates as feeds write them, always in UTC.

Formatted by hand: `email.utils` and `strftime` take longer than the rest of an item, and `strftime` depends on
the machine's locale.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MAX_AHEAD = timedelta(days=1)


def rfc822(moment: datetime) -> str:
    """Format like `Fri, 02 Jan 2026 03:04:05 GMT`."""
    utc = _utc(moment)
    return (
        f"{_DAYS[utc.weekday()]}, {utc.day:02} {_MONTHS[utc.month - 1]} {utc.year:04} "
        f"{utc.hour:02}:{utc.minute:02}:{utc.second:02} GMT"
    )


def rfc3339(moment: datetime) -> str:
    """Format like `2026-01-02T03:04:05Z`."""
    return _utc(moment).isoformat(timespec="seconds")[:19] + "Z"


def rfc3339_unique(moment: datetime, digest: str) -> str:
    """Format like `rfc3339`, with a fraction made from a hex digest, so that no two entries share an instant.

    Items saved together have the same time; readers that sort by it would shuffle them on each build, and the
    feed validator warns about it. The seconds are real, and the fraction is always the same for an item.
    """
    return f"{rfc3339(moment)[:-1]}.{int(digest[:8], 16) % 1_000_000:06}Z"


def is_plausible(moment: datetime, built_at: datetime) -> bool:
    """Is it after 1970 and at most a day ahead? Other dates are errors; a future one would stay on top forever."""
    return _EPOCH <= moment <= built_at + _MAX_AHEAD


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC)
