"""Work that a clock postponed which was ahead, and which nothing else would start before that time has come.

On SQLite there is no clock but the machine's. One that starts hours or days ahead, until it gets the time from the
network, says when everything that it touches is due. What has failed before keeps its time, because a pause that is too
long harms less than one that is left out.
"""

from __future__ import annotations

from sqlalchemy import Column, ColumnElement, Connection, and_, select, update

from inforadar.store.analyses.queries import FRESH
from inforadar.store.clock_sanity import MAX_DRIFT_S
from inforadar.store.schema.articles import articles
from inforadar.store.schema.feeds import feed_schedules
from inforadar.store.schema.items import items
from inforadar.store.schema.rules import channels, deliveries, notifications
from inforadar.store.schema.stories import story_queue
from inforadar.store.types import UtcDateTime, db_later, db_now

_s, _a, _i, _q = feed_schedules.c, articles.c, items.c, story_queue.c
_d, _n = deliveries.c, notifications.c
# When a digest is told, only its time says; what a channel's quiet hours or limit postponed is postponed again.
_TOLD_AT_ONCE = _n.channel_id.in_(
    select(channels.c.id).where(channels.c.settings["digest"].as_string().is_(None))
)
_POSTPONED: tuple[tuple[Column[UtcDateTime], ColumnElement[bool]], ...] = (
    # Fetched at a time that has not come yet: so the next fetch was counted from it.
    (_s.next_run_at, and_(_s.fetched_at > db_later(MAX_DRIFT_S), _s.lease_token.is_(None))),
    (_a.next_attempt_at, and_(_a.attempts == 0, _a.lease_token.is_(None))),
    (_i.analyze_at, and_(FRESH, _i.analyze_token.is_(None))),
    (_q.due_at, _q.lease_token.is_(None)),
    (_d.next_attempt_at, _d.attempts == 0),
    (_n.due_at, _TOLD_AT_ONCE),
)
"""A time at which rows are due, and those of which no more is known than that they are to be done."""


def bring_forward(connection: Connection) -> None:
    """Make work due that a clock which was ahead has postponed."""
    for due, is_new in _POSTPONED:
        late = update(due.table).where(due > db_later(MAX_DRIFT_S), is_new)
        connection.execute(late.values({due.name: db_now()}))
