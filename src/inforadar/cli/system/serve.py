"""`inforadar worker` and `inforadar api`: the long-running parts, each alone."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

import structlog
import uvloop
from cyclopts import Parameter

from inforadar.app.process import settle_in
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.config import Settings, load_settings
from inforadar.errors import UsageError
from inforadar.pipeline.worker import Stage, WorkReport

T = TypeVar("T")

log = structlog.get_logger()

STOP_S = 5.0
"""From the signal to the end."""
UNDER_UP = "INFORADAR_UNDER_UP"
"""Set for the children of `inforadar up`, which tells people itself where to look."""


def worker(
    *,
    once: Annotated[bool, Parameter(negative="", help="One cycle over what is due or asked for.")] = False,
    stages: Annotated[
        str, Parameter(help="Which stages, separated by commas.")
    ] = "collect,canonical,analyze",
    json: Annotated[bool, Parameter(name="--json", negative="", help="With --once: print JSON.")] = False,
) -> int:
    """Start a worker: collects due feeds, fetches articles, analyzes and builds."""
    chosen = _stages(stages)
    settings = load_settings()
    configure_logs(settings.log)
    if not once:
        uvloop.run(until_signal(lambda stop: _work(settings, chosen, stop)))
        return 0
    report = uvloop.run(_until_cancelled(_work_once(settings, chosen)))
    if json:
        print_json(_document(report))
    else:
        _print(report)
    return 1 if report.collected.errors else 0


def api(
    *,
    host: Annotated[str | None, Parameter(help="The address to listen on.")] = None,
    port: Annotated[int | None, Parameter(help="The port to listen on.")] = None,
) -> None:
    """Start the API and the web page."""
    from inforadar.web.serve import login_link, serve_api  # noqa: PLC0415 - a worker serves nothing

    given = {"host": host, "port": port}
    settings = load_settings().replaced(
        web={name: value for name, value in given.items() if value is not None}
    )
    configure_logs(settings.log)
    if sys.stdout.isatty() and UNDER_UP not in os.environ:
        # On a terminal only: a log is read by others than the one who started it.
        print(f"Log in: {login_link(settings)}")  # as it is: the link holds the token

    async def work(stop: asyncio.Event) -> None:
        async with open_store(settings) as database:
            await serve_api(database, settings, stop)

    uvloop.run(until_signal(work))


def _stages(text: str) -> frozenset[Stage]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = [stage.value for stage in Stage]
    if not names or (wrong := [name for name in names if name not in known]):
        raise UsageError(
            f"--stages: {', '.join(wrong) if names else 'nothing'} is no stage; there are {', '.join(known)}."
        )
    return frozenset(Stage(name) for name in names)


async def _work(settings: Settings, stages: frozenset[Stage], stop: asyncio.Event) -> None:
    async with open_store(settings) as database, open_worker(settings, database, stages=stages) as worker:
        settle_in()
        await worker.run(stop)


async def _work_once(settings: Settings, stages: frozenset[Stage]) -> WorkReport:
    async with open_store(settings) as database, open_worker(settings, database, stages=stages) as worker:
        settle_in()
        return await worker.run_once()


def _document(report: WorkReport) -> dict[str, Any]:
    collected = report.collected
    return {
        "run_id": str(report.run_id) if report.run_id else None,
        "feeds": collected.fetched,
        "added_count": collected.added,
        "updated_count": collected.updated,
        "dropped_count": collected.dropped,
        "errors_count": len(collected.errors),
        "errors": collected.errors,
        "postponed_count": collected.postponed,
        "fetches": [str(fetched.run_id) for fetched in report.fetches],
        "articles": dict(report.articles),
        "analyses": dict(report.analyses),
        "built": report.built,
    }


def _print(report: WorkReport) -> None:
    collected = report.collected
    for fetched in report.fetches:
        print_line(
            f"A fetch that was asked for: {fetched.added_count} items added, {fetched.updated_count} updated, "
            f"{fetched.errors_count} errors."
        )
    print_line(
        f"{collected.fetched} feeds fetched: {collected.added} items added, {collected.updated} updated, "
        f"{len(collected.errors)} errors."
    )
    for url, error in collected.errors.items():
        print_line(f"! {safe(url)}: {safe(error)}")
    if collected.postponed:
        print_line(f"{collected.postponed} feeds wait for their host's turn.")
    print_line(
        f"Articles: {_counts(report.articles)}. Analyses: {_counts(report.analyses)}. Feeds built: {report.built}."
    )


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items())) or "none"


async def until_signal(work: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Runs `work` until SIGINT or SIGTERM sets the event it was given."""
    stop = asyncio.Event()
    with _on_signal(stop.set):
        await work(stop)


async def _until_cancelled(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` to its end; SIGINT or SIGTERM cancels it."""
    task = asyncio.ensure_future(work)
    with _on_signal(task.cancel):
        try:
            return await task
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None


@contextmanager
def _on_signal(stop: Callable[[], object]) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def begin_to_stop() -> None:
        stop()
        # A database that does not answer must not hold us: what is not committed was never there.
        loop.call_later(STOP_S - 1, _give_up)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, begin_to_stop)
    yield


def _give_up() -> None:
    log.error("stop.forced", after_s=STOP_S - 1, held_by=sorted(map(_waits_in, asyncio.all_tasks())))
    os._exit(1)


def _waits_in(task: asyncio.Task[Any]) -> str:
    """From the function that the task began with to the one that waits."""
    names = []
    waiting: Any = task.get_coro()
    while name := getattr(waiting, "__qualname__", None):
        names.append(name)
        waiting = getattr(waiting, "cr_await", None)
    return " > ".join(names)
