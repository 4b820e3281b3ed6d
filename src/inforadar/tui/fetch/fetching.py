"""A fetch in a separate process; its events are queued until the screen takes them.

In the app's own process even a thread would delay keys: a computing thread holds the interpreter's lock, on a busy
machine even while it is not scheduled.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from inforadar.config import Settings
from inforadar.errors import InfoRadarError
from inforadar.model.progress import Progress
from inforadar.model.run import Report
from inforadar.tui.background import CANCEL_TIMEOUT_S, start_resource_tracker
from inforadar.tui.fetch.process import ABORT, STOP, Message, fetch_in_process

if TYPE_CHECKING:
    from inforadar.tui.list.view import View


class Fetching:
    """One run: `await run()` once; call `stop` or `abort` in the meantime."""

    def __init__(self) -> None:
        self._events: deque[Progress] = deque()
        self._orders: Connection | None = None

    async def run(self, settings: Settings, view: View) -> Report:
        """Fetch the feeds selected by the filters of the list, and return the report."""
        context = get_context("spawn")
        told, screen = context.Pipe(duplex=False)
        orders, self._orders = context.Pipe(duplex=False)
        start_resource_tracker()
        process = context.Process(
            target=fetch_in_process,
            args=(settings, view, screen, orders),
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
            await asyncio.wait([listening], timeout=CANCEL_TIMEOUT_S)
            process.terminate()
            raise
        finally:
            # Nobody waits for it: it has sent its last message, and only closes its connections.
            threading.Thread(target=process.join, name="join", daemon=True).start()
            told.close()
            self._orders.close()
            self._orders = None

    def _listen(self, pipe: Connection) -> Report:
        """Receive messages until the run ends. Runs in a thread."""
        while True:
            try:
                told = pipe.recv()
            except (EOFError, OSError):
                raise InfoRadarError(
                    "The fetch ended by itself. The log in the home folder says why."
                ) from None
            assert isinstance(told, Message)
            self._events.extend(told.events)
            if told.report:
                return told.report
            if told.fault:
                raise InfoRadarError(told.fault)

    def take_events(self) -> list[Progress]:
        """Return the events since the last call."""
        return [self._events.popleft() for _ in range(len(self._events))]

    def stop(self) -> None:
        """Stop between two items."""
        self._ask(STOP)

    def abort(self) -> None:
        """Abandon the requests in progress."""
        self._ask(ABORT)

    def _ask(self, what: str) -> None:
        # The process may have just ended; then there is nothing to stop.
        if self._orders:
            with suppress(OSError):
                self._orders.send(what)
