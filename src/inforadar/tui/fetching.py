"""A fetch that runs beside the screen: what it tells on its way is kept until the screen takes it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from inforadar.config import Settings
from inforadar.model.progress import Progress
from inforadar.model.run import Report
from inforadar.tui.background import run_apart

if TYPE_CHECKING:
    from inforadar.pipeline.fetch_run import FetchRun
    from inforadar.tui.view import View


class Fetching:
    """One run. All but `run` is called from the screen's thread, the run lives in its own."""

    def __init__(self) -> None:
        self._events: deque[Progress] = deque()
        self._run: FetchRun | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_stopping = False

    async def run(self, settings: Settings, view: View) -> Report:
        """Over the feeds that the filters of the list name."""

        async def work() -> Report:
            from inforadar.app.store import open_store  # noqa: PLC0415 - in the run's own thread
            from inforadar.app.worker import open_worker  # noqa: PLC0415
            from inforadar.pipeline.fetch_run import FetchFilter  # noqa: PLC0415
            from inforadar.sample.install import serving_sample  # noqa: PLC0415

            async with (
                open_store(settings) as database,
                serving_sample(database),
                open_worker(settings, database, stages=frozenset()) as worker,
            ):
                wanted = FetchFilter(sources=view.sources, topics=view.topics)
                run = worker.fetch_run(self._events.append, wanted=wanted)
                self._loop, self._run = asyncio.get_running_loop(), run
                if self._is_stopping:
                    run.stop()
                report = await run.run()
                await worker.publish()
                return report

        return await run_apart(work)

    def take_events(self) -> list[Progress]:
        """What was told since the last time."""
        return [self._events.popleft() for _ in range(len(self._events))]

    def stop(self) -> None:
        """Between two items."""
        self._is_stopping = True
        if self._run:
            self._call(self._run.stop)

    def abort(self) -> None:
        """What is in flight is given up."""
        self._is_stopping = True
        if self._run:
            self._call(self._run.abort)

    def _call(self, do: Callable[[], None]) -> None:
        assert self._loop is not None
        # It may have ended this very moment; then there is nothing left to be stopped.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(do)
