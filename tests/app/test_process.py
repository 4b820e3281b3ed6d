"""Garbage collection of a process that runs for long."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from inforadar.app.process import COLLECTION_S, COLLECTIONS_OF_NEW, NEVER, garbage_collected_regularly


class Ring:
    """Garbage that only a collector frees."""

    def __init__(self) -> None:
        self.itself = self


class Clock:
    """Stands in for sleeping: each turn is one sleep."""

    def __init__(self) -> None:
        self.slept_s: list[float] = []
        self._turn = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        await self._turn.wait()
        self._turn.clear()

    async def pass_one(self) -> None:
        before = len(self.slept_s)
        self._turn.set()
        while len(self.slept_s) == before:
            await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def _untouched_collector() -> Iterator[None]:
    thresholds = gc.get_threshold()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()


async def test_python_runs_no_full_collection_of_its_own() -> None:
    async with garbage_collected_regularly(Clock().sleep):
        young, middle, full = gc.get_threshold()
    assert full == NEVER
    assert 0 < young < NEVER
    assert 0 < middle < NEVER


async def test_garbage_is_collected_at_each_turn_and_what_is_left_is_not_looked_at_again() -> None:
    clock = Clock()
    async with garbage_collected_regularly(clock.sleep):
        await asyncio.sleep(0)
        kept, garbage = [Ring()], weakref.ref(Ring())
        await clock.pass_one()
        assert garbage() is None
        kept_one = weakref.ref(kept.pop())
        await clock.pass_one()
        assert kept_one() is not None  # it was kept at the turn before
    assert clock.slept_s == [COLLECTION_S] * 3


async def test_all_garbage_is_collected_now_and_then() -> None:
    clock = Clock()
    async with garbage_collected_regularly(clock.sleep):
        await asyncio.sleep(0)
        kept = [Ring()]
        await clock.pass_one()
        kept_one = weakref.ref(kept.pop())
        for _ in range(COLLECTIONS_OF_NEW - 1):
            assert kept_one() is not None
            await clock.pass_one()
        assert kept_one() is None


async def test_nothing_is_collected_after_the_end() -> None:
    async with garbage_collected_regularly(Clock().sleep):
        await asyncio.sleep(0)
        (task,) = (task for task in asyncio.all_tasks() if task.get_name() == "garbage")
    await asyncio.wait({task})
    assert task.cancelled()
