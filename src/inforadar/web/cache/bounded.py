"""A size-bounded LRU cache. The caller checks whether a value is still valid."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Keeps the most recently used values up to a total of `max_weight`. Without `weigh`, each weighs 1."""

    def __init__(self, max_weight: int, weigh: Callable[[V], int] = lambda _: 1) -> None:
        self._max_weight = max_weight
        self._weigh = weigh
        self._values: OrderedDict[K, V] = OrderedDict()
        self._weight = 0

    def get(self, key: K) -> V | None:
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
        return found

    def put(self, key: K, value: V) -> None:
        """Keep `value` and drop the least recently used. A value heavier than the cache is not kept."""
        if (old := self._values.pop(key, None)) is not None:
            self._weight -= self._weigh(old)
        self._values[key] = value
        self._weight += self._weigh(value)
        while self._weight > self._max_weight:
            _, oldest = self._values.popitem(last=False)
            self._weight -= self._weigh(oldest)

    def drop_oldest_while(self, is_useless: Callable[[V], bool]) -> None:
        """Drop the least recently used values up to the first that is of use."""
        while self._values and is_useless(next(iter(self._values.values()))):
            _, oldest = self._values.popitem(last=False)
            self._weight -= self._weigh(oldest)
