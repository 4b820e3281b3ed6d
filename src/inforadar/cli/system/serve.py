"""`inforadar worker` and `inforadar api`: the long-running processes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Annotated, Any, TypeVar

import structlog
import uvloop
from cyclopts import Parameter

from inforadar.app.process import tune_garbage_collector
from inforadar.app.store import open_store
from inforadar.app.worker import open_worker
from inforadar.cli.terminal.logs import configure_logs
from inforadar.cli.terminal.output import print_json, print_line, safe
from inforadar.config import Settings, load_settings
from inforadar.errors import UsageError
from inforadar.pipeline.worker import Stage, Worker, WorkReport
from inforadar.store.database import WORKER_LOCK_TIMEOUT_S
from inforadar.texts import counted

T = TypeVar("T")

log = structlog.get_logger()

STDIN = 0
"""The file descriptor of standard input."""
STOP_S = 5.0
"""Maximum time from the signal to the end of the process."""
UNDER_UP = "INFORADAR_UNDER_UP"
"""Set for the child processes of `inforadar up`, which prints the login link itself.

Their standard input is a pipe whose other end only `up` has: it ends when `up` does, however that happens.
"""


def worker(
    *,
    once: Annotated[
        bool, Parameter(negative="", help="Run one cycle over all due and requested feeds, then exit.")
    ] = False,
    stages: Annotated[str, Parameter(help="The stages to run, separated by commas.")] = ",".join(Stage),
    json: Annotated[bool, Parameter(name="--json", negative="", help="With --once: print JSON.")] = False,
) -> int:
    """Start only a worker, which fetches due feeds and articles, analyzes items and builds feeds."""
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
    """Start only the API and the web page."""
    from inforadar.web.serve import login_link, serve_api  # noqa: PLC0415 - a worker serves nothing

    given = {"host": host, "port": port}
    settings = load_settings().replaced(
        web={name: value for name, value in given.items() if value is not None}
    )
    configure_logs(settings.log)

    async def work(stop: asyncio.Event) -> None:
        async with open_store(settings) as database:
            if sys.stdout.isatty() and UNDER_UP not in os.environ:
                # Only on a terminal: a log may be read by people who must not log in.
                print(f"Log in, once: {await login_link(database, settings)}")  # not masked: it is the secret
            await serve_api(database, settings, stop)

    uvloop.run(until_signal(work))


def _stages(text: str) -> frozenset[Stage]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    known = [stage.value for stage in Stage]
    if not names or (wrong := [name for name in names if name not in known]):
        raise UsageError(
            f"--stages: {', '.join(wrong) if names else 'an empty list'} is not valid. Use some of: {', '.join(known)}."
        )
    return frozenset(Stage(name) for name in names)


async def _work(settings: Settings, stages: frozenset[Stage], stop: asyncio.Event) -> None:
    async with patient_worker(settings, stages, runs_on=True) as worker:
        await worker.run(stop)


async def _work_once(settings: Settings, stages: frozenset[Stage]) -> WorkReport:
    async with patient_worker(settings, stages) as worker:
        return await worker.run_once()


@asynccontextmanager
async def patient_worker(
    settings: Settings, stages: frozenset[Stage], *, runs_on: bool = False
) -> AsyncIterator[Worker]:
    """Open a worker that waits for another program's lock for longer than a person would."""
    async with (
        open_store(settings, lock_timeout_s=WORKER_LOCK_TIMEOUT_S) as database,
        open_worker(settings, database, stages=stages, runs_on=runs_on) as worker,
    ):
        tune_garbage_collector()
        yield worker


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
        "warnings": collected.warnings,
        "postponed_count": collected.postponed,
        "fetches": [str(fetched.run_id) for fetched in report.fetches],
        "articles": dict(report.articles),
        "looks": dict(report.looks),
        "analyses": dict(report.analyses),
        "built": report.built,
    }


def _print(report: WorkReport) -> None:
    collected = report.collected
    for fetched in report.fetches:
        print_line(
            f"Requested fetch: {counted(fetched.added_count, 'item')} added, {fetched.updated_count} updated, "
            f"{counted(fetched.errors_count, 'error')}."
        )
    print_line(
        f"Fetched {counted(collected.fetched, 'feed')}: {counted(collected.added, 'item')} added, "
        f"{collected.updated} updated, {counted(len(collected.errors), 'error')}."
    )
    for url, error in collected.errors.items():
        print_line(f"! {safe(url)}: {safe(error)}")
    if collected.postponed:
        print_line(f"{counted(collected.postponed, 'feed')} postponed until their host may be asked again.")
    print_line(
        f"Articles: {_counts(report.articles)}. Analyses: {_counts(report.analyses)}. "
        f"Built {counted(report.built, 'feed')}."
    )


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counter.items())) or "none"


async def until_signal(work: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Run `work`; a signal to stop, or the end of `inforadar up` above it, sets its event."""
    stop = asyncio.Event()
    with _on_signal(stop.set):
        await work(stop)


async def _until_cancelled(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end; a signal to stop cancels it."""
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
        # A database that does not answer must not block the exit; uncommitted work is done again later.
        loop.call_later(STOP_S - 1, _give_up)

    for number in stop_signals():
        loop.add_signal_handler(number, begin_to_stop)
    if UNDER_UP in os.environ:
        loop.add_reader(STDIN, _when_ended(loop, begin_to_stop))
    yield


def stop_signals() -> Iterator[signal.Signals]:
    """The signals that end a process: Ctrl-C, a request, and the end of its terminal, unless started with `nohup`."""
    yield signal.SIGINT
    yield signal.SIGTERM
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        yield signal.SIGHUP


def _when_ended(loop: asyncio.AbstractEventLoop, stop: Callable[[], object]) -> Callable[[], None]:
    """Make the function that reads standard input, and stops at its end."""

    def read() -> None:
        if not os.read(STDIN, 1024):
            loop.remove_reader(STDIN)
            stop()

    return read


def _give_up() -> None:
    log.error("stop.forced", after_s=STOP_S - 1, held_by=sorted(map(_call_chain, asyncio.all_tasks())))
    os._exit(1)


def _call_chain(task: asyncio.Task[Any]) -> str:
    """Name the functions of a task, from the first one to the one that waits."""
    names = []
    waiting: Any = task.get_coro()
    while name := getattr(waiting, "__qualname__", None):
        names.append(name)
        waiting = getattr(waiting, "cr_await", None)
    return " > ".join(names)
