"""Save the state of hosts that all processes on this database share: slots, pauses, robots.txt (P10).

One statement takes the slots of many hosts, and one frees many: there is no query per request. A taken slot is held
until the request has surely ended; then its end sets the time of the next one. So a process that dies blocks a host
only for the length of one request.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, literal, or_, select, update

from inforadar.store.clock_sanity import ABSURD_WAIT_S, is_absurd
from inforadar.store.hosts.queries import StoredRobots
from inforadar.store.schema.hosts import hosts
from inforadar.store.types import db_later, db_now
from inforadar.store.upsert import upsert

_h = hosts.c


def reserve_slots(
    connection: Connection, names: Sequence[str], hold_s: float
) -> dict[str, tuple[float, float]]:
    """Take the slot of each free host: (0, 0); for the others, the seconds until the slot and the pause end."""
    until = db_later(literal(hold_s))
    # Always in the same order, so that two workers cannot deadlock.
    row = upsert(connection, hosts).values([{"host": name, "next_free_at": until} for name in sorted(names)])
    taken = connection.execute(
        row.on_conflict_do_update(
            index_elements=["host"],
            set_={"next_free_at": until, "updated_at": db_now()},
            where=_is_over(_h.next_free_at) & _is_over(_h.paused_until),
        ).returning(_h.host)
    ).scalars()
    waits = dict.fromkeys(taken, (0.0, 0.0))
    busy = [name for name in names if name not in waits]
    if busy:
        query = select(_h.host, _h.next_free_at, _h.paused_until, db_now().label("now")).where(
            _h.host.in_(busy)
        )
        for found in connection.execute(query):
            slot_s, pause_s = (
                _seconds_left(until, found.now) for until in (found.next_free_at, found.paused_until)
            )
            # Never (0, 0) for a refused slot, even if it became free at this moment.
            waits[found.host] = (slot_s or 0.001, pause_s)
    return waits


def _is_over(until: ColumnElement[datetime]) -> ColumnElement[bool]:
    return or_(until.is_(None), until <= db_now(), is_absurd(until))


def _seconds_left(until: datetime | None, now: datetime) -> float:
    left_s = (until - now).total_seconds() if until else 0.0
    return left_s if 0.0 < left_s <= ABSURD_WAIT_S else 0.0


def free_slots(connection: Connection, delays: Mapping[str, float]) -> None:
    """Free each host after its number of seconds, because the request to it has ended."""
    rows = [{"b_host": name, "b_delay": delays[name]} for name in sorted(delays)]
    connection.execute(
        update(hosts)
        .where(_h.host == bindparam("b_host"))
        .values(next_free_at=db_later(bindparam("b_delay"))),
        rows,
    )


def pause_host(connection: Connection, name: str, seconds: float, reason: str) -> None:
    """Pause a host for this long (429); a longer pause already set stays."""
    until = db_later(literal(seconds))
    connection.execute(
        upsert(connection, hosts)
        .values(host=name, paused_until=until, pause_reason=reason)
        .on_conflict_do_update(
            index_elements=["host"],
            set_={"paused_until": until, "pause_reason": reason, "updated_at": db_now()},
            where=_is_over(_h.paused_until) | (_h.paused_until < until),
        )
    )


def save_robots(connection: Connection, name: str, robots: StoredRobots, crawl_delay_s: float | None) -> None:
    values = {
        "robots_access": robots.access,
        "robots_text": robots.text,
        "robots_at": robots.at,
        "crawl_delay_s": crawl_delay_s,
    }
    connection.execute(
        upsert(connection, hosts)
        .values(host=name, **values)
        .on_conflict_do_update(index_elements=["host"], set_={**values, "updated_at": db_now()})
    )
