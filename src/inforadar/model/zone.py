"""Time zones of feeds: what a date that names none is read in, and what it was read in before (X8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from inforadar.errors import UsageError


def zone_named(name: object) -> tzinfo:
    """The zone of that name; UTC without one."""
    try:
        return UTC if not name or name == "UTC" else ZoneInfo(str(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(f"{name!r} is no time zone; write it like Europe/Moscow.") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redating:
    """A feed's zone was changed: its stored dates stand in another one until they are read again."""

    zone: tzinfo
    before: tzinfo

    def formerly(self, moment: datetime) -> datetime:
        """What a date that is read as `moment` now was read as then, if it names no zone."""
        try:
            return moment.astimezone(self.zone).replace(tzinfo=self.before).astimezone(UTC)
        except OverflowError:  # at the end of the calendar
            return moment
