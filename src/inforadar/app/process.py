"""How a process runs: its event loop, and its garbage collector.

The loop is uvloop where it is installed (the extra `speed`), otherwise asyncio's own.

Most objects of a long-running process are never freed: those that exist when everything is open, and in a server those
in its caches. Without tuning, the garbage collector walks through all of them again and again and finds next to
nothing.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, TypeVar

try:
    import uvloop
except ModuleNotFoundError:  # the extra `speed`
    new_event_loop = asyncio.new_event_loop
else:
    new_event_loop = uvloop.new_event_loop

T = TypeVar("T")

GC_THRESHOLD_OBJECTS = 5_000
"""Each fetched feed leaves hundreds of objects behind; with Python's default of 700 the collector runs too often."""
NEVER = 2**31 - 1
COLLECTION_S, COLLECTIONS_OF_NEW = 60.0, 60
"""How often a server collects garbage, and how often in a row only among what was made since the time before."""


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a program's coroutine to its end, as `asyncio.run` does."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)


def tune_garbage_collector() -> None:
    """Exclude all existing objects from garbage collection, and make it rarer. Only for programs, not for libraries."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD_OBJECTS, *gc.get_threshold()[1:])


@asynccontextmanager
async def garbage_collected_regularly(
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> AsyncIterator[None]:
    """Run full garbage collections at times of our own; the quick ones among young objects stay Python's.

    A full collection stops a server with filled caches for 50 to 130 ms, and Python runs one each few seconds under
    load, to find a thousand objects. Only for programs, not for libraries.
    """
    tune_garbage_collector()
    gc.set_threshold(*gc.get_threshold()[:2], NEVER)
    collecting = asyncio.create_task(_collect_garbage(sleep), name="garbage")
    try:
        yield
    finally:
        collecting.cancel()


async def _collect_garbage(sleep: Callable[[float], Awaitable[object]]) -> None:
    for number in count(1):
        await sleep(COLLECTION_S)
        if number % COLLECTIONS_OF_NEW == 0:
            gc.unfreeze()
        gc.collect()
        gc.freeze()
