"""Worker processes for tasks that need hard limits: parsing a hostile document, extracting a huge page.

A process can be stopped, a thread cannot. So whatever may hang or use too much memory runs here: each task has a
deadline at which its process is killed, each process has a memory limit, and other tasks are unaffected. The
processes start with the first task, import what tasks need in advance, and are replaced after a number of tasks,
because libraries leak memory.
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
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from inforadar.errors import InfoRadarError
from inforadar.pipeline.freed_memory import limit_freed_memory
from inforadar.texts import ending

if TYPE_CHECKING:
    from pebble import ProcessPool

T = TypeVar("T")

STOP_TIMEOUT_S = 10.0
NICENESS = 5


class PoolTimeoutError(InfoRadarError):
    """A task was still running at its deadline, and its process was killed."""


class PoolCrashError(InfoRadarError):
    """A task's process died, or exceeded its memory limit."""


class PoolBrokenError(PoolCrashError):
    """The pool's processes cannot be started or all ended; it is not the task's fault."""


class WorkPool:
    """A few processes, each running one task at a time."""

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
        self._start: asyncio.Task[ProcessPool] | None = None
        """Makes the pool. A task of its own, because it goes on when whoever waits for it is cancelled."""
        self._is_closed = False

    async def run(self, function: Callable[..., T], *args: Any, timeout_s: float) -> T:
        """Run `function(*args)` in a process and return or raise its result; it must be a module-level function.

        The deadline counts from the start of the task; waiting for a free process does not count. Cancelling the
        caller kills the task.
        """
        from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - few workers ever have such a task

        from pebble import ProcessExpired  # noqa: PLC0415

        pool = await self._running_pool()
        try:
            result: T = await asyncio.wrap_future(pool.schedule(function, args=args, timeout=timeout_s))
        except TimeoutError:
            raise PoolTimeoutError(f"It took longer than {timeout_s:g} seconds and was stopped.") from None
        except ProcessExpired as error:
            raise PoolCrashError(f"Its process ended unexpectedly ({ending(error.exitcode)}).") from None
        except MemoryError:
            raise PoolCrashError(
                f"It needed more than {self._memory_mb} MB of memory and was stopped."
            ) from None
        except BrokenProcessPool:
            raise PoolBrokenError(
                "All processes of the pool ended unexpectedly; they are restarted."
            ) from None
        return result

    async def close(self) -> None:
        """Kill running tasks and wait for the processes to end."""
        self._is_closed = True
        start, self._start = self._start, None
        if start is not None:
            await asyncio.wait({start})
            if start.exception() is None:
                await asyncio.to_thread(_stop, start.result())

    async def _running_pool(self) -> ProcessPool:
        if self._is_closed:
            raise RuntimeError("the pool was closed")
        if self._start is None or not _is_usable(self._start):
            self._start = asyncio.create_task(asyncio.to_thread(self._make), name="pool")
        return await asyncio.shield(self._start)

    def _make(self) -> ProcessPool:
        from pebble import ProcessPool  # noqa: PLC0415

        from inforadar.pipeline.pool_process import PoolContext  # noqa: PLC0415

        # Ctrl-C reaches every process of the terminal, even those that are still importing. A signal that is
        # blocked here stays blocked in all processes started from here, now and by the pool's own threads.
        _start_resource_tracker()  # would unblock it again if it were started later
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            pool = ProcessPool(
                max_workers=self._workers,
                max_tasks=self._tasks_per_worker,
                initializer=_prepare,
                initargs=(self._memory_mb, self._warm_up),
                context=PoolContext(),
            )
            pool.schedule(_do_nothing)  # the processes start with the first task
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        return pool


def _start_resource_tracker() -> None:
    """Start the process that clears away semaphores, without its warning about those that a killed program left."""
    from multiprocessing import resource_tracker  # noqa: PLC0415 - as above

    quiet = "ignore:resource_tracker:UserWarning"
    sys.warnoptions.append(quiet)  # it gets these options when it is started
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(quiet)


def _is_usable(start: asyncio.Task[ProcessPool]) -> bool:
    return not start.done() or (start.exception() is None and start.result().active)


def _prepare(memory_mb: int, modules: tuple[str, ...]) -> None:
    """Set up a new process: import what tasks need, then limit its memory."""
    # The event loop serves many, a task only itself: on a busy machine the loop goes first.
    os.nice(NICENESS)
    limit_freed_memory()
    threading.Thread(target=_end_with_parent, name="end-with-parent", daemon=True).start()
    for module in modules:
        importlib.import_module(module)
    # On Linux, DATA counts the memory that the process really requested; elsewhere only the address
    # space can be limited.
    limit = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    _, hard = resource.getrlimit(limit)
    wanted = memory_mb * 2**20
    resource.setrlimit(limit, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with_parent() -> None:
    """Exit when the parent process ends: a parent that was killed cannot stop its children."""
    from multiprocessing import parent_process  # noqa: PLC0415 - as above

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do_nothing() -> None:
    return None


def _stop(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    # The processes are already killed; only threads of the pool may still wait for one of them.
    with suppress(TimeoutError):
        pool.join(timeout=STOP_TIMEOUT_S)
