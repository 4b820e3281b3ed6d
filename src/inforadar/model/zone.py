"""Time zones of feeds: they apply to dates that do not name one (X8)."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from inforadar.errors import UsageError


def zone_named(name: object) -> tzinfo:
    """The zone of that name; UTC without one."""
    try:
        return UTC if not name or name == "UTC" else ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"{name!r} is no time zone; write it like Europe/Moscow.") from None


def former_reading(moment: datetime, *, zone: tzinfo, former: tzinfo) -> datetime:
    """Return how `former` reads a date without a zone that `zone` reads as `moment`."""
    try:
        return moment.astimezone(zone).replace(tzinfo=former).astimezone(UTC)
    except OverflowError:  # at the end of the calendar
        return moment


class DateCorrection(NamedTuple):
    """A date to correct, if `before` is what is stored for the URL."""

    url: str
    before: datetime
    after: datetime
