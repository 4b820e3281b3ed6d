"""How a process runs: its event loop, and its garbage collector, tuned once when everything is open.

The loop is uvloop where it is installed (the extra `speed`), otherwise asyncio's own.

Most objects of a long-running process exist by then and are never freed. Without tuning, the garbage collector walks
through all of them again and again while feeds are collected, and finds nothing.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
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


def run_async(main: Coroutine[Any, Any, T]) -> T:
    """Run a program's coroutine to its end, as `asyncio.run` does."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)


def tune_garbage_collector() -> None:
    """Exclude all existing objects from garbage collection, and make it rarer. Only for programs, not for libraries."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD_OBJECTS, *gc.get_threshold()[1:])
