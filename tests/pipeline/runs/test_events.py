"""Recording a run's progress: every line is stored once, whenever the run ends."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection, update

from inforadar.model.ids import RunId
from inforadar.model.progress import Progress, ProgressKind
from inforadar.model.run import RunDetails, RunKind
from inforadar.pipeline.runs.events import RunRecorder
from inforadar.store.database import Database, open_database
from inforadar.store.runs.queries import load_events
from inforadar.store.runs.save import insert_run
from inforadar.store.schema.runs import runs


def line(run_id: RunId, text: str) -> Progress:
    return Progress(run_id=run_id, at=datetime.now(UTC), kind=ProgressKind.LINE, text=text)


@pytest.mark.parametrize("turns", [0, 1, 5, 50])
async def test_what_is_being_written_when_a_run_ends_is_neither_lost_nor_written_twice(
    database: Database, database_url: str, turns: int
) -> None:
    """The run ends while the first lines wait for the database, as far into that as `turns` of the event loop."""
    run_id = await database.write(insert_run, RunKind.FETCH, datetime.now(UTC))
    is_locked, may_go_on = threading.Event(), threading.Event()

    def lock_run(connection: Connection) -> None:
        connection.execute(update(runs).where(runs.c.id == run_id).values(errors_count=0))
        is_locked.set()
        assert may_go_on.wait(30)

    async def lock_apart() -> None:
        async with open_database(database_url) as other:
            await other.write(lock_run)

    recorder = RunRecorder(database, run_id, RunDetails(), listener=lambda event: None, on_stop=lambda: None)
    locking = asyncio.create_task(asyncio.to_thread(asyncio.run, lock_apart()))
    assert await asyncio.to_thread(is_locked.wait, 30)
    loop = asyncio.get_running_loop()
    async with recorder:
        recorder.hear(line(run_id, "первая 🗞"))
        for _ in range(turns):
            await asyncio.sleep(0)
        recorder.hear(line(run_id, "第二行"))
        loop.call_later(0.05, may_go_on.set)
    await locking
    told = [event.text for _, event in await database.read(load_events, run_id)]
    assert told == ["первая 🗞", "第二行"]
