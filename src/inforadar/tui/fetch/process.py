"""The process that runs a fetch for the terminal app. It sends events through one pipe, in batches, and receives
orders through another: watching a pipe with the event loop makes it non-blocking, and large messages would not fit.

Imports are inside functions, because the app imports this module too, for the process's entry point.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inforadar.config import Settings
    from inforadar.model.progress import Progress
    from inforadar.model.run import Report
    from inforadar.pipeline.runs.fetch_run import FetchRun
    from inforadar.tui.list.view import View

LOG = "terminal.log"
"""The file in the home folder for output of the app and its processes that would garble the screen."""
BATCH_S = 0.05

STOP, ABORT = "stop", "abort"
"""The orders a screen can send."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """The events since the last message; the last message also has the report or an error sentence."""

    events: list[Progress]
    report: Report | None = None
    fault: str | None = None


def fetch_in_process(
    settings: Settings,
    view: View,
    screen: Connection,
    orders: Connection,
) -> None:
    """The entry point of the process."""
    import structlog  # noqa: PLC0415

    from inforadar.app.process import run_async  # noqa: PLC0415

    # The terminal belongs to the app: ignore its keys and do not write to it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _redirect_output_to(settings.home / LOG)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    with suppress(BrokenPipeError):
        run_async(_fetch_and_send(settings, view, screen, orders))


def _redirect_output_to(log: Path) -> None:
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


async def _fetch_and_send(
    settings: Settings,
    view: View,
    screen: Connection,
    orders: Connection,
) -> None:
    from inforadar.errors import InfoRadarError  # noqa: PLC0415

    events: list[Progress] = []

    async def send_batches() -> None:
        while True:
            await asyncio.sleep(BATCH_S)
            if events:
                screen.send(Message(events=[*events]))
                events.clear()

    def send_report(report: Report) -> None:
        sending.cancel()
        screen.send(Message(events=events, report=report))

    sending = asyncio.create_task(send_batches())
    try:
        await _fetch(settings, view, events.append, orders, send_report)
    except InfoRadarError as fault:
        if not sending.cancelled():
            screen.send(Message(events=events, fault=str(fault)))
    finally:
        sending.cancel()


async def _fetch(
    settings: Settings,
    view: View,
    listener: Callable[[Progress], None],
    orders: Connection,
    send_report: Callable[[Report], None],
) -> None:
    """Run the fetch. The report is sent before everything is closed, which takes longer than a person waits."""
    from inforadar.app.store import open_store  # noqa: PLC0415
    from inforadar.app.worker import open_worker  # noqa: PLC0415
    from inforadar.pipeline.runs.fetch_run import FetchFilter  # noqa: PLC0415
    from inforadar.sample.install import serving_sample  # noqa: PLC0415

    wanted = FetchFilter(
        sources=view.sources, topics=view.topics, feed_ids=(view.feed.id,) if view.feed else ()
    )

    async with (
        open_store(settings) as database,
        serving_sample(database),
        open_worker(settings, database, stages=frozenset()) as worker,
    ):
        run = worker.collecting.fetch_run(listener, wanted=wanted)
        loop = asyncio.get_running_loop()
        loop.add_reader(orders.fileno(), lambda: _obey(orders, run, loop))
        try:
            report = await run.run()
        finally:
            loop.remove_reader(orders.fileno())
        send_report(report)
        await worker.publish()


def _obey(orders: Connection, run: FetchRun, loop: asyncio.AbstractEventLoop) -> None:
    try:
        asked = orders.recv()
    except (EOFError, OSError):
        # The app is gone, so nobody needs this fetch.
        loop.remove_reader(orders.fileno())
        asked = ABORT
    if asked == STOP:
        run.stop()
    else:
        run.abort()
