"""Give freed memory back to the system.

The C library keeps what was freed for the next allocation: the tree of a document of 10 MB leaves 60 MB behind, in
pieces, and the next such document adds to that. It also learns: once a block of 19 MB was freed (a password's hash
takes one), all blocks up to that size are cut from a heap that hardly ever shrinks, and each thread gets a heap of its
own. An API that many log in to kept 130 MB so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes

LARGE_DOCUMENT_BYTES = 2**20
"""Documents from this size on leave enough behind to be worth a few milliseconds."""

OWN_MAPPING_BYTES = 2**17
"""Blocks from this size on come from the system one by one, and go back to it when they are freed. Between those that
stay, pages and lists of some hundred KB left holes of 6 MB in an API under load."""
MAX_HEAPS = 2
"""Threads share them. Python runs one thread at a time, so they hardly ever wait for each other."""
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8


def limit_freed_memory() -> None:
    """Let the C library keep little of what is freed. To be called before a process starts threads; glibc only."""
    mallopt = getattr(_library(), "mallopt", None)
    if mallopt is not None and hasattr(_library(), "malloc_trim"):
        mallopt(_M_ARENA_MAX, MAX_HEAPS)
        mallopt(_M_MMAP_THRESHOLD, OWN_MAPPING_BYTES)


def return_freed_memory() -> None:
    """Return what is free to the system, where the C library can do that: glibc, not musl or macOS."""
    _trim()(0)


@functools.cache
def _trim() -> Callable[[int], object]:
    trim: Callable[[int], object] | None = getattr(_library(), "malloc_trim", None)
    return trim or (lambda _: None)


@functools.cache
def _library() -> ctypes.CDLL:
    import ctypes  # noqa: PLC0415 - commands that end soon do not need it

    return ctypes.CDLL(None)
