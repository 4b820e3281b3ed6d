"""Entries dated years ahead: a mistake of the source, and no date of an article."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from inforadar.model.item import Listed

MAX_AHEAD = timedelta(days=366)
"""A feed may announce what is to come, but not from farther than this."""


def without_far_dates(listed: Sequence[Listed], at: datetime) -> Sequence[Listed]:
    """Drop dates that are too far ahead of `at`, when the listing was read: such an entry has none."""
    latest = at + MAX_AHEAD
    if not any(_is_far(entry.published_at, latest) or _is_far(entry.updated_at, latest) for entry in listed):
        return listed
    return [
        replace(
            entry,
            published_at=None if _is_far(entry.published_at, latest) else entry.published_at,
            updated_at=None if _is_far(entry.updated_at, latest) else entry.updated_at,
        )
        for entry in listed
    ]


def _is_far(date: datetime | None, latest: datetime) -> bool:
    return date is not None and date > latest
