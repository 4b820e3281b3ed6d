"""Read a feed's hints about how often to fetch it: ttl, skipHours, skipDays, sy:updatePeriod."""

from __future__ import annotations

from inforadar.model.hints import ScheduleHints
from inforadar.stages.discover.feed.fields import Fields

_PERIOD_S = {
    "hourly": 3600,
    "daily": 86_400,
    "weekly": 7 * 86_400,
    "monthly": 30 * 86_400,
    "yearly": 365 * 86_400,
}
_WEEKDAYS = {"mon": 0, "tue": 1, "wed": 2, "thu": 3, "fri": 4, "sat": 5, "sun": 6}


def read_hints(fields: Fields) -> ScheduleHints:
    """Read the schedule hints from the fields of a channel."""
    minutes = fields.number(("ttl",))
    period = fields.texts.get("sy:updateperiod", "").lower()
    frequency = fields.number(("sy:updatefrequency",))
    # If one of the two is missing, the RSS module's default applies: daily, once.
    seconds = _PERIOD_S.get(period or "daily", 0) // (frequency or 1) if period or frequency else 0
    hours = (int(hour) for hour in _words(fields, "skiphours") if hour.isdecimal() and len(hour) < 3)
    return ScheduleHints(
        ttl_s=minutes * 60 if minutes else None,
        # Netscape counted the hours from 1 to 24, so 24 is midnight.
        skip_hours=frozenset(hour % 24 for hour in hours if hour <= 24),
        skip_days=frozenset(_WEEKDAYS[day[:3]] for day in _words(fields, "skipdays") if day[:3] in _WEEKDAYS),
        update_period_s=seconds or None,
    )


def _words(fields: Fields, key: str) -> list[str]:
    element = fields.elements.get(key)
    return [(child.text or "").strip().lower() for child in element] if element is not None else []
