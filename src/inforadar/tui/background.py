"""Work beside the screen: in a thread, with an event loop of its own.

What the pipeline does between two awaits (parsing a document, comparing a thousand items) may take longer than a
key should wait. In another thread it is interrupted every few milliseconds, and keys are answered in between.
Such work opens its own database, because PostgreSQL's connections belong to one event loop.
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

import uvloop

T = TypeVar("T")

END_S = 5.0
"""How long work that was cancelled may take to put its things away."""


async def run_apart(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs it to its end; cancelling the caller cancels it."""
    done: Future[T] = Future()
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def body() -> T:
        task = asyncio.current_task()
        assert task is not None
        running.append((asyncio.get_running_loop(), task))
        return await work()

    def run() -> None:
        try:
            let_processes_start()
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
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
        await asyncio.wait([ending], timeout=END_S)
        raise


def let_processes_start() -> None:
    """The first process of a pool starts a helper that is given the standard error, by its number.

    While the app has the screen, what stands in its place has none, and starting would fail.
    """
    with redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()
