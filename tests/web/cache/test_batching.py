"""Small questions that are asked at once go to the database together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from inforadar.web.cache.batching import MAX_TOGETHER, Together
from inforadar.web.cache.stale import Remembered


class Answers:
    """Knows numbers below a thousand; holds its answers back until it is told."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.go = asyncio.Event()

    async def __call__(self, keys: Sequence[int]) -> Mapping[int, str]:
        self.asked.append(list(keys))
        await self.go.wait()
        if -1 in keys:
            raise ValueError("no")
        return {key: str(key) for key in keys if key < 1000}


async def test_what_is_asked_while_one_is_answered_goes_together_next() -> None:
    answers = Answers()
    together = Together(answers)
    first = asyncio.create_task(together.get(1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    rest = [asyncio.create_task(together.get(key)) for key in (2, 3, 2, 1, 5000)]
    await asyncio.sleep(0)
    answers.go.set()
    assert await first == "1"
    assert await asyncio.gather(*rest) == ["2", "3", "2", "1", None]
    # The second question for 1 was not answered by what was asked before it.
    assert answers.asked == [[1], [2, 3, 1, 5000]]


async def test_a_question_that_fails_fails_for_those_who_asked_it_only() -> None:
    answers = Answers()
    answers.go.set()
    together = Together(answers)
    with pytest.raises(ValueError, match="no"):
        await together.get(-1)
    assert await together.get(7) == "7"


async def test_one_who_leaves_takes_nothing_away_from_the_others() -> None:
    answers = Answers()
    together = Together(answers)
    leaving, staying = asyncio.create_task(together.get(4)), asyncio.create_task(together.get(4))
    await asyncio.sleep(0)
    leaving.cancel()
    answers.go.set()
    assert await staying == "4"


async def test_a_crowd_is_asked_in_parts() -> None:
    answers = Answers()
    answers.go.set()
    together = Together(answers)
    found = await asyncio.gather(*(together.get(key) for key in range(MAX_TOGETHER + 10)))
    assert found[-1] == str(MAX_TOGETHER + 9)
    assert [len(keys) for keys in answers.asked] == [MAX_TOGETHER, 10]


async def test_an_answer_is_given_again_until_it_is_too_old_and_the_oldest_are_forgotten() -> None:
    counted: list[str] = []

    async def count(key: str) -> str:
        counted.append(key)
        return key

    forever: Remembered[str, str] = Remembered(3600.0, most=2)
    never: Remembered[str, str] = Remembered(0.0)
    for key in ("a", "a", "b", "c", "a"):
        await forever.get(key, lambda key=key: count(key))
    assert counted == ["a", "b", "c", "a"]
    counted.clear()
    for _ in range(2):
        await never.get("a", lambda: count("a"))
    assert counted == ["a", "a"]


async def test_what_is_dear_is_given_again_for_long_and_then_asked_behind_whoever_gets_the_old() -> None:
    now, took, counted = 0.0, 1.0, 0

    async def count() -> int:
        nonlocal now, counted
        now += took
        counted += 1
        return counted

    remembered: Remembered[str, int] = Remembered(2.0, times=50, clock=lambda: now)
    assert await remembered.get("a", count) == 1
    now += 45.0
    assert await remembered.get("a", count) == 1
    now += 10.0
    # Old, and counted anew for the next one.
    assert await remembered.get("a", count) == 1
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
    assert await remembered.get("a", count) == 2
    now += 1000.0
    assert await remembered.get("a", count) == 3
    took = 0.0
    cheap: Remembered[str, int] = Remembered(2.0, times=50, clock=lambda: now)
    assert await cheap.get("a", count) == 4
    now += 3.0
    assert await cheap.get("a", count) == 5
