"""Small questions that are asked at once go to the database together."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from inforadar.web.cache.batching import MAX_BATCH_KEYS, Batcher


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
    batcher = Batcher(answers)
    first = asyncio.create_task(batcher.get(1))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    rest = [asyncio.create_task(batcher.get(key)) for key in (2, 3, 2, 1, 5000)]
    await asyncio.sleep(0)
    answers.go.set()
    assert await first == "1"
    assert await asyncio.gather(*rest) == ["2", "3", "2", "1", None]
    # The second question for 1 was not answered by what was asked before it.
    assert answers.asked == [[1], [2, 3, 1, 5000]]


async def test_a_question_that_fails_fails_for_those_who_asked_it_only() -> None:
    answers = Answers()
    answers.go.set()
    batcher = Batcher(answers)
    with pytest.raises(ValueError, match="no"):
        await batcher.get(-1)
    assert await batcher.get(7) == "7"


async def test_one_who_leaves_takes_nothing_away_from_the_others() -> None:
    answers = Answers()
    batcher = Batcher(answers)
    leaving, staying = asyncio.create_task(batcher.get(4)), asyncio.create_task(batcher.get(4))
    await asyncio.sleep(0)
    leaving.cancel()
    answers.go.set()
    assert await staying == "4"


async def test_a_crowd_is_asked_in_parts() -> None:
    answers = Answers()
    answers.go.set()
    batcher = Batcher(answers)
    found = await asyncio.gather(*(batcher.get(key) for key in range(MAX_BATCH_KEYS + 10)))
    assert found[-1] == str(MAX_BATCH_KEYS + 9)
    assert [len(keys) for keys in answers.asked] == [MAX_BATCH_KEYS, 10]
