"""The process that a fetch of the terminal app runs in. It tells its screen through a pipe, batch by batch, and
hears it through another: the loop that waits at a pipe makes it refuse what does not fit into it at once.

Imports are inside, because the app imports this module too, to name the function that the process begins with.
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

LOG = "terminal.log"
"""In the home folder: where the app and its processes write what would spoil the screen."""
BATCH_S = 0.05

STOP, ABORT = "stop", "abort"
"""What the screen can ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What was told since the last time; at the end with the report, or with a sentence that says why not."""

    events: list[Progress]
    report: Report | None = None
    fault: str | None = None


def fetch_in_process(
    settings: Settings,
    sources: tuple[str, ...],
    topics: tuple[str, ...],
    screen: Connection,
    orders: Connection,
) -> None:
    """The whole life of the process."""
    import structlog  # noqa: PLC0415
    import uvloop  # noqa: PLC0415

    # The terminal belongs to the app: neither its keys nor its screen are ours.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _write_to(settings.home / LOG)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    with suppress(BrokenPipeError):
        uvloop.run(_tell(settings, sources, topics, screen, orders))


def _write_to(log: Path) -> None:
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


async def _tell(
    settings: Settings,
    sources: tuple[str, ...],
    topics: tuple[str, ...],
    screen: Connection,
    orders: Connection,
) -> None:
    from inforadar.errors import InfoRadarError  # noqa: PLC0415

    events: list[Progress] = []

    async def send_batches() -> None:
        while True:
            await asyncio.sleep(BATCH_S)
            if events:
                screen.send(Told(events=[*events]))
                events.clear()

    sending = asyncio.create_task(send_batches())
    try:
        report = await _fetch(settings, sources, topics, events.append, orders)
        ending = Told(events=events, report=report)
    except InfoRadarError as fault:
        ending = Told(events=events, fault=str(fault))
    finally:
        sending.cancel()
    screen.send(ending)


async def _fetch(
    settings: Settings,
    sources: tuple[str, ...],
    topics: tuple[str, ...],
    listener: Callable[[Progress], None],
    orders: Connection,
) -> Report:
    from inforadar.app.store import open_store  # noqa: PLC0415
    from inforadar.app.worker import open_worker  # noqa: PLC0415
    from inforadar.pipeline.runs.fetch_run import FetchFilter  # noqa: PLC0415
    from inforadar.sample.install import serving_sample  # noqa: PLC0415

    async with (
        open_store(settings) as database,
        serving_sample(database),
        open_worker(settings, database, stages=frozenset()) as worker,
    ):
        run = worker.collecting.fetch_run(listener, wanted=FetchFilter(sources=sources, topics=topics))
        loop = asyncio.get_running_loop()
        loop.add_reader(orders.fileno(), lambda: _obey(orders, run, loop))
        try:
            report = await run.run()
            await worker.publish()
        finally:
            loop.remove_reader(orders.fileno())
        return report


def _obey(orders: Connection, run: FetchRun, loop: asyncio.AbstractEventLoop) -> None:
    try:
        asked = orders.recv()
    except (EOFError, OSError):
        # The app has gone, and with it whoever wanted this.
        loop.remove_reader(orders.fileno())
        asked = ABORT
    if asked == STOP:
        run.stop()
    else:
        run.abort()
