"""Limits on how far ahead a stored time may be. A time beyond them was written while a clock was wrong.

A machine without a clock battery may start years ahead or behind, until it gets the time from the network. Work
postponed in between would not be done for years: such work counts as due, and such a lease as expired.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, select

from inforadar.clock import utc_now
from inforadar.store.types import db_later, db_now

MAX_WAIT_S = 7 * 86400.0
"""Maximum wait for a host's pause and delay, and for the next attempt at an article or an analysis."""
ABSURD_WAIT_S = MAX_WAIT_S + 86400.0
"""No such wait is this long; the extra day allows for clocks that differ a little."""

MAX_DRIFT_S = 60.0
"""A clock that is corrected by less than this was not wrong."""

MIN_SKEW = timedelta(seconds=5)
"""Clocks that differ by less than this agree."""


def load_clock_skew(connection: Connection) -> timedelta:
    """How far the database's clock is ahead of this machine's. On SQLite they are the same."""
    skew = connection.execute(select(db_now())).scalar_one() - utc_now()
    return skew if abs(skew) >= MIN_SKEW else timedelta(0)


def is_absurd(at: ColumnElement[datetime], ahead_s: float = ABSURD_WAIT_S) -> ColumnElement[bool]:
    """Condition: the time is further ahead than any correct clock would have set it."""
    return at > db_later(ahead_s)
