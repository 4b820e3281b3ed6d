"""Background work in a thread with its own event loop.

The pipeline may compute longer between two awaits (parsing a document, comparing a thousand items) than a key should
wait. In another thread it is interrupted every few milliseconds, so keys are handled in between. Such work opens its
own database, because PostgreSQL's connections belong to one event loop.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import redirect_stderr
from multiprocessing import resource_tracker
from typing import Any, TypeVar

from inforadar.app.process import new_event_loop

T = TypeVar("T")

CANCEL_TIMEOUT_S = 5.0
"""How long cancelled work may take to clean up."""


async def run_in_thread(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run `work` in a thread and return its result; cancelling the caller cancels it."""
    done: Future[T] = Future()
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def body() -> T:
        task = asyncio.current_task()
        assert task is not None
        running.append((asyncio.get_running_loop(), task))
        return await work()

    def run() -> None:
        try:
            start_resource_tracker()
            with asyncio.Runner(loop_factory=new_event_loop) as runner:
                done.set_result(runner.run(body()))
        except asyncio.CancelledError:
            done.cancel()
        except BaseException as fault:
            done.set_exception(fault)

    threading.Thread(target=run, name="apart", daemon=True).start()
    ending = asyncio.wrap_future(done)
    try:
        return await asyncio.shield(ending)
    except asyncio.CancelledError:
        for loop, task in running:
            loop.call_soon_threadsafe(task.cancel)
        await asyncio.wait([ending], timeout=CANCEL_TIMEOUT_S)
        raise


def start_resource_tracker() -> None:
    """Start the resource tracker of multiprocessing, which needs the file number of standard error.

    While the app is running, its replacement for standard error has no file number, and starting would fail.
    """
    with redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()
