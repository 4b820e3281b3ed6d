"""Answers that are kept for a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import fields
from time import monotonic
from typing import Any

import pytest

from inforadar.errors import StoreError
from inforadar.store.change_count import ChangeCount
from inforadar.web.api.items import Lists
from inforadar.web.api.lookup import LookupRoutes
from inforadar.web.cache.timed import TimedCache
from inforadar.web.feeds.combined import CombinedRoutes
from inforadar.web.feeds.response import Prepared


class Counter:
    """Counts its loads; each takes `took_s` by its own clock, or as long as the test holds it back."""

    def __init__(self, took_s: float = 0.0) -> None:
        self.now, self.took_s, self.loads = 0.0, took_s, 0
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self) -> int:
        self.loads += 1
        number = self.loads
        await self.go.wait()
        self.now += self.took_s
        return number


async def others_done() -> None:
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)


async def test_an_answer_is_given_again_until_it_is_too_old() -> None:
    count = Counter()
    cache: TimedCache[str, int] = TimedCache(2.0, clock=lambda: count.now)
    assert await cache.get("a", count) == 1
    count.now = 1.9
    assert (await cache.get("a", count), cache.peek("a")) == (1, 1)
    count.now = 2.0
    assert (cache.peek("a"), cache.last("a")) == (None, 1)
    assert await cache.get("a", count) == 2


async def test_an_answer_is_as_old_as_the_beginning_of_its_load() -> None:
    count = Counter(took_s=5.0)
    cache: TimedCache[str, int] = TimedCache(2.0, clock=lambda: count.now)
    assert [await cache.get("a", count) for _ in range(2)] == [1, 2]


async def test_the_answer_not_used_for_longest_is_dropped() -> None:
    count = Counter()
    cache: TimedCache[str, int] = TimedCache(3600.0, max_entries=2)
    assert [await cache.get(key, count) for key in "aabaca"] == [1, 1, 2, 1, 3, 1]
    assert await cache.get("b", count) == 4


async def test_readers_who_ask_at_once_share_one_load_and_leaving_does_not_end_it() -> None:
    count = Counter()
    count.go.clear()
    cache: TimedCache[str, int] = TimedCache(3600.0)
    leaving, staying = (asyncio.create_task(cache.get("a", count)) for _ in range(2))
    await asyncio.sleep(0)
    leaving.cancel()
    count.go.set()
    assert await staying == 1
    count.go.clear()
    alone = asyncio.create_task(cache.get("b", count))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    alone.cancel()
    count.go.set()
    await asyncio.wait([alone])
    await others_done()
    assert (await cache.get("b", count), count.loads) == (2, 2)


async def test_a_slow_answer_is_kept_longer_and_then_loaded_behind_the_reader_who_gets_the_stale_one() -> (
    None
):
    count = Counter(took_s=1.0)
    cache: TimedCache[str, int] = TimedCache(2.0, stretch=50, clock=lambda: count.now)
    assert await cache.get("a", count) == 1
    count.now += 45.0
    assert await cache.get("a", count) == 1
    count.now += 10.0
    assert await cache.get("a", count) == 1
    await others_done()
    assert (await cache.get("a", count), count.loads) == (2, 2)
    count.now += 1000.0
    assert await cache.get("a", count) == 3


async def test_a_stretched_answer_that_loads_fast_is_never_stale() -> None:
    count = Counter()
    cache: TimedCache[str, int] = TimedCache(2.0, stretch=50, clock=lambda: count.now)
    assert await cache.get("a", count) == 1
    count.now += 3.0
    assert await cache.get("a", count) == 2


async def test_a_load_that_fails_behind_a_stale_answer_is_told_once_that_is_too_old() -> None:
    count = Counter(took_s=1.0)
    cache: TimedCache[str, int] = TimedCache(2.0, stretch=50, clock=lambda: count.now)
    await cache.get("a", count)

    async def fail() -> int:
        raise StoreError("The database does not answer.")

    count.now += 60.0
    assert await cache.get("a", fail) == 1
    await others_done()
    count.now += 200.0
    with pytest.raises(StoreError):
        await cache.get("a", fail)


async def test_what_is_being_loaded_when_the_version_changes_is_loaded_again() -> None:
    count = Counter()
    count.go.clear()
    changes = ChangeCount()
    cache: TimedCache[str, int] = TimedCache(3600.0, version=lambda: changes.total)
    loading = asyncio.create_task(cache.get("a", count))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    changes.add()
    count.go.set()
    assert await loading == 1
    assert [await cache.get("a", count) for _ in range(2)] == [2, 2]


async def test_heavy_answers_are_dropped_before_there_are_too_many_entries() -> None:
    cache: TimedCache[int, bytes] = TimedCache(
        3600.0, max_entries=10, max_bytes=1000, weigh=len, clock=lambda: 0.0
    )
    for number in range(20):
        cache.keep(number, b"x" * 300, asked_at=0.0)
    assert [number for number in range(20) if cache.last(number)] == [17, 18, 19]
    for number in range(20, 60):
        cache.keep(number, b"x", asked_at=0.0)
    assert sum(cache.last(number) is not None for number in range(60)) == 10


def made_by(routes: type, name: str) -> TimedCache[Any, Prepared]:
    (own,) = (one for one in fields(routes) if one.name == name)
    made: Callable[[], TimedCache[Any, Prepared]] = own.default_factory  # type: ignore[assignment]
    return made()


@pytest.mark.parametrize(
    "cache",
    [
        made_by(CombinedRoutes, "_documents"),
        made_by(LookupRoutes, "_sites"),
        Lists().of_people,
        Lists().of_visitors,
    ],
)
async def test_documents_are_kept_up_to_a_number_of_bytes(cache: TimedCache[Any, Prepared]) -> None:
    for number in range(100):
        cache.keep(number, Prepared(b"x" * 2**20, "text/plain", None), asked_at=monotonic())
    kept = [document for number in range(100) if (document := cache.last(number))]
    assert 0 < sum(document.weight for document in kept) <= 16 * 2**20


async def test_large_answers_that_are_too_old_to_be_given_again_are_dropped() -> None:
    count = Counter()
    cache: TimedCache[str, int] = TimedCache(2.0, max_bytes=1000, clock=lambda: count.now)
    await cache.get("a", count)
    count.now = 1.0
    await cache.get("b", count)
    count.now = 2.5
    await cache.get("c", count)
    assert (cache.last("a"), cache.last("b"), cache.last("c")) == (None, 2, 3)


async def test_a_large_answer_that_may_be_given_while_it_is_loaded_anew_is_not_dropped() -> None:
    count = Counter(took_s=1.0)
    cache: TimedCache[str, int] = TimedCache(2.0, max_bytes=1000, stretch=2, clock=lambda: count.now)
    await cache.get("a", count)
    count.now = 100.0
    await cache.get("b", count)
    assert await cache.get("a", count) == 1
