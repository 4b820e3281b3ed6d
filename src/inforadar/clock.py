"""The current time. Code that depends on it takes `now` as an argument; this is the default."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    return datetime.now(UTC)
