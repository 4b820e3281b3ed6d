"""Recording the progress of a run in batches, so that a page in another process can show it live (A6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import structlog

from inforadar.errors import InfoRadarError
from inforadar.model.ids import RunId
from inforadar.model.progress import Listener, Progress, ProgressKind
from inforadar.model.run import RunDetails, RunNumbers
from inforadar.store.database import Database
from inforadar.store.runs.fetch_runs import ALIVE_S, save_heartbeat
from inforadar.store.runs.queries import MAX_EVENTS

FLUSH_S = 0.5
RESERVED_EVENTS = 100
"""Events reserved for the end of a run, so that its result is recorded however many lines came before."""

log = structlog.get_logger()


class RunRecorder:
    """Passes a run's progress on to the listener and records it: every line, and only the latest numbers.

    It also checks whether someone requested that the run stop.
    """

    def __init__(
        self,
        database: Database,
        run_id: RunId,
        details: RunDetails,
        *,
        listener: Listener,
        on_stop: Callable[[], None],
    ) -> None:
        self._database = database
        self._run_id = run_id
        self._details = details
        self._listener = listener
        self._on_stop = on_stop
        self._lines: list[Progress] = []
        self._numbers: Progress | None = None
        self._seq = 0
        self._ended = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> RunRecorder:
        self._task = asyncio.create_task(self._run(), name="run-events")
        return self

    async def __aexit__(self, *_: object) -> None:
        # Not cancelled: what is being written would be lost, or written without being counted.
        self._ended.set()
        if self._task:
            await asyncio.gather(self._task, return_exceptions=True)
        await self._flush(is_last=True)

    def hear(self, event: Progress) -> None:
        self._listener(event)
        if event.kind is ProgressKind.LINE:
            self._lines.append(event)
        else:
            self._numbers = event

    async def _run(self) -> None:
        quiet_s = ALIVE_S
        while not self._ended.is_set():
            if self._lines or self._numbers or quiet_s >= ALIVE_S / 3:
                await self._flush()
                quiet_s = 0.0
            with suppress(TimeoutError):
                async with asyncio.timeout(FLUSH_S):
                    await self._ended.wait()
            quiet_s += FLUSH_S

    async def _flush(self, *, is_last: bool = False) -> None:
        lines, self._lines = self._lines, []
        numbers, self._numbers = self._numbers, None
        # When there is no room left, only the numbers in the run's row and the end of the run are recorded.
        room = max(MAX_EVENTS - RESERVED_EVENTS - self._seq, 0)
        lines = lines[-RESERVED_EVENTS + 1 :] if is_last else lines[:room]
        if numbers:
            self._details.progress = RunNumbers(
                phase=numbers.kind, found=numbers.found, done=numbers.done, pages=numbers.pages
            )
        has_room = is_last or len(lines) < room
        events = [*lines, numbers] if numbers and has_room else lines
        try:
            asked_to_stop = await self._database.write(
                save_heartbeat, self._run_id, self._seq, events, self._details
            )
        except InfoRadarError as fault:
            # The run uses the same database and reports the error itself; the lines are sent again later.
            log.warning("run.not_told", run_id=str(self._run_id), error=str(fault))
            self._lines = lines + self._lines
            self._numbers = self._numbers or numbers
            return
        self._seq += len(events)
        if asked_to_stop:
            self._on_stop()
