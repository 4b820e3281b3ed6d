"""`lru_cache` with a limit in characters too: texts from the web may be long, and thousands of them are kept."""

from __future__ import annotations

from collections.abc import Callable, Sized
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T", bound=Sized | None)
R = TypeVar("R")


def short_cache(maxsize: int, *, max_length: int) -> Callable[[Callable[[T], R]], Callable[[T], R]]:
    """Cache the last `maxsize` results of a function of one text; those of longer texts are not kept."""

    def decorate(function: Callable[[T], R]) -> Callable[[T], R]:
        cached = lru_cache(maxsize=maxsize)(function)

        @wraps(function)
        def call(text: T) -> R:
            # The cache wants something hashable, which all texts are.
            return cached(text) if text is None or len(text) <= max_length else function(text)  # type: ignore[arg-type]

        call.__dict__["cache_info"] = cached.cache_info
        return call

    return decorate
