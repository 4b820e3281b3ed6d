"""Limits on how far ahead a stored time may be. A time beyond them was written while a clock was wrong.

A machine without a clock battery may start years ahead or behind, until it gets the time from the network. Work
postponed in between would not be done for years: such work counts as due, and such a lease as expired.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement

from inforadar.store.types import db_later

MAX_WAIT_S = 7 * 86400.0
"""Maximum wait for a host's pause and delay, and for the next attempt at an article or an analysis."""
ABSURD_WAIT_S = MAX_WAIT_S + 86400.0
"""No such wait is this long; the extra day allows for clocks that differ a little."""


def is_absurd(at: ColumnElement[datetime], ahead_s: float = ABSURD_WAIT_S) -> ColumnElement[bool]:
    """Condition: the time is further ahead than any correct clock would have set it."""
    return at > db_later(ahead_s)
