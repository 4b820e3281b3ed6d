"""The health of a feed in one word and one sentence: what happened, since when, and what comes next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from inforadar.model.feed import Feed
from inforadar.model.http import Outcome
from inforadar.store.feeds.queries import MANY_BROKEN
from inforadar.translations import gettext as _
from inforadar.translations import ngettext, pgettext, say_again, term


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
    if count >= MANY_BROKEN:
        return _("%(count)s or more feeds need you", count=f"{MANY_BROKEN:,}")
    return ngettext("%(count)s feed needs you", "%(count)s feeds need you", count, count=f"{count:,}")


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
IN_APP = Advice(
    unscheduled="Not scheduled; f fetches it now.", suspended="f fetches it now, e changes its URL."
)
ON_PAGE = Advice(
    unscheduled=term("advice", "Not scheduled."), suspended=term("advice", "Fetch it now to revive it.")
)


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
        return _("Disabled: neither fetched nor served.")
    if feed.locked_until is not None and feed.locked_until > now:
        return _("Being fetched right now.")
    match state:
        case HealthState.NEW:
            return f"{feed.last_error or _('Not fetched yet.')} {_next(feed, now, advice)}"
        case HealthState.SUCCESS | HealthState.INCOMPLETE:
            fetched = _("Fetched %(time)s.", time=in_words(now, feed.last_fetched_at))
            stopped = f" {feed.last_error}" if feed.last_error else ""
            return f"{fetched}{stopped}{_losses(feed)}{_twin(feed)} {_next(feed, now, advice)}"
        case HealthState.WAITING:
            return f"{_what_happened(feed)}{_failures(feed)} {_next(feed, now, advice, again=True)}"
    comes = _next(feed, now, advice, again=True) if feed.next_run_at else pgettext("advice", advice.suspended)
    return " ".join((_what_happened(feed), _("Suspended."), comes))


def _failures(feed: Feed) -> str:
    if feed.failures < 2:
        return ""
    return " " + ngettext(
        "It failed %(num)s time in a row.", "It failed %(num)s times in a row.", feed.failures
    )


def _what_happened(feed: Feed) -> str:
    return say_again(feed.last_error) if feed.last_error else _("The last fetch failed.")


def _losses(feed: Feed) -> str:
    return "".join(f" {warning.text}" for warning in feed.warnings if warning.is_loss)


def _twin(feed: Feed) -> str:
    if feed.duplicate_of is None:
        return ""
    return " " + _("It moved to the URL of feed %(id)s: one of the two is enough.", id=feed.duplicate_of)


def _next(feed: Feed, now: datetime, advice: Advice, *, again: bool = False) -> str:
    if feed.requested_at is not None:
        return _("Requested; a worker fetches it next.")
    if feed.next_run_at is None:
        return pgettext("advice", advice.unscheduled)
    when = in_words(now, feed.next_run_at)
    return _("Trying again %(time)s.", time=when) if again else _("Next %(time)s.", time=when)


_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def in_words(now: datetime, then: datetime | None) -> str:
    """`3 minutes ago`, `in 2 hours`, `now`."""
    if then is None:
        return _("never")
    seconds = (then - now).total_seconds()
    size = abs(seconds)
    if size < 5:
        return _("now")
    length, unit = next((length, unit) for length, unit in _UNITS if size >= length)
    count = round(size / length)
    return _in(count, unit) if seconds > 0 else _ago(count, unit)


def _in(count: int, unit: str) -> str:
    match unit:
        case "day":
            return ngettext("in %(num)s day", "in %(num)s days", count)
        case "hour":
            return ngettext("in %(num)s hour", "in %(num)s hours", count)
        case "minute":
            return ngettext("in %(num)s minute", "in %(num)s minutes", count)
        case _:
            return ngettext("in %(num)s second", "in %(num)s seconds", count)


def _ago(count: int, unit: str) -> str:
    match unit:
        case "day":
            return ngettext("%(num)s day ago", "%(num)s days ago", count)
        case "hour":
            return ngettext("%(num)s hour ago", "%(num)s hours ago", count)
        case "minute":
            return ngettext("%(num)s minute ago", "%(num)s minutes ago", count)
        case _:
            return ngettext("%(num)s second ago", "%(num)s seconds ago", count)
