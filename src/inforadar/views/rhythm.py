"""Why a feed is polled next at its time, in a sentence, and its week as a small map (Q4)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from inforadar.model.feed import Feed
from inforadar.model.rhythm import HOURS, PollReason, Rhythm
from inforadar.stages.rhythm.forecast import HOUR_PSEUDO_ITEMS, Forecast
from inforadar.translations import gettext as _
from inforadar.translations import pgettext, term

DAY_NAMES = (
    term("day", "Monday"),
    term("day", "Tuesday"),
    term("day", "Wednesday"),
    term("day", "Thursday"),
    term("day", "Friday"),
    term("day", "Saturday"),
    term("day", "Sunday"),
)
MIN_ITEMS = 5.0
"""With fewer items than this, nothing is said about a feed's habits."""
_SHADES = " ░▒▓█"
_WHYS = {
    PollReason.INTERVAL: term("polling", "It is polled at the fixed interval."),
    PollReason.MINIMUM: term("polling", "News is likely, so only the minimum interval is waited."),
    PollReason.FRESHNESS: term(
        "polling", "The server says that its answer is valid until then (max-age or Expires)."
    ),
    PollReason.TTL: term("polling", "The feed asks for that interval (ttl)."),
    PollReason.UPDATE_PERIOD: term("polling", "The feed asks for that interval (sy:updatePeriod)."),
    PollReason.SKIPPED_TIME: term(
        "polling", "The feed asks not to be fetched before (skipHours or skipDays)."
    ),
    PollReason.UNCHANGED: term(
        "polling", "The server sends the whole document each time, and it has not changed for a week."
    ),
    PollReason.ERROR: term("polling", "The last fetch failed."),
    PollReason.PUSH: term("polling", "A hub tells us when there is something new; this look only checks it."),
    PollReason.PUSHED: term("polling", "A hub announced something that the feed did not show yet."),
}


def week_map(rhythm: Rhythm | None, feed: Feed, now: datetime) -> list[list[float]]:
    """How likely news is in each hour of each day, Monday first, in the feed's zone: 0 to 1, 1 the likeliest."""
    if rhythm is None:
        return []
    forecast = Forecast(rhythm, now.timestamp(), feed.zone)
    most = max(forecast.days) * max(forecast.hours)
    return [[round(day * hour / most, 3) for hour in forecast.hours] for day in forecast.days]


def week_lines(week: Sequence[Sequence[float]]) -> list[str]:
    """The week map as lines for a terminal, one a day, one character an hour."""
    return [
        f"{name[:3]} {''.join(_SHADES[round(value * (len(_SHADES) - 1))] for value in day)}"
        for name, day in zip(DAY_NAMES, week, strict=False)
    ]


def polling_sentence(feed: Feed, rhythm: Rhythm | None, now: datetime) -> str:
    """`Usually posts on weekdays between 7 and 9; next look 07:10.`, with the reason if it is not the rhythm."""
    sentences = [] if rhythm is None else [_habits(rhythm, feed, now)]
    if feed.next_run_at is not None and feed.enabled and feed.polling:
        local, today = feed.next_run_at.astimezone(feed.zone), now.astimezone(feed.zone).date()
        day = "" if local.date() == today else f"{pgettext('day', DAY_NAMES[local.weekday()])} "
        sentences.append(_("next look %(time)s", time=f"{day}{local:%H:%M}"))
    said = "; ".join(sentence for sentence in sentences if sentence)
    whole = f"{said[0].upper()}{said[1:]}." if said else ""
    why = pgettext("polling", _WHYS.get(feed.reason, "")) if feed.reason and feed.next_run_at else None
    return " ".join(part for part in (whole, why) if part)


def _habits(rhythm: Rhythm, feed: Feed, now: datetime) -> str:
    """When the feed usually posts, if that is known."""
    if rhythm.shaped < MIN_ITEMS:
        return _("too few items yet to know when it posts")
    forecast = Forecast(rhythm, now.timestamp(), feed.zone)
    # The forecast passes part of each hour to its neighbours, which would make the span too long for people.
    hours = [count + HOUR_PSEUDO_ITEMS / HOURS for count in rhythm.hours]
    return _("usually posts %(days)s %(hours)s", days=_days(forecast.days), hours=_hours(hours))


def _days(days: Sequence[float]) -> str:
    often = [number for number, share in enumerate(days) if share >= 0.6]
    if often == [0, 1, 2, 3, 4]:
        return _("on weekdays")
    if often == [5, 6]:
        return _("at weekends")
    if not often or len(often) > 4:
        return _("on any day")
    names = ", ".join(pgettext("on a day", DAY_NAMES[number]) for number in often)
    return _("on %(days)s", days=names)


def _hours(hours: Sequence[float]) -> str:
    """The shortest span of hours, perhaps over midnight, with two thirds of the items."""
    total = sum(hours)
    for length in range(1, HOURS // 2 + 1):
        best = max(range(HOURS), key=lambda start: sum(hours[(start + n) % HOURS] for n in range(length)))
        if sum(hours[(best + n) % HOURS] for n in range(length)) >= total * 2 / 3:
            return _("between %(first)s and %(last)s", first=best, last=(best + length) % HOURS or HOURS)
    return _("at any hour")
