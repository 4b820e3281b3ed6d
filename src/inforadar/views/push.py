"""A feed's push in a sentence and as JSON, for every face."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inforadar.model.push import PushState, PushSubscription, hits_needed
from inforadar.urls import hostname
from inforadar.views.revisions import utc_text


def push_sentence(push: PushSubscription | None, now: datetime) -> str:
    """How a feed's hub pushes; empty if it has none. Names of hubs come from the web: escape them."""
    if push is None:
        return ""
    hub = hostname(push.hub)
    match push.state:
        case PushState.WANTED:
            return f"Push: {hub} will be asked to tell us what is new."
        case PushState.ASKED:
            return f"Push: {hub} was asked and has not confirmed it yet.{_error(push)}"
        case PushState.FAILED:
            again = f" Next attempt {utc_text(push.due_at)}." if push.due_at else ""
            return f"Push: not through {hub}.{_error(push)}{again}"
        case PushState.ACTIVE:
            return f"Push: {hub} tells us what is new{_lease(push)}. {_proof(push, now)}{_error(push)}"


def _error(push: PushSubscription) -> str:
    return f" {push.error}" if push.error else ""


def _lease(push: PushSubscription) -> str:
    return f", until {utc_text(push.lease_until)}" if push.lease_until else ""


def _proof(push: PushSubscription, now: datetime) -> str:
    pushes = f"{_pushes(push.push_count)} so far"
    if push.is_alive(now):
        return f"It is polled once a day as a check ({pushes})."
    if push.missed_at is not None and push.hits == 0:
        return f"It is polled as usual: on {utc_text(push.missed_at)} a poll found what no push had told."
    missing = hits_needed(push.misses) - push.hits
    return f"It is polled as usual until {_pushes(missing, 'more ')} proved right ({pushes})."


def _pushes(number: int, more: str = "") -> str:
    return f"{number:,} {more}{'push' if number == 1 else 'pushes'}"


def push_document(push: PushSubscription | None, now: datetime) -> dict[str, Any] | None:
    """The subscription as JSON; null if the feed names no hub, or push is off."""
    if push is None:
        return None
    times = {
        "lease_until": push.lease_until,
        "verified_at": push.verified_at,
        "pushed_at": push.pushed_at,
        "missed_at": push.missed_at,
        "next_attempt_at": push.due_at,
    }
    return {
        "hub": push.hub,
        "topic": push.topic,
        "state": push.state.value,
        "alive": push.is_alive(now),
        "pushes": push.push_count,
        "misses": push.misses,
        "error": push.error,
        **{name: at.isoformat() if at else None for name, at in times.items()},
        "sentence": push_sentence(push, now),
    }
