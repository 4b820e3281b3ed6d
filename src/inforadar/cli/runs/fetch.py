"""`inforadar fetch`: fetch all enabled feeds now and show progress."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated

from cyclopts import Parameter, validators

from inforadar.app.process import run_async
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.runs.fetch_display import FetchDisplay, print_report
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_json
from inforadar.config import Settings, load_settings
from inforadar.errors import UsageError
from inforadar.model.progress import Listener, Progress
from inforadar.model.run import Report
from inforadar.pipeline.collect.jobs import WalkLimits
from inforadar.pipeline.runs.fetch_run import FetchFilter, FetchRun
from inforadar.stages.discover.pages.walk import Depth
from inforadar.store.feeds.queries import load_feeds
from inforadar.views.json import report_document

STOP_S = 4.0
"""Time to stop after SIGTERM; work not committed by then is lost and done again by a later run."""


def fetch(
    *,
    source: Annotated[list[str] | None, Parameter(negative="", help="Only these sources.")] = None,
    topic: Annotated[list[str] | None, Parameter(negative="", help="Only these topics.")] = None,
    cutoff: Annotated[
        date | None, Parameter(help="Read paged sites back to this date, like 2026-01-31.")
    ] = None,
    window_days: Annotated[
        int | None,
        Parameter(
            validator=validators.Number(gte=0, lte=36_500),
            help="Items older than this many days get no metadata updates.",
        ),
    ] = None,
    depth: Annotated[
        Depth,
        Parameter(help="How far back paged sites are read: to the cutoff, or only through the window."),
    ] = Depth.CUTOFF,
    json: Annotated[bool, Parameter(name="--json", negative="", help="Print the report as JSON.")] = False,
) -> int:
    """Fetch all enabled feeds now, due or not; Ctrl-C stops after the current item."""
    settings = load_settings()
    configure_logs(settings.log, quiet=True)
    wanted = FetchFilter(sources=tuple(source or ()), topics=tuple(topic or ()))
    limits = WalkLimits(cutoff=cutoff, window_days=window_days, depth=depth)
    if json:
        report = run_async(_fetch(settings, wanted, limits, _silence))
        print_json(report_document(report))
    else:
        with FetchDisplay(wanted, is_terminal=sys.stdout.isatty()) as display:
            report = run_async(_fetch(settings, wanted, limits, display.show))
        print_report(report)
    if report.interrupted:
        return 130
    return 1 if report.errors_count else 0


def _silence(_: Progress) -> None:
    return


async def _fetch(settings: Settings, wanted: FetchFilter, limits: WalkLimits, listener: Listener) -> Report:
    async with open_store(settings) as database:
        feeds = await database.read(
            load_feeds, sources=wanted.sources, topics=wanted.topics, only_enabled=True
        )
        if not feeds:
            raise UsageError(_no_feed_sentence(wanted))
        async with open_worker(settings, database, stages=frozenset()) as worker:
            run = worker.collecting.fetch_run(listener, wanted=wanted, limits=limits)
            with _on_signals(run):
                report = await run.run()
            await worker.publish()
            return report


def _no_feed_sentence(wanted: FetchFilter) -> str:
    named = [
        *(f"the source {name!r}" for name in wanted.sources),
        *(f"the topic {name!r}" for name in wanted.topics),
    ]
    if named:
        return f"No enabled feed has {' and '.join(named)}. `inforadar feed list` shows all feeds."
    return "No feed is enabled. Add one with `inforadar feed add URL --enable`."


@contextmanager
def _on_signals(run: FetchRun) -> Iterator[None]:
    """Handle Ctrl-C: the first stops the run, the second aborts it, the third exits. SIGTERM aborts at once."""
    loop = asyncio.get_running_loop()
    asked = 0

    def interrupt() -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            print("Stopping after the current items. Press Ctrl-C again to abort.", file=sys.stderr)
            run.stop()
        elif asked == 2:
            run.abort()
        else:
            os._exit(130)

    def terminate() -> None:
        run.abort()
        loop.call_later(STOP_S, os._exit, 130)

    loop.add_signal_handler(signal.SIGINT, interrupt)
    loop.add_signal_handler(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        loop.remove_signal_handler(signal.SIGTERM)
