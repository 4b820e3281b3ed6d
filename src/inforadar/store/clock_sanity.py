"""How far ahead a moment may lie. What stands further away was written while a clock was wrong.

A machine without a battery starts years ahead or behind until somebody tells it the time. What was put off meanwhile
would be silent until then: it counts as due, a lease that runs until then as none.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement

from inforadar.store.types import db_later

LONGEST_WAIT_S = 7 * 86400.0
"""A host's pause and delay, and the next attempt at an article or an analysis, are put off no longer than this."""
ABSURD_WAIT_S = LONGEST_WAIT_S + 86400.0
"""Nothing of these lies so far ahead; the day more is for clocks that differ a little."""


def is_absurd(at: ColumnElement[datetime], ahead_s: float = ABSURD_WAIT_S) -> ColumnElement[bool]:
    return at > db_later(ahead_s)
