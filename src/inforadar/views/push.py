"""A feed's push in a sentence and as JSON, for every face."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inforadar.model.push import PushState, PushSubscription, hits_needed
from inforadar.translations import gettext as _
from inforadar.translations import ngettext, say_again
from inforadar.urls import hostname
from inforadar.views.revisions import utc_text


def push_sentence(push: PushSubscription | None, now: datetime) -> str:
    """How a feed's hub pushes; empty if it has none. Names of hubs come from the web: escape them."""
    if push is None:
        return ""
    return " ".join(filter(None, _sentences(push, hostname(push.hub), now)))


def _sentences(push: PushSubscription, hub: str, now: datetime) -> tuple[str, ...]:
    error = say_again(push.error) if push.error else ""
    match push.state:
        case PushState.WANTED:
            return (_("Push: %(hub)s will be asked to tell us what is new.", hub=hub),)
        case PushState.ASKED:
            return (_("Push: %(hub)s was asked and has not confirmed it yet.", hub=hub), error)
        case PushState.FAILED:
            again = _("Next attempt %(time)s.", time=utc_text(push.due_at)) if push.due_at else ""
            return (_("Push: not through %(hub)s.", hub=hub), error, again)
        case PushState.ACTIVE:
            return (_active(push, hub), _proof(push, now), error)


def _active(push: PushSubscription, hub: str) -> str:
    if not push.lease_until:
        return _("Push: %(hub)s tells us what is new.", hub=hub)
    until = utc_text(push.lease_until)
    return _("Push: %(hub)s tells us what is new, until %(time)s.", hub=hub, time=until)


def _proof(push: PushSubscription, now: datetime) -> str:
    count = push.push_count
    pushes = ngettext("%(num)s push so far", "%(num)s pushes so far", count, num=f"{count:,}")
    if push.is_alive(now):
        return _("It is polled once a day as a check (%(pushes)s).", pushes=pushes)
    if push.missed_at is not None and push.hits == 0:
        missed = utc_text(push.missed_at)
        return _("It is polled as usual: on %(time)s a poll found what no push had told.", time=missed)
    missing = hits_needed(push.misses) - push.hits
    more = ngettext("%(num)s more push", "%(num)s more pushes", missing)
    return _("It is polled as usual until %(more)s proved right (%(pushes)s).", more=more, pushes=pushes)


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
