"""Give freed memory back to the system.

The C library keeps what was freed for the next allocation: the tree of a document of 10 MB leaves 60 MB behind, in
pieces, and the next such document adds to that.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

LARGE_DOCUMENT_BYTES = 2**20
"""Documents from this size on leave enough behind to be worth a few milliseconds."""


def return_freed_memory() -> None:
    """Return what is free to the system, where the C library can do that: glibc, not musl or macOS."""
    _trim()(0)


@functools.cache
def _trim() -> Callable[[int], object]:
    import ctypes  # noqa: PLC0415 - few documents are that large

    trim: Callable[[int], object] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return trim or (lambda _: None)
