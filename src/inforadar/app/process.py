"""Tuning of long-running processes, done once when everything is open.

Most objects of the process exist by then and are never freed. Without tuning, the garbage collector walks through all
of them again and again while feeds are collected, and finds nothing.
"""

from __future__ import annotations

import gc

GC_THRESHOLD_OBJECTS = 5_000
"""Each fetched feed leaves hundreds of objects behind; with Python's default of 700 the collector runs too often."""


def tune_garbage_collector() -> None:
    """Exclude all existing objects from garbage collection, and make it rarer. Only for programs, not for libraries."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD_OBJECTS, *gc.get_threshold()[1:])
