"""How a feed is doing, in one word and one sentence: the same on the page, in the terminal and in listings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome


class HealthState(StrEnum):
    """Each has its colour: green, yellow, red, grey, and none for what has not begun."""

    SUCCESS = "success"
    WAITING = "waiting"
    SUSPENDED = "suspended"
    DISABLED = "disabled"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    state: HealthState
    sentence: str


_FAILED = {
    Outcome.TEMPORARY_ERROR: "The last fetch failed",
    Outcome.PERMANENT_ERROR: "The last fetch failed for good",
    Outcome.UNAUTHORIZED: "The site refused us",
}


def feed_health(feed: Feed, now: datetime) -> Health:
    state = _state(feed)
    if state is not HealthState.DISABLED:
        if feed.locked_until and feed.locked_until > now:
            return Health(state=state, sentence="Being fetched right now.")
        if feed.requested_at:
            return Health(state=state, sentence="Asked for; a worker takes it next.")
    return Health(state=state, sentence=_sentence(feed, state))


def _state(feed: Feed) -> HealthState:
    if not feed.enabled:
        return HealthState.DISABLED
    match feed.last_fetch_status:
        case None:
            return HealthState.NEW
        case Outcome.SUCCESS:
            return HealthState.SUCCESS
        case _:
            return HealthState.WAITING if feed.next_run_at else HealthState.SUSPENDED


def _sentence(feed: Feed, state: HealthState) -> str:
    match state:
        case HealthState.DISABLED:
            return "Disabled: neither fetched nor served."
        case HealthState.NEW:
            return "Not fetched yet." if feed.next_run_at else "Not fetched yet, and not scheduled."
        case HealthState.SUCCESS:
            return "The last fetch went well."
    assert feed.last_fetch_status is not None
    failed = _FAILED[feed.last_fetch_status]
    if state is HealthState.WAITING:
        times = f", {feed.failures} times in a row" if feed.failures > 1 else ""
        return f"{failed}{times}. It is tried again."
    return f"{failed}. It stays out of the schedule until you sync it."
