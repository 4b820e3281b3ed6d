"""Processes for work that nothing else can bound: reading a hostile document, extracting a huge page.

A thread cannot be stopped and a process can, so whatever may hang or eat memory runs here: each task has a
deadline at which its process is killed, each process a limit of memory, and neighbours notice nothing. The
processes are started at the first task, warmed by importing what tasks need, and replaced after a number of
tasks, because libraries grow.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context, parent_process, resource_tracker
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

from inforadar.errors import InfoRadarError

T = TypeVar("T")

STOP_S = 10.0
NICENESS = 5


class PoolTimeoutError(InfoRadarError):
    """A task was still running at its deadline, and its process was killed."""


class PoolCrashError(InfoRadarError):
    """A task's process ended under it, or ran out of the memory it may use."""


class WorkPool:
    """A few processes that run one task each at a time."""

    def __init__(
        self,
        *,
        workers: int = 2,
        tasks_per_worker: int = 1000,
        memory_mb: int = 512,
        warm_up: Iterable[str] = (),
    ) -> None:
        """`warm_up` names the modules that each process imports before its first task."""
        self._workers = workers
        self._tasks_per_worker = tasks_per_worker
        self._memory_mb = memory_mb
        self._warm_up = tuple(warm_up)
        self._pool: ProcessPool | None = None
        self._starting = asyncio.Lock()
        self._is_closed = False

    async def run(self, function: Callable[..., T], *args: Any, timeout_s: float) -> T:
        """What `function(*args)` returns or raises, from a process; the function must be a module's own.

        The deadline counts from when the task starts, not while it waits for a free process. Cancelling the
        caller kills the task.
        """
        pool = await self._running_pool()
        try:
            result: T = await asyncio.wrap_future(pool.schedule(function, args=args, timeout=timeout_s))
        except TimeoutError:
            raise PoolTimeoutError(f"It took longer than {timeout_s:g} seconds and was stopped.") from None
        except ProcessExpired as error:
            raise PoolCrashError(f"Its process ended unexpectedly ({_ending(error.exitcode)}).") from None
        except MemoryError:
            raise PoolCrashError(
                f"It needed more than {self._memory_mb} MB of memory and was stopped."
            ) from None
        except BrokenProcessPool:
            raise PoolCrashError("All processes of the pool ended unexpectedly; they start anew.") from None
        return result

    async def close(self) -> None:
        """Kills what still runs and waits for the processes to end."""
        self._is_closed = True
        async with self._starting:
            pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(_stop, pool)

    async def _running_pool(self) -> ProcessPool:
        async with self._starting:
            if self._is_closed:
                raise RuntimeError("the pool was closed")
            if self._pool is None or not self._pool.active:
                self._pool = await asyncio.to_thread(self._start)
            return self._pool

    def _start(self) -> ProcessPool:
        # Ctrl-C reaches every process of the terminal, also those that are still importing. A signal that
        # is blocked here stays blocked in what is started from here, now and by the pool's own threads.
        resource_tracker.ensure_running()  # would unblock it again if it were started later
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pool = ProcessPool(
                max_workers=self._workers,
                max_tasks=self._tasks_per_worker,
                initializer=_prepare,
                initargs=(self._memory_mb, self._warm_up),
                context=get_context("spawn"),
            )
            pool.schedule(_nothing)  # the processes start with the first task
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        return pool


def _prepare(memory_mb: int, modules: tuple[str, ...]) -> None:
    """In a new process: what tasks need is imported, and then its memory is limited."""
    # The event loop has many to serve, a task only itself: on a full machine the loop goes first.
    os.nice(NICENESS)
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    for module in modules:
        importlib.import_module(module)
    # Linux counts what a process really asked for in DATA; elsewhere only the address space can be limited.
    limit = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hard = resource.getrlimit(limit)
    wanted = memory_mb * 2**20
    resource.setrlimit(limit, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_parent() -> None:
    """A parent that is killed cannot stop its children; they must notice."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _nothing() -> None:
    return None


def _stop(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    # The processes are killed by now; threads of the pool that wait for one of them hold nobody up for long.
    with suppress(TimeoutError):
        pool.join(timeout=STOP_S)


def _ending(exit_code: int | None) -> str:
    if exit_code is not None and exit_code < 0:
        try:
            return f"killed by {signal.Signals(-exit_code).name}"
        except ValueError:
            pass
    return f"exit code {exit_code}"
