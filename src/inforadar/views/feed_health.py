"""The health of a feed in one word and one sentence: what happened, since when, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.store.feeds.queries import MANY_BROKEN
from inforadar.texts import counted


class HealthState(StrEnum):
    """The health states, each with its colour."""

    NEW = "new"
    SUCCESS = "success"
    INCOMPLETE = "incomplete"
    """Fetched, but entries of its document were lost."""
    WAITING = "waiting"
    SUSPENDED = "suspended"
    DISABLED = "disabled"

    @property
    def colour(self) -> str:
        return {
            "new": "blue",
            "success": "green",
            "incomplete": "yellow",
            "waiting": "yellow",
            "suspended": "red",
            "disabled": "grey",
        }[self]


def broken_words(count: int) -> str:
    """The result of `load_broken_count` in words."""
    if count == 1:
        return "1 feed needs you"
    number = f"{count:,}" if count < MANY_BROKEN else f"{MANY_BROKEN:,} or more"
    return f"{number} feeds need you"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    state: HealthState
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Advice on what a person can do about a feed, in the face that they use."""

    unscheduled: str
    suspended: str


IN_TERMINAL = Advice(
    unscheduled="Not scheduled; `inforadar feed sync` fetches it once.",
    suspended="Revive it with `inforadar feed sync`.",
)
ON_PAGE = Advice(unscheduled="Not scheduled.", suspended="Fetch it now to revive it.")


def feed_health(feed: Feed, now: datetime, advice: Advice = IN_TERMINAL) -> Health:
    """Describe the health of a feed, with advice for the face that shows it."""
    state = _state(feed)
    return Health(state=state, sentence=_sentence(feed, state, now, advice))


def _state(feed: Feed) -> HealthState:
    if not feed.enabled:
        return HealthState.DISABLED
    match feed.last_fetch_status:
        case None:
            return HealthState.NEW
        case Outcome.SUCCESS:
            return HealthState.INCOMPLETE if feed.loses_entries else HealthState.SUCCESS
        case Outcome.TEMPORARY_ERROR if feed.next_run_at is not None:
            return HealthState.WAITING
        case _:
            return HealthState.SUSPENDED


def _sentence(feed: Feed, state: HealthState, now: datetime, advice: Advice) -> str:
    if state is HealthState.DISABLED:
        return "Disabled: neither fetched nor served."
    if feed.locked_until is not None and feed.locked_until > now:
        return "Being fetched right now."
    match state:
        case HealthState.NEW:
            return f"Not fetched yet. {_next(feed, now, advice)}"
        case HealthState.SUCCESS | HealthState.INCOMPLETE:
            fetched = f"Fetched {in_words(now, feed.last_fetched_at)}."
            return f"{fetched}{_losses(feed)}{_twin(feed)} {_next(feed, now, advice)}"
        case HealthState.WAITING:
            times = f" It failed {feed.failures} times in a row." if feed.failures > 1 else ""
            return f"{_what_happened(feed)}{times} {_next(feed, now, advice, again=True)}"
    comes = _next(feed, now, advice, again=True) if feed.next_run_at else advice.suspended
    return f"{_what_happened(feed)} Suspended. {comes}"


def _what_happened(feed: Feed) -> str:
    return feed.last_error or "The last fetch failed."


def _losses(feed: Feed) -> str:
    return "".join(f" {warning.text}" for warning in feed.warnings if warning.is_loss)


def _twin(feed: Feed) -> str:
    if feed.duplicate_of is None:
        return ""
    return f" It moved to the URL of feed {feed.duplicate_of}: one of the two is enough."


def _next(feed: Feed, now: datetime, advice: Advice, *, again: bool = False) -> str:
    if feed.requested_at is not None:
        return "Requested; a worker fetches it next."
    if feed.next_run_at is None:
        return advice.unscheduled
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
    words = counted(count, unit)
    return f"in {words}" if seconds > 0 else f"{words} ago"
