"""How a feed is doing, in one word and one sentence: what happened, since when, what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome


class Health(StrEnum):
    """With the colour each has everywhere."""

    NEW = "new"
    SUCCESS = "success"
    WAITING = "waiting"
    SUSPENDED = "suspended"
    DISABLED = "disabled"

    @property
    def colour(self) -> str:
        return {
            "new": "blue",
            "success": "green",
            "waiting": "yellow",
            "suspended": "red",
            "disabled": "grey",
        }[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    health: Health
    sentence: str


def health_of(feed: Feed, now: datetime) -> HealthReport:
    """The sentence is for people, in the voice of the rest of the interface."""
    if not feed.enabled:
        return HealthReport(health=Health.DISABLED, sentence="Disabled. Nothing is fetched or served.")
    if feed.last_fetch_status is None and feed.last_error is None:
        return HealthReport(health=Health.NEW, sentence=f"Not fetched yet. {_next(feed, now)}")
    if feed.last_error is None:
        ago = f"Fetched {in_words(now, feed.last_fetched_at)}." if feed.last_fetched_at else "Fetched."
        return HealthReport(health=Health.SUCCESS, sentence=f"{ago} {_next(feed, now)}")
    if feed.next_run_at is not None and feed.last_fetch_status is Outcome.TEMPORARY_ERROR:
        return HealthReport(
            health=Health.WAITING, sentence=f"{feed.last_error} {_next(feed, now, again=True)}"
        )
    comes = (
        "Revive it with `inforadar feed sync`." if feed.next_run_at is None else _next(feed, now, again=True)
    )
    return HealthReport(health=Health.SUSPENDED, sentence=f"{feed.last_error} Suspended. {comes}")


def _next(feed: Feed, now: datetime, *, again: bool = False) -> str:
    if feed.requested_at is not None:
        return "Asked for; a worker takes it next."
    if feed.next_run_at is None:
        return "Not scheduled; `inforadar feed sync` fetches it once."
    word = "Trying again" if again else "Next"
    return f"{word} {in_words(now, feed.next_run_at)}."


_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def in_words(now: datetime, then: datetime | None) -> str:
    """`3 minutes ago`, `in 2 hours`, `now`."""
    if then is None:
        return "never"
    seconds = (then - now).total_seconds()
    size = abs(seconds)
    if size < 5:
        return "now"
    length, unit = next((length, unit) for length, unit in _UNITS if size >= length)
    count = round(size / length)
    words = f"{count} {unit}{'s' if count != 1 else ''}"
    return f"in {words}" if seconds > 0 else f"{words} ago"
