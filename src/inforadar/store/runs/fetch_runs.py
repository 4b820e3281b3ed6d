"""Fetch runs across processes: one requests a run, another executes it, and any can watch it and ask it to stop.

    request_fetch_run ──► claim_fetch_run ──► save_heartbeat, … ──► finish_run
       the web page          a worker            saves events and numbers; returns `request_stop`

The executing process renews `alive_until` every few seconds. If it is killed, that is noticed, and the run is closed as
interrupted; what it had found waits on disk for the next run.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, insert, select, update

from inforadar.model.ids import RunId, new_uuid
from inforadar.model.progress import Progress
from inforadar.model.run import RunDetails, RunKind
from inforadar.store.runs.queries import IS_DEAD
from inforadar.store.runs.save import finish_run, save_events
from inforadar.store.schema.runs import runs
from inforadar.store.types import db_later, db_now

_r = runs.c


ALIVE_S = 30.0
"""How long a run counts as alive after a heartbeat."""


def request_fetch_run(connection: Connection, details: RunDetails) -> RunId:
    """Request a run; the next free worker executes it. `details` are the settings of its `FetchRun`."""
    run_id = RunId(new_uuid())
    values = {"id": run_id, "kind": RunKind.FETCH.value, "details": msgspec.to_builtins(details)}
    connection.execute(insert(runs).values(**values, started_at=db_now(), wanted_at=db_now()))
    return run_id


def claim_fetch_run(connection: Connection) -> tuple[RunId, RunDetails] | None:
    """Claim the run that was requested longest ago, with its details."""
    longest = (
        select(_r.id, _r.details)
        .where(_r.wanted_at.is_not(None))
        .order_by(_r.wanted_at, _r.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    if (row := connection.execute(longest).first()) is None:
        return None
    taken = {"wanted_at": None, "started_at": db_now(), "alive_until": db_later(ALIVE_S)}
    connection.execute(update(runs).where(_r.id == row.id).values(**taken))
    return row.id, msgspec.convert(row.details, RunDetails)


def request_stop(connection: Connection, run_id: RunId) -> None:
    """Ask a run to stop between two items. A run that nobody has claimed never starts."""
    running = (_r.id == run_id, _r.finished_at.is_(None))
    connection.execute(update(runs).where(*running).values(stop_at=db_now()))
    waiting = update(runs).where(*running, _r.wanted_at.is_not(None))
    connection.execute(waiting.values(wanted_at=None, finished_at=db_now(), interrupted=True))


def save_heartbeat(
    connection: Connection,
    run_id: RunId,
    first_seq: int,
    events: Sequence[Progress],
    details: RunDetails,
) -> bool:
    """Record that the run is alive, and its progress; return whether someone asked it to stop."""
    save_events(connection, run_id, first_seq, events)
    values = {"alive_until": db_later(ALIVE_S), "details": msgspec.to_builtins(details)}
    said = update(runs).where(_r.id == run_id, _r.finished_at.is_(None)).values(**values)
    return connection.execute(said.returning(_r.stop_at)).scalar() is not None


def close_dead_runs(connection: Connection) -> None:
    """Close the runs of processes that died: their results are what was saved until then."""
    dead = connection.execute(select(_r.id, _r.alive_until, db_now().label("now")).where(IS_DEAD)).all()
    for row in dead:
        finish_run(connection, row.id, min(row.alive_until, row.now), interrupted=True)
