"""The signals at which `inforadar api`, `inforadar worker` and others stop."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import structlog

from inforadar.cli.system.children import SUPERVISED
from inforadar.cli.terminal.streams import close_streams

T = TypeVar("T")

log = structlog.get_logger()

STDIN = 0
"""The file descriptor of standard input."""
STOP_S = 5.0
"""Maximum time from the signal to the end of the process."""
THREADS_END_S = 0.5
"""How long threads may go on once everything is saved and closed."""
_THREADS = "background"


async def until_signal(
    work: Callable[[asyncio.Event], Awaitable[None]], *, leaves_threads: bool = False
) -> None:
    """Run `work`; a signal to stop, or the end of the process that keeps it running, sets its event.

    `leaves_threads`: a library's threads may go on after `work`. One that asks for the interpreter while Python shuts
    down aborts the process (granian's did in 3 of 100 ends on a busy machine), so it ends without shutting Python down.
    """
    stop, threads = asyncio.Event(), ThreadPoolExecutor(thread_name_prefix=_THREADS)
    asyncio.get_running_loop().set_default_executor(threads)
    with _on_signal(stop.set):
        await work(stop)
    if stop.is_set():
        _end_despite(threads)
        if leaves_threads:
            _end_at_once()


async def until_cancelled(work: Coroutine[Any, Any, T]) -> T:
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
    if SUPERVISED in os.environ:
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


def _end_despite(threads: ThreadPoolExecutor) -> None:
    """End the process at once if threads still compute. Everything is saved and closed: nobody wants their results."""
    threads.shutdown(wait=False, cancel_futures=True)
    until = time.monotonic() + THREADS_END_S
    for thread in threading.enumerate():
        if thread.name.startswith(_THREADS):
            thread.join(max(until - time.monotonic(), 0.0))
            if thread.is_alive():
                log.info("threads.left")
                _end_at_once()


def _end_at_once() -> NoReturn:
    close_streams()
    os._exit(0)


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
