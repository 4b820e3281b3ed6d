"""Save runs: start, end, and the progress events with which one process can show another's run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, func, insert, select, update

from inforadar.model.ids import RunId, new_uuid
from inforadar.model.progress import Progress
from inforadar.model.run import RunDetails, RunKind
from inforadar.store.runs.queries import MAX_EVENTS
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.runs import run_events, runs


def insert_run(
    connection: Connection, kind: RunKind, at: datetime, details: RunDetails | None = None
) -> RunId:
    run_id = RunId(new_uuid())
    stored = msgspec.to_builtins(details) if details else {}
    connection.execute(insert(runs).values(id=run_id, kind=kind.value, started_at=at, details=stored))
    return run_id


def continue_run(connection: Connection, run_id: RunId) -> bool:
    """Reopen a finished run that has more to do. Returns False if it was deleted meanwhile."""
    opened = update(runs).where(runs.c.id == run_id).values(finished_at=None).returning(runs.c.id)
    return connection.execute(opened).first() is not None


def finish_run(
    connection: Connection,
    run_id: RunId,
    at: datetime,
    *,
    errors: int = 0,
    interrupted: bool = False,
    details: RunDetails | None = None,
) -> None:
    """Close the run; its added and changed items are counted from the items themselves, each URL once."""
    number = func.count(items.c.url.distinct())
    added = connection.execute(select(number).where(items.c.run_id == run_id)).scalar_one()
    changed = select(number).join_from(item_changes, items, items.c.id == item_changes.c.item_id)
    updated = connection.execute(changed.where(item_changes.c.run_id == run_id)).scalar_one()
    values: dict[str, Any] = {
        "finished_at": at,
        "added_count": added,
        "updated_count": updated,
        "errors_count": errors,
        "interrupted": interrupted,
        "alive_until": None,
    }
    if details is not None:
        values["details"] = msgspec.to_builtins(details)
    connection.execute(update(runs).where(runs.c.id == run_id).values(**values))


def save_events(connection: Connection, run_id: RunId, first_seq: int, events: Sequence[Progress]) -> None:
    """Append progress events, as long as the run has fewer than `MAX_EVENTS`."""
    rows = [
        {
            "run_id": run_id,
            "seq": seq,
            "at": event.at,
            "kind": event.kind.value,
            "feed_id": event.feed_id,
            "label": event.label,
            "text": event.text[:2000],
            "found": event.found,
            "done": event.done,
            "pages": event.pages,
        }
        for seq, event in enumerate(events, first_seq)
        if seq < MAX_EVENTS
    ]
    if rows:
        connection.execute(insert(run_events), rows)
