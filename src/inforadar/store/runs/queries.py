"""Queries about runs: reports, progress events, and open fetch runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Text, and_, cast, func, or_, select

from inforadar.errors import NotFoundError, UsageError
from inforadar.model.ids import RunId
from inforadar.model.progress import Progress, ProgressKind
from inforadar.model.run import Report, RunDetails, RunKind
from inforadar.store.clock_sanity import is_absurd
from inforadar.store.feeds.queries import ends_with
from inforadar.store.schema.items import item_changes, items
from inforadar.store.schema.runs import run_events, runs
from inforadar.store.types import db_later, db_now

_r = runs.c

ABSURD_ALIVE_S = 3600.0
"""No run says that it will live this long; the clock was wrong when it was written."""
IS_DEAD = or_(_r.alive_until < db_now(), is_absurd(_r.alive_until, ABSURD_ALIVE_S))
"""Condition: the process that executed the run no longer does. Not true of a run without heartbeats."""
MAX_EVENTS = 2000
"""Maximum number of progress events stored per run; later ones are not stored."""
TOLD_WITHIN_S = 2.0
"""How long after the end of a run its last events may come."""
_NO_RUN = "There is no run {}. `inforadar run list` shows them."


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs to list, by when they started."""

    since: datetime | None = None
    until: datetime | None = None

    @property
    def conditions(self) -> list[ColumnElement[bool]]:
        from_ = [runs.c.started_at >= self.since] if self.since else []
        return from_ + ([runs.c.started_at < self.until] if self.until else [])


ALL_RUNS = RunFilter()


def load_runs(
    connection: Connection,
    *,
    limit: int = 50,
    before: RunId | None = None,
    wanted: RunFilter = ALL_RUNS,
    oldest_first: bool = False,
) -> list[Report]:
    """Load reports without the lists of articles; with `before`, those that come after that run in the list."""
    started, id_ = runs.c.started_at, runs.c.id
    order = (started.asc(), id_.asc()) if oldest_first else (started.desc(), id_.desc())
    query = select(runs).where(*wanted.conditions).order_by(*order).limit(limit)
    if before is not None:
        at = connection.execute(select(started).where(id_ == before)).scalar()
        if at is None:
            raise NotFoundError(_NO_RUN.format(before))
        if oldest_first:
            query = query.where(started >= at, or_(started > at, id_ > before))
        else:
            query = query.where(started <= at, or_(started < at, id_ < before))
    return [_report(row) for row in connection.execute(query)]


def find_run(connection: Connection, reference: str) -> RunId:
    """Find a run by id, or by a unique beginning or end of it."""
    text = reference.strip().lower().replace("-", "")
    id_text = func.replace(cast(_r.id, Text), "-", "")
    begins = func.substr(id_text, 1, len(text)) == text
    query = select(_r.id).where(or_(begins, ends_with(id_text, text))).order_by(_r.id.desc()).limit(2)
    found = list(connection.execute(query).scalars()) if text else []
    if len(found) > 1:
        raise UsageError(
            f"{reference!r} fits several runs. Give more of the id; `inforadar run list` shows them."
        )
    if not found:
        raise NotFoundError(_NO_RUN.format(reference))
    return RunId(found[0])


def count_runs(connection: Connection, wanted: RunFilter = ALL_RUNS) -> int:
    query = select(func.count()).select_from(runs).where(*wanted.conditions)
    return connection.execute(query).scalar_one()


def load_run(connection: Connection, run_id: RunId) -> Report:
    """Load a report without its lists of articles, which may be long."""
    row = connection.execute(select(runs).where(runs.c.id == run_id)).first()
    if row is None:
        raise NotFoundError(_NO_RUN.format(run_id))
    return _report(row)


def load_report(connection: Connection, run_id: RunId) -> Report:
    """Load a whole report (A10). An article that several feeds list is named once."""
    row = connection.execute(select(runs).where(runs.c.id == run_id)).first()
    if row is None:
        raise NotFoundError(_NO_RUN.format(run_id))
    added = connection.execute(
        select(items.c.url).where(items.c.run_id == run_id).order_by(items.c.id)
    ).scalars()
    changes: dict[str, dict[str, tuple[Any, Any]]] = {}
    query = (
        select(items.c.url, item_changes.c.fields)
        .join_from(item_changes, items, items.c.id == item_changes.c.item_id)
        .where(item_changes.c.run_id == run_id)
        .order_by(item_changes.c.at, item_changes.c.id)
    )
    for change in connection.execute(query):
        fields = changes.setdefault(change.url, {})
        for name, (old, new) in change.fields.items():
            fields[name] = (fields[name][0] if name in fields else old, new)
    return _report(row, added=tuple(dict.fromkeys(added)), changes=changes)


def _report(
    row: Row[Any],
    added: tuple[str, ...] = (),
    changes: Mapping[str, Mapping[str, tuple[Any, Any]]] | None = None,
) -> Report:
    changes = changes or {}
    return Report(
        run_id=row.id,
        kind=RunKind(row.kind),
        started_at=row.started_at,
        finished_at=row.finished_at,
        interrupted=row.interrupted,
        added_count=row.added_count,
        updated_count=row.updated_count,
        errors_count=row.errors_count,
        added_articles=added,
        updated_articles=tuple(changes),
        updated_fields_map=changes,
        details=msgspec.convert(row.details, RunDetails),
        is_wanted=row.wanted_at is not None,
        stop_asked=row.stop_at is not None,
    )


def is_run_finished(connection: Connection, run_id: RunId) -> bool:
    return _ask_run(connection, run_id, _r.finished_at.is_not(None))


def is_run_told(connection: Connection, run_id: RunId) -> bool:
    """Whether the run is finished and all its events are stored: the last ones come just after its end.

    A process that died in between stores none any more.
    """
    e = run_events.c
    ended = select(e.seq).where(e.run_id == run_id, e.kind == ProgressKind.FINISHED.value).exists()
    is_long_ago = _r.finished_at < db_later(-TOLD_WITHIN_S)
    return _ask_run(connection, run_id, and_(_r.finished_at.is_not(None), or_(is_long_ago, ended)))


def _ask_run(connection: Connection, run_id: RunId, condition: ColumnElement[bool]) -> bool:
    row = connection.execute(select(condition).where(_r.id == run_id)).first()
    if row is None:
        raise NotFoundError(_NO_RUN.format(run_id))
    return bool(row[0])


def load_events(
    connection: Connection, run_id: RunId, *, after: int = -1, limit: int = 500
) -> list[tuple[int, Progress]]:
    """The events of a run after number `after`, each with its number, so that a viewer can continue where it was."""
    e = run_events.c
    query = select(run_events).where(e.run_id == run_id, e.seq > after).order_by(e.seq).limit(limit)
    return [
        (
            row.seq,
            Progress(
                run_id=row.run_id,
                at=row.at,
                kind=ProgressKind(row.kind),
                feed_id=row.feed_id,
                label=row.label,
                text=row.text,
                found=row.found,
                done=row.done,
                pages=row.pages,
            ),
        )
        for row in connection.execute(query)
    ]


def has_fetch_work(connection: Connection) -> bool:
    """Whether a run was requested or abandoned. Cheap: two short indexes."""
    query = select(func.count()).where(or_(_r.wanted_at.is_not(None), IS_DEAD))
    return connection.execute(query).scalar_one() > 0


def load_open_fetch_runs(connection: Connection) -> list[RunId]:
    """Fetch runs that wait for a worker or are running, newest first."""
    is_open = or_(_r.wanted_at.is_not(None), and_(_r.alive_until.is_not(None), ~IS_DEAD))
    query = select(_r.id).where(is_open, _r.finished_at.is_(None)).order_by(_r.id.desc())
    return list(connection.execute(query).scalars())
