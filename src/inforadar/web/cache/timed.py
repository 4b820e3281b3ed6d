"""A cache with a TTL, used by the API, the pages, the combined feeds and the feed lookups.

Counts over all feeds stretch the TTL to a multiple of their load time: with a thousand feeds they are nearly live, with
a million they are a minute old, and counting never takes more than a small share of the machine.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from inforadar.web.cache.bounded import BoundedCache
from inforadar.web.cache.single_flight import SingleFlight

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

SLOW_LOAD_S = 0.05
"""Loads slower than this run in the background while a stale answer is served (only with `stretch`)."""
MAX_STRETCHED_TTL_S = 120.0
MAX_STALE_S = 240.0
"""The maximum age of a stale answer that is still served."""
STRETCH_OVER_FEEDS = 50
"""The `stretch` for counts over all feeds: they use at most a fiftieth of one core."""


@dataclass(frozen=True, slots=True)
class _Answer(Generic[T]):
    value: T
    asked_at: float
    took_s: float
    fresh_until: float
    version: int


class TimedCache(Generic[K, T]):
    """Answers by key.

    TTL: an answer is fresh for `ttl_s`, a number or a function, from the moment its load began or, if that is longer,
    for `stretch` times as long as the load took, up to `MAX_STRETCHED_TTL_S`.
    Single flight: requests for a key that is being loaded share that load, which continues when readers disconnect.
    Where readers must see their own changes, include `Database.writes` in the key.
    Stale while revalidate: with `stretch`, a stale answer whose load was slow is returned at once while the next one
    is loaded in the background. If that load fails, readers get the error once the stale answer is older than
    `MAX_STALE_S`.
    Version: an answer is stale once `version` returns another number than when its load began.
    Bound: at most `max_entries` and, as `weigh` counts them, `max_bytes`; the least recently used answer is dropped
    first. With `max_bytes`, answers may be large: those that are too old to be given again are dropped too, so they
    are not there for `last`.
    """

    def __init__(
        self,
        ttl_s: float | Callable[[], float],
        *,
        max_entries: int = 200,
        max_bytes: int = 0,
        weigh: Callable[[T], int] = lambda _: 0,
        stretch: int = 0,
        version: Callable[[], int] = lambda: 0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._version = version
        self._ttl_s = ttl_s if callable(ttl_s) else lambda: ttl_s
        self._stretch = stretch
        self._drops_outdated = max_bytes > 0
        self._clock = clock
        # So heavy at least, that no more than `max_entries` of the lightest answers fit.
        least = max(max_bytes // max_entries, 1)
        self._answers: BoundedCache[K, _Answer[T]] = BoundedCache(
            least * max_entries, lambda answer: max(weigh(answer.value), least)
        )
        self._loading: SingleFlight[K, T] = SingleFlight()

    async def get(self, key: K, load: Callable[[], Awaitable[T]]) -> T:
        """Return the cached answer, or the one that `load` returns."""

        async def load_and_keep() -> T:
            asked_at, version = self._clock(), self._version()
            value = await load()
            self.keep(key, value, asked_at=asked_at, version=version)
            return value

        known = self._answers.get(key)
        if known is None:
            return await self._loading.ask(key, load_and_keep)
        if self._is_fresh(known):
            return known.value
        if self._may_be_stale(known):
            self._loading.start(key, load_and_keep)
            return known.value
        return await self._loading.ask(key, load_and_keep)

    def peek(self, key: K) -> T | None:
        """Return the cached answer if it is fresh."""
        known = self._answers.get(key)
        return known.value if known is not None and self._is_fresh(known) else None

    def last(self, key: K) -> T | None:
        """Return the cached answer, however old."""
        known = self._answers.get(key)
        return None if known is None else known.value

    def keep(self, key: K, value: T, *, asked_at: float, version: int = 0) -> None:
        """Store an answer loaded elsewhere; `asked_at` and `version` are of when that load began."""
        took_s = self._clock() - asked_at
        ttl_s = max(self._ttl_s(), min(took_s * self._stretch, MAX_STRETCHED_TTL_S))
        if self._drops_outdated:
            self._answers.drop_oldest_while(self._is_outdated)
        self._answers.put(key, _Answer(value, asked_at, took_s, asked_at + ttl_s, version))

    def _is_fresh(self, known: _Answer[T]) -> bool:
        return self._clock() < known.fresh_until and known.version == self._version()

    def _is_outdated(self, known: _Answer[T]) -> bool:
        return not self._is_fresh(known) and not self._may_be_stale(known)

    def _may_be_stale(self, known: _Answer[T]) -> bool:
        age_s = self._clock() - known.asked_at
        return bool(self._stretch) and known.took_s >= SLOW_LOAD_S and age_s <= MAX_STALE_S
