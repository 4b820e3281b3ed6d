"""Dates as feeds write them, always in UTC.

Written by hand: `email.utils` and `strftime` cost more than the rest of an item, and `strftime` speaks
the language of the machine.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AHEAD = timedelta(days=1)


def rfc822(moment: datetime) -> str:
    """`Fri, 02 Jan 2026 03:04:05 GMT`."""
    utc = _utc(moment)
    return (
        f"{_DAYS[utc.weekday()]}, {utc.day:02} {_MONTHS[utc.month - 1]} {utc.year:04} "
        f"{utc.hour:02}:{utc.minute:02}:{utc.second:02} GMT"
    )


def rfc3339(moment: datetime) -> str:
    """`2026-01-02T03:04:05Z`."""
    return _utc(moment).isoformat(timespec="seconds")[:19] + "Z"


def rfc3339_of_its_own(moment: datetime, digest: str) -> str:
    """The same with a fraction taken from a hex digest, so that no two entries share an instant.

    Items saved together have one time, and readers that sort by it would shuffle them on each build; the
    feed validator warns of it. The seconds are true, and the fraction stays the same for the same item.
    """
    return f"{rfc3339(moment)[:-1]}.{int(digest[:8], 16) % 1_000_000:06}Z"


def is_plausible(moment: datetime, built_at: datetime) -> bool:
    """Not before 1970, not more than a day ahead: such a date is an error and would stay on top for ever."""
    return _EPOCH <= moment <= built_at + _AHEAD


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is UTC:
        return moment
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC)
