"""How far down a paged site is walked, where nobody said otherwise."""

from __future__ import annotations

from datetime import date, datetime, timedelta

DEFAULT_DEPTH = timedelta(days=30)


def default_cutoff(added_at: datetime) -> date:
    """So long before the feed was added (A1)."""
    return (added_at - DEFAULT_DEPTH).date()
