"""A fetch that runs beside the screen, in a process of its own; what it tells is kept until the screen takes it.

In the app's own process even a thread would make keys wait: whoever computes holds the interpreter's lock, on a
busy machine also while it is not running.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from inforadar.config import Settings
from inforadar.errors import InfoRadarError
from inforadar.model.progress import Progress
from inforadar.model.run import Report
from inforadar.tui.background import END_S, let_processes_start
from inforadar.tui.fetch.process import ABORT, STOP, Told, fetch_in_process

if TYPE_CHECKING:
    from inforadar.tui.list.view import View


class Fetching:
    """One run: `await run()` once, and `stop` or `abort` meanwhile."""

    def __init__(self) -> None:
        self._events: deque[Progress] = deque()
        self._orders: Connection | None = None

    async def run(self, settings: Settings, view: View) -> Report:
        """Over the feeds that the filters of the list name."""
        context = get_context("spawn")
        told, screen = context.Pipe(duplex=False)
        orders, self._orders = context.Pipe(duplex=False)
        let_processes_start()
        process = context.Process(
            target=fetch_in_process,
            args=(settings, view.sources, view.topics, screen, orders),
            name="fetch",
        )
        process.start()
        screen.close()
        orders.close()
        listening = asyncio.ensure_future(asyncio.to_thread(self._listen, told))
        try:
            return await asyncio.shield(listening)
        except asyncio.CancelledError:
            self.abort()
            await asyncio.wait([listening], timeout=END_S)
            process.terminate()
            raise
        finally:
            await asyncio.to_thread(process.join)
            told.close()
            self._orders.close()
            self._orders = None

    def _listen(self, pipe: Connection) -> Report:
        """Until the end, in a thread."""
        while True:
            try:
                told = pipe.recv()
            except (EOFError, OSError):
                raise InfoRadarError(
                    "The fetch ended by itself. The log in the home folder says why."
                ) from None
            assert isinstance(told, Told)
            self._events.extend(told.events)
            if told.report:
                return told.report
            if told.fault:
                raise InfoRadarError(told.fault)

    def take_events(self) -> list[Progress]:
        """What was told since the last time."""
        return [self._events.popleft() for _ in range(len(self._events))]

    def stop(self) -> None:
        """Between two items."""
        self._ask(STOP)

    def abort(self) -> None:
        """What is in flight is given up."""
        self._ask(ABORT)

    def _ask(self, what: str) -> None:
        # It may have ended this very moment; then there is nothing left to be stopped.
        if self._orders:
            with suppress(OSError):
                self._orders.send(what)
